package import VaultDocument

/// Why two versions of a file cannot become one without a person, or without a key.
package struct MergeConflict: Sendable, Equatable {
  /// The kind of conflict.
  package enum Reason: String, Sendable, CaseIterable {
    /// A side is no file of this format, or is damaged.
    case unreadable
    /// The versions belong to different records, or to another one than the file's name says.
    case otherRecord = "other_record"
    /// A side is older than what both come from.
    case older
    /// A side was changed without a key.
    case unauthenticated
    /// A side does not verify with the key.
    case unverified
    /// One side has removed the record, the other changed it.
    case removed
    /// The result would lie in another place than a removed or a live record does.
    case misplaced
    /// The sides are in different forms of their kind.
    case schema
    /// Kind, creation or requirements differ, which never change.
    case envelope
    /// Each side is wrapped under a root key of its own.
    case key
    /// One side has a new data key, so that the tokens of the other do not open.
    case resealed
    /// Both have changed a readable value.
    case value
    /// Both have sealed a new value.
    case sealed
    /// One side has removed a member, the other changed it.
    case removedMember = "removed_member"
    /// A sealed value would stand at two places.
    case moved
    /// It can be merged, and the result has to be authenticated: that takes the key.
    case needsKey = "needs_key"
    /// This machine has seen a newer version than both, or another of the same revision.
    case seen
    /// The result would not be a document of the format.
    case limits
    /// Both have removed the same way to unlock, and one has added another.
    case bothRemoved = "both_removed"
    /// No way to unlock would be left.
    case noSlot = "no_slot"
    /// A side is under a root key that was replaced, so that the keys of now say nothing of it.
    case oldRoot = "old_root"
    /// The sides have written a document that cannot be joined.
    case bothChanged = "both_changed"
  }

  /// One side's part in it.
  package enum Side: Sendable, Equatable {
    /// It has no such member.
    case absent
    /// A value that can be read by whoever has the file.
    case readable
    /// Sealed, to the second.
    case sealed(at: Timestamp)
  }

  /// Why the sides cannot be joined.
  package let reason: Reason
  /// The member it is about; nil for the whole file.
  package let path: MemberPath?
  /// The side of who merges; nil where it is not about one member.
  package let ours: Side?
  /// The other side; nil where it is not about one member.
  package let theirs: Side?

  /// A conflict in one member, or in the whole file.
  package init(_ reason: Reason, at path: MemberPath? = nil, ours: Side? = nil, theirs: Side? = nil) {
    (self.reason, self.path, self.ours, self.theirs) = (reason, path, ours, theirs)
  }
}

/// One of the two that a merge joins.
package enum MergeSide: Sendable {
  /// The side of who merges.
  case ours
  /// The other side.
  case theirs

  /// The side that is not this one.
  package var other: MergeSide { self == .ours ? .theirs : .ours }
}

/// Who wins where both sides have changed something.
package struct MergePreference: Sendable {
  /// Wins in every member for which ``members`` names none, and says of a removal and a change whether the record
  /// lives; nil leaves the conflict.
  package let side: MergeSide?
  /// Wins in single members.
  package let members: [MemberPath: MergeSide]

  /// A side that wins in general, and sides that win in single members.
  package init(_ side: MergeSide? = nil, members: [MemberPath: MergeSide] = [:]) {
    (self.side, self.members) = (side, members)
  }
}

/// What became of a merge.
package enum MergeOutcome: Sendable {
  /// The bytes of the file.
  case merged([UInt8])
  /// What is in the way, and a text that shows both sides and that no reader takes for a document.
  case conflict([MergeConflict], text: [UInt8])
}
