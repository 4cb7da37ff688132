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
    try await writing { lock throws(VaultError) in
      let old = try verifiedRecord(id)
      if let expected, expected.bytes != old.bytes {
        throw .changedMeanwhile(old)
      }
      return try replace(old, with: FieldEditor(old, now: currentTime()).edited(edits), lock)
    }
  }
}
