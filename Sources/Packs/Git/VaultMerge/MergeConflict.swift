package import VaultDocument

/// Why two versions of a file cannot be merged without a person or a key.
package struct MergeConflict: Sendable, Equatable {
  package enum Reason: String, Sendable, CaseIterable {
    /// A side is not a file of this format, or is damaged.
    case unreadable
    /// The versions belong to different records, or to another record than the file's name says.
    case otherRecord = "other_record"
    /// A side is older than the common base.
    case older
    /// A side was changed without a key.
    case unauthenticated
    /// A side does not verify with the key.
    case unverified
    /// One side has removed the record, and the other has changed it.
    case removed
    /// The result would lie in the wrong place for a removed or a live record.
    case misplaced
    /// The sides have different schema versions of their kind.
    case schema
    /// Kind, creation or requirements differ, which never change.
    case envelope
    /// Each side is wrapped under a different root key.
    case key
    /// One side has a new data key, so the tokens of the other do not open.
    case resealed
    /// Both sides have changed a readable value.
    case value
    /// Both sides have sealed a new value.
    case sealed
    /// One side has removed a member, and the other has changed it.
    case removedMember = "removed_member"
    /// A sealed value would stand at two places.
    case moved
    /// The merge is possible, but the result must be authenticated, which needs the key.
    case needsKey = "needs_key"
    /// This machine has seen a newer version than both, or another version of the same revision.
    case seen
    /// The result would not be a document of the format.
    case limits
    /// Both have removed the same way to unlock, and one has added another.
    case bothRemoved = "both_removed"
    /// No way to unlock would be left.
    case noSlot = "no_slot"
    /// A side is under a replaced root key, so the present keys cannot verify it.
    case oldRoot = "old_root"
    /// A file of an attachment that a side names is missing.
    case missingFile = "missing_file"
    /// Both sides have changed a document that cannot be joined.
    case bothChanged = "both_changed"
  }

  package enum Side: Sendable, Equatable {
    /// The member is missing.
    case absent
    /// A readable value.
    case readable
    /// A sealed value, with its time to the second.
    case sealed(at: Timestamp)
  }

  /// Why the sides cannot be joined.
  package let reason: Reason
  /// The member of the conflict; nil for the whole file.
  package let path: MemberPath?
  /// The side of the person who merges; nil if the conflict is not about one member.
  package let ours: Side?
  /// The other side; nil if the conflict is not about one member.
  package let theirs: Side?

  package init(_ reason: Reason, at path: MemberPath? = nil, ours: Side? = nil, theirs: Side? = nil) {
    (self.reason, self.path, self.ours, self.theirs) = (reason, path, ours, theirs)
  }
}

package enum MergeSide: Sendable {
  /// The side of the person who merges.
  case ours
  /// The other side.
  case theirs

  /// The side that is not this one.
  package var other: MergeSide { self == .ours ? .theirs : .ours }
}

/// Which side wins if both have changed something.
package struct MergePreference: Sendable {
  /// The side that wins in every member without an entry in ``members``, and decides between a removal and a change.
  /// Nil leaves the conflict.
  package let side: MergeSide?
  /// The winning sides of single members.
  package let members: [MemberPath: MergeSide]

  package init(_ side: MergeSide? = nil, members: [MemberPath: MergeSide] = [:]) {
    (self.side, self.members) = (side, members)
  }
}

package enum MergeOutcome: Sendable {
  /// The bytes of the file.
  case merged([UInt8])
  /// The conflicts, and a text that shows both sides and that no reader takes for a document.
  case conflict([MergeConflict], text: [UInt8])
}
