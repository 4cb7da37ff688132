package import VaultDocument
package import VaultSealing

/// The changes of one version of a record against another, by field. A changed sealed field is only named: the
/// comparison contains neither its token nor any value that was sealed on one of the sides.
package struct RecordComparison: Sendable {
  package enum Event: String, Sendable {
    /// The record is new.
    case added
    /// It was moved to the trash.
    case removed
    /// It was restored from the trash.
    case restored
    /// It is neither among the records nor in the trash any more.
    case deleted
    /// Fields have changed.
    case changed
    /// Only its data key was wrapped again, as a rotation of the root key does.
    case rewrapped
    /// Both versions are the same.
    case unchanged
  }

  /// One field in which the versions differ.
  package struct Change: Sendable, Equatable {
    package enum Kind: String, Sendable {
      /// The value is new.
      case added
      /// The value is gone.
      case removed
      /// A readable value has changed.
      case changed
      /// A former value of the field stands here again.
      case restored
      /// A value was sealed at another time than the old one.
      case replaced
      /// The value was sealed again with the same sealing time: after the data key was exchanged, or within the same
      /// second.
      case resealed
      /// The sealed value of another field stands here.
      case moved
      /// A readable value was sealed.
      case sealed
      /// A sealed value became clear text.
      case unsealed
    }

    package let path: MemberPath
    package let kind: Kind
    /// Nil if there was no value, and for a value that must not be shown.
    package let before: JSONValue?
    /// Nil if there is no value, and for a value that must not be shown.
    package let after: JSONValue?
    /// Whether it is sealed on either side, or should be.
    package let isSecret: Bool
    /// The old path of a moved sealed value.
    package let origin: MemberPath?
  }

  /// A change of the former values of one field that no change of a field explains.
  package struct FormerChange: Sendable, Equatable {
    package let path: MemberPath
    /// How many were dropped, as `forget` does.
    package let dropped: Int
    /// How many came, as by a merge.
    package let added: Int
  }

  package let event: Event
  package let changes: [Change]
  /// In the order of paths; empty unless both versions exist.
  package let former: [FormerChange]
  /// The changed attachments, in the order of names.
  package let attachments: [AttachmentChange]
  /// The schema versions of both sides; nil if they are equal.
  package let schemas: (old: Int, new: Int)?

  /// Compares two versions; nil stands for a missing one.
  ///
  /// - Parameter isSealed: whether the kind seals the value at a path. Clear text there is not shown.
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
    let known = old?.envelope.former ?? FormerValues()
    changes = Self.changes(differences.flatMap(\.leaves), known, isSealed)
    former = if let old, let new { FormerChange.all(from: old, to: new) } else { [] }
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

  private static func changes(
    _ differences: [TreeDifference], _ former: FormerValues, _ isSealed: (MemberPath) -> Bool
  ) -> [Change] {
    var places: [String: MemberPath] = [:]
    for difference in differences {
      if let token = difference.before?.token { places[token] = difference.path }
    }
    let arrived = Set(differences.compactMap { difference in difference.after?.token.flatMap { places[$0] } })
    return differences.compactMap { difference in
      let (before, after) = (difference.before, difference.after)
      // Its new place reports the move.
      if after == nil, arrived.contains(difference.path) { return nil }
      let isSecret = before?.token != nil || after?.token != nil || isSealed(difference.path)
      let origin = after?.token.flatMap { places[$0] }
      let isBack = after?.token.map(former.tokens(at: difference.path).contains) ?? false
      return Change(
        path: difference.path, kind: isBack ? .restored : origin == nil ? kind(before, after) : .moved,
        before: isSecret ? nil : before, after: isSecret ? nil : after, isSecret: isSecret, origin: origin)
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

extension RecordComparison.FormerChange {
  /// Values are told apart by their tokens, or after a reseal by their sealing times, which stay.
  fileprivate static func all(from old: RecordFile, to new: RecordFile) -> [RecordComparison.FormerChange] {
    let (before, after) = (old.envelope.former, new.envelope.former)
    let paths = Set(before.paths + after.paths).sorted { precedesInBytes($0.description, $1.description) }
    let isResealed = old.tokenHints.isDisjoint(with: new.tokenHints)
    func values(_ tokens: [String]) -> CountedTexts {
      CountedTexts(isResealed ? tokens.map { (try? SealedToken(parsing: $0))?.sealedAt.text ?? "" } : tokens)
    }
    let (oldFields, newFields) = (values(old.fields.tokens.map(\.1)), values(new.fields.tokens.map(\.1)))
    return paths.compactMap { path in
      let (one, other) = (before.tokens(at: path), after.tokens(at: path))
      let came = values(other).without(values(one))
      let added = came.without(oldFields).count
      // A replaced value that takes the last place pushes the oldest one out.
      let isFull = added < came.count && other.count >= one.count
      let dropped = isFull ? 0 : values(one).without(values(other)).without(newFields).count
      guard added + dropped > 0 else { return nil }
      return RecordComparison.FormerChange(path: path, dropped: dropped, added: added)
    }
  }
}

/// Texts, each as often as it occurs.
private struct CountedTexts {
  private var counts: [String: Int] = [:]

  init(_ texts: [String]) {
    for text in texts { counts[text, default: 0] += 1 }
  }

  var count: Int { counts.values.reduce(0, +) }

  func without(_ other: CountedTexts) -> CountedTexts {
    var rest = self
    for (text, count) in other.counts { rest.counts[text] = counts[text].map { max(0, $0 - count) } }
    return rest
  }
}
