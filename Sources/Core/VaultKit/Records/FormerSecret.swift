package import VaultCrypto
public import VaultDocument
internal import VaultRecords
public import VaultSealing
internal import VaultStorage
public import VaultTrust

/// A sealed value that was replaced or removed: ``OpenRecord/formerSecrets(at:)``.
public struct FormerSecret: Sendable {
  /// The field in which it stood, as the version of that time named it.
  public let path: MemberPath
  /// When it was sealed, to the second.
  public let sealedAt: Timestamp
  /// The value, which is opened when it is used. Sealed JSON is its text.
  public let value: EncryptedCodableString
  let token: String
}

extension OpenRecord {
  /// The fields that have former values, in the form of the present schema.
  public var pathsWithFormerSecrets: [MemberPath] {
    envelope.former.fields(present).map(\.path)
  }

  /// The values that a field had before the present one, newest first.
  ///
  /// ```swift
  /// let before = try await vault.record(id).formerSecrets(at: MemberPath(parsing: "password")).first
  /// ```
  ///
  /// - Throws: ``VaultError`` `.damaged` if a value is not one of this record.
  public func formerSecrets(at path: MemberPath) throws(VaultError) -> [FormerSecret] {
    let context = verified.contextOpeningOnDemand(onReveal: onReveal)
    return try inSealing(file: file, record: id) { () throws(SealingError) in
      let values = envelope.former.fields(present).first { $0.path == present(path) }?.values ?? []
      var found: [FormerSecret] = []
      for (place, token) in values {
        let sealed = try SealedToken(parsing: token)
        found.append(
          FormerSecret(
            path: place, sealedAt: sealed.sealedAt, value: try EncryptedCodableString(reading: token, in: context),
            token: token))
      }
      return found
    }
  }

  /// A former value in locked memory: text, bytes that were sealed as base64, or the sealed JSON.
  package func secret(_ former: FormerSecret) throws -> SecretBytes {
    try withOpened(former.token, at: former.path) { text in
      guard kind?.value(at: former.path)?.isBytes == true else { return try SecretBytes(copying: text) }
      // A value from before the field had bytes need not be base64.
      return try SecretBytes.decoding(base64: text) ?? SecretBytes(copying: text)
    }
  }

  private func present(_ path: MemberPath) -> MemberPath { kind?.pathInCurrentSchema(path) ?? path }
}

extension Vault {
  /// Brings a former value of a field back. The value that it replaces becomes a former one in turn.
  ///
  /// - Parameter secret: a former value of the record, from ``OpenRecord/formerSecrets(at:)``.
  /// - Returns: whether anything changed.
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.changedUnderneath` if the record does not have the value any more,
  ///   `.inputRefused` if the kind does not accept it any more, and like ``edit(_:_:expecting:)``.
  @discardableResult
  public func restore(_ secret: FormerSecret, of id: RecordID) async throws(VaultError) -> Bool {
    try await restoreFormer(secret, of: id).hasChanged
  }

  /// Like ``restore(_:of:)``, and says which value lost its place.
  package func restoreFormer(_ secret: FormerSecret, of id: RecordID) async throws(VaultError) -> EditEffect {
    try await writing { lock throws(VaultError) in
      let old = try verifiedRecord(id)
      guard old.envelope.former.all.contains(where: { sameBytes($0.token, secret.token) }) else {
        throw .changedMeanwhile(old)
      }
      let members = try FieldEditor(old, now: currentTime()).restoring(secret, at: secret.path)
      return try editing(old, to: members, lock)
    }
  }

  /// Drops former values of a field, or of the whole record, for good.
  ///
  /// - Returns: how many were dropped; with 0 nothing is written.
  /// - Throws: ``VaultError`` like ``edit(_:_:expecting:)``.
  @discardableResult
  public func forgetFormer(at path: MemberPath? = nil, of id: RecordID) async throws(VaultError) -> Int {
    try await writing { lock throws(VaultError) in
      let old = try verifiedRecord(id)
      var draft = EnvelopeDraft(next: old.verified, now: currentTime())
      let paths = try path.map { path throws(VaultError) in try old.formerSecrets(at: path).map(\.path) }
      for path in paths ?? old.envelope.former.paths { draft.former.forget(path) }
      let dropped = old.envelope.former.all.count - draft.former.all.count
      guard dropped > 0 else { return 0 }
      let bytes = try sealedBytes(old.stored, draft: draft, keys: old.verified.keys, in: .record(id))
      try apply([StoreChange(.record(id), from: old.bytes, to: bytes)], lock, isLast: true)
      return dropped
    }
  }
}

extension OpenRecord {
  /// One former value of a field, 1 being the newest.
  ///
  /// - Throws: ``VaultError`` `.noSuchMember`, `.damaged`.
  public func formerSecret(_ number: Int, at path: MemberPath) throws(VaultError) -> FormerSecret {
    let secrets = try formerSecrets(at: path)
    guard secrets.indices.contains(number - 1) else {
      let count = secrets.isEmpty ? "no former value" : "\(secrets.count) former value\(secrets.count == 1 ? "" : "s")"
      throw VaultError(.noSuchMember, "has \(count)", record: id, field: path.description)
    }
    return secrets[number - 1]
  }
}
