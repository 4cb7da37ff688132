public import VaultCrypto
public import VaultDocument
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// One change of one member of a record.
public struct FieldEdit: Sendable {
  enum Change: Sendable {
    case readable(JSONValue)
    case secret(SecretBytes)
    case removal
  }

  /// The member.
  public let path: MemberPath
  let change: Change

  /// Sets a readable member.
  public static func set(_ path: MemberPath, to value: JSONValue) -> FieldEdit {
    FieldEdit(path: path, change: .readable(value))
  }

  /// Sets a sealed member to a value of UTF-8 bytes.
  public static func seal(_ path: MemberPath, _ secret: SecretBytes) -> FieldEdit {
    FieldEdit(path: path, change: .secret(secret))
  }

  /// Removes a member.
  public static func unset(_ path: MemberPath) -> FieldEdit { FieldEdit(path: path, change: .removal) }
}

extension Vault {
  /// Changes single members of a record and nothing else in it.
  ///
  /// - Parameter expected: the record on which the edits are based; nil means its present version.
  /// - Returns: whether anything changed; otherwise nothing is written.
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.noSuchMember`, `.usage`, `.inputRefused`, `.changedUnderneath` if the
  ///   record is no longer the expected one, `.damaged`, and like ``add(_:)``.
  @discardableResult
  public func edit(
    _ id: RecordID, _ edits: [FieldEdit], expecting expected: OpenRecord? = nil
  ) async throws(VaultError) -> Bool {
    try await editing(id, edits, expecting: expected).hasChanged
  }

  /// Like ``edit(_:_:expecting:)``, and says which sealed values lost their place.
  ///
  /// - Parameter former: earlier values of these fields that another program knows.
  package func editing(
    _ id: RecordID, _ edits: [FieldEdit], expecting expected: OpenRecord? = nil, knowing former: [FormerInput] = []
  ) async throws(VaultError) -> EditEffect {
    try await writing(changing: id) { lock throws(VaultError) in
      let old = try verifiedRecord(id)
      if let expected, expected.bytes != old.bytes {
        throw .changedMeanwhile(old)
      }
      let members = try FieldEditor(old, now: currentTime()).edited(edits)
      return try editing(old, to: members, knowing: former, lock)
    }
  }

  /// Writes the next revision of a record, if its members differ, and says which sealed values lost their place. The
  /// lock ends with it.
  func editing(
    _ old: OpenRecord, to members: JSONObject, knowing former: [FormerInput] = [], _ lock: any StoreLock
  ) throws(VaultError) -> EditEffect {
    let change = try replacement(of: old, by: members, knowing: former)
    if let change { try apply([change], lock, isLast: true) }
    return EditEffect(old, hasChanged: change != nil, members: members, keptCount: header.formerCount)
  }
}

/// The effect of edits on a record.
package struct EditEffect: Sendable {
  package let hasChanged: Bool
  /// Sealed fields that have another value now.
  package let replaced: [MemberPath]
  /// Sealed fields that are gone.
  package let removed: [MemberPath]
  /// Whether the vault keeps what these fields had.
  package let isKept: Bool

  init(_ old: OpenRecord, hasChanged: Bool, members: JSONObject, keptCount: Int) {
    let present = JSONValue.object(members)
    let lost = old.fields.tokens(absentFrom: members).map(\.0)
    replaced = lost.filter { (try? present.value(at: $0)) != nil }
    removed = lost.filter { (try? present.value(at: $0)) == nil }
    (self.hasChanged, isKept) = (hasChanged, keptCount > 0)
  }
}
