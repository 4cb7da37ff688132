package import VaultDocument
package import VaultSealing

/// What one version of a record has changed against another, by field. Of a sealed field it says that it was changed;
/// neither its token nor any value that was sealed on one of the sides is in it.
package struct RecordComparison: Sendable {
  /// What became of the record as a whole.
  package enum Event: String, Sendable {
    /// There was no such record.
    case added
    /// It went to the trash.
    case removed
    /// It came back from the trash.
    case restored
    /// Neither among the records nor in the trash any more.
    case deleted
    /// Fields are others than before.
    case changed
    /// Its data key was wrapped again, as a rotation of the root key does, and nothing else was changed.
    case rewrapped
    /// Both are the same.
    case unchanged
  }

  /// One field in which the versions differ.
  package struct Change: Sendable, Equatable {
    /// What became of it.
    package enum Kind: String, Sendable {
      /// There was no value.
      case added
      /// There is no value any more.
      case removed
      /// A readable value has become another.
      case changed
      /// A value was sealed, at another time than the one before.
      case replaced
      /// It was sealed again, and says to have been sealed at the time of the one before: after the data key was
      /// exchanged, or within the same second.
      case resealed
      /// The sealed value of another field stands here.
      case moved
      /// What was readable is sealed.
      case sealed
      /// What was sealed is clear text.
      case unsealed
    }

    /// Where it stands.
    package let path: MemberPath
    /// What became of it.
    package let kind: Kind
    /// Nil where there was nothing, and for what is not to be read.
    package let before: JSONValue?
    /// Nil where there is nothing, and for what is not to be read.
    package let after: JSONValue?
    /// Whether it is sealed on either side, or ought to be.
    package let isSecret: Bool
    /// Where the sealed value was that was moved.
    package let origin: MemberPath?
  }

  /// What became of the record as a whole.
  package let event: Event
  /// In the order of paths.
  package let changes: [Change]
  /// What is attached otherwise than before, in the order of names.
  package let attachments: [AttachmentChange]
  /// The forms of the kind on both sides; nil where they are one.
  package let schemas: (old: Int, new: Int)?

  /// Compares two versions; nil for where there is none.
  ///
  /// - Parameter isSealed: whether the kind seals what stands at a path. Clear text there is not told.
  package init(from old: RecordFile?, to new: RecordFile?, isSealed: (MemberPath) -> Bool) {
    event = Self.event(old, new)
    schemas =
      if let old, let new, old.envelope.schema != new.envelope.schema {
        (old.envelope.schema, new.envelope.schema)
      } else {
        nil
      }
    let (before, after) = (old?.fields ?? JSONObject(), new?.fields ?? JSONObject())
    let differences = JSONValue.object(after).differences(from: .object(before))
    changes = Self.changes(differences.flatMap(\.leaves), isSealed)
    attachments = AttachmentChange.changes(
      from: old?.envelope.attachments ?? [], to: new?.envelope.attachments ?? [])
  }

  private static func event(_ old: RecordFile?, _ new: RecordFile?) -> Event {
    guard let old else { return new == nil ? .unchanged : .added }
    guard let new else { return .deleted }
    if old.isRemoved != new.isRemoved { return new.isRemoved ? .removed : .restored }
    guard old.equals(exceptKey: new) else { return .changed }
    return old.members == new.members ? .unchanged : .rewrapped
  }

  private static func changes(_ differences: [TreeDifference], _ isSealed: (MemberPath) -> Bool) -> [Change] {
    var places: [String: MemberPath] = [:]
    for difference in differences {
      if let token = difference.before?.token { places[token] = difference.path }
    }
    let arrived = Set(differences.compactMap { difference in difference.after?.token.flatMap { places[$0] } })
    return differences.compactMap { difference in
      let (before, after) = (difference.before, difference.after)
      // It is told where it has gone.
      if after == nil, arrived.contains(difference.path) { return nil }
      let isSecret = before?.token != nil || after?.token != nil || isSealed(difference.path)
      let origin = after?.token.flatMap { places[$0] }
      return Change(
        path: difference.path, kind: origin == nil ? kind(before, after) : .moved, before: isSecret ? nil : before,
        after: isSecret ? nil : after, isSecret: isSecret, origin: origin)
    }
  }

  private static func kind(_ before: JSONValue?, _ after: JSONValue?) -> Change.Kind {
    guard let before else { return .added }
    guard let after else { return .removed }
    switch (before.token, after.token) {
    case (nil, nil): return .changed
    case (nil, _?): return .sealed
    case (_?, nil): return .unsealed
    case (let old?, let new?):
      guard let one = try? SealedToken(parsing: old), let other = try? SealedToken(parsing: new) else {
        return .replaced
      }
      return one.sealedAt == other.sealedAt ? .resealed : .replaced
    }
  }
}
