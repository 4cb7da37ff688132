public import VaultCrypto
public import VaultDocument
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

  /// Gives a readable member a value.
  public static func set(_ path: MemberPath, to value: JSONValue) -> FieldEdit {
    FieldEdit(path: path, change: .readable(value))
  }

  /// Gives a sealed member a value of UTF-8 bytes.
  public static func seal(_ path: MemberPath, _ secret: SecretBytes) -> FieldEdit {
    FieldEdit(path: path, change: .secret(secret))
  }

  /// Takes a member away.
  public static func unset(_ path: MemberPath) -> FieldEdit { FieldEdit(path: path, change: .removal) }
}

extension Vault {
  /// Changes single members of a record and touches nothing else in it.
  ///
  /// - Parameter expected: the record that the edits were made from; nil takes it as it is now.
  /// - Returns: whether anything changed; nothing is written otherwise.
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.noSuchMember`, `.usage`, `.inputRefused`, `.changedUnderneath` when
  ///   the record is no longer the expected one, `.damaged`, and as ``add(_:)``.
  @discardableResult
  public func edit(
    _ id: RecordID, _ edits: [FieldEdit], expecting expected: OpenRecord? = nil
  ) async throws(VaultError) -> Bool {
    try await writing { lock throws(VaultError) in
      let old = try verifiedRecord(id)
      if let expected, expected.bytes != old.bytes {
        throw .changedMeanwhile(old)
      }
      return try replace(old, with: FieldEditor(old, now: currentTime()).edited(edits), lock)
    }
  }
}
