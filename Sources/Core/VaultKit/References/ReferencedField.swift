package import VaultCrypto
public import VaultDocument
internal import VaultRecords
internal import VaultSealing
internal import VaultTrust

/// The field that a reference means, read without a key.
public struct ReferencedField: Sendable {
  /// The resolved reference.
  public let reference: SecretReference
  /// The record that it means, not verified.
  public let record: StoredRecord
  /// The path in the present schema of the record's kind; nil if the view is of the whole record.
  public let path: MemberPath?
  /// The sealing time; nil for a readable value, and for a view of the whole record.
  public let sealedAt: Timestamp?

  /// Whether it is a text, as far as that can be seen without a key: sealed values are assumed to be text.
  public var isText: Bool {
    guard reference.view == nil, let path, let value = try? JSONValue.object(record.fields).value(at: path) else {
      return true
    }
    return value.string != nil
  }

  /// Whether the record has another name than the label of the reference.
  public var isMislabelled: Bool {
    reference.label.map { !$0.utf8.elementsEqual(record.name.utf8) } ?? false
  }
}

extension LockedVault {
  /// The record that a reference names: by its full id, or by the exact name of only one record.
  ///
  /// - Throws: `VaultError` `.noSuchRecord`, `.ambiguousRecord`, `.damaged`.
  public func record(of reference: SecretReference) async throws(VaultError) -> StoredRecord {
    if let id = RecordID(parsing: reference.record) { return try record(id) }
    let named = try await records(named: reference.record).filter {
      $0.name.utf8.elementsEqual(reference.record.utf8)
    }
    guard let first = named.first else { throw VaultError(.noSuchRecord, "no record has exactly this name") }
    guard named.count == 1 else {
      throw VaultError(.ambiguousRecord, "\(named.count) records have this name: name one by its id")
    }
    return try record(first.id)
  }

  /// The field that a reference means, and whether a program can be given it. It needs no key and verifies nothing.
  ///
  /// - Throws: `VaultError` like ``record(of:)``; `.noSuchMember`; `.inputRefused` if the value is not a text, number
  ///   or truth value, or does not have the view.
  public func field(of reference: SecretReference) async throws(VaultError) -> ReferencedField {
    let record = try await record(of: reference)
    guard let path = reference.path else {
      guard record.kind?.name == Database.kindName else {
        throw VaultError(.inputRefused, "view=url works only with the kind \(Database.kindName)", record: record.id)
      }
      return ReferencedField(reference: reference, record: record, path: nil, sealedAt: nil)
    }
    let place = record.kind?.pathInCurrentSchema(path) ?? path
    func refused(_ code: VaultError.Code, _ reason: String) -> VaultError {
      VaultError(code, reason, record: record.id, field: path.description)
    }
    guard let value = try? JSONValue.object(record.fields).value(at: place) else {
      throw refused(.noSuchMember, "the record has no such field")
    }
    var sealedAt: Timestamp?
    switch value {
    case .object, .array: throw refused(.inputRefused, "is a list or an object, but a program needs one text")
    case .null: throw refused(.inputRefused, "has no value")
    case .string(let text) where SealedToken.hasTokenShape(text):
      guard let token = try? SealedToken(parsing: text) else { throw refused(.damaged, "the sealed value is damaged") }
      sealedAt = token.sealedAt
    default: break
    }
    if reference.view == .otp, let schema = record.kind?.value(at: path), schema.secretSort != .otp {
      throw refused(.inputRefused, "has no key of one-time codes")
    }
    return ReferencedField(reference: reference, record: record, path: place, sealedAt: sealedAt)
  }
}

extension SecretBytes {
  fileprivate convenience init(copyingText text: String) throws(CryptoError) {
    try unsafe self.init(copying: Array(text.utf8).span.bytes)
  }
}

extension OpenRecord {
  private func text(at path: MemberPath) throws -> String {
    let value = try revealed(at: path)
    if case .string(let text) = value { return text }
    return String(decoding: try value.compactBytes(), as: UTF8.self)
  }

  /// The value that a reference to this record means, in locked memory. The caller has checked that the reference
  /// means this record (``SecretReference/requireName(of:)``).
  ///
  /// - Parameter time: the time for which a one-time code must be valid.
  package func value(of reference: SecretReference, at time: Timestamp = .now()) throws -> SecretBytes {
    guard let path = reference.path else {
      return try SecretBytes(copyingText: decoded(as: Database.self).connectionURL())
    }
    switch reference.view {
    case .otp?:
      let seed = try text(at: path)
      let code: String
      do throws(RecordError) {
        code = try OneTimeKey(parsing: seed).code(at: time.secondsSinceEpoch)
      } catch {
        throw VaultError(.inputRefused, error.reason, record: id, field: path.description)
      }
      return try SecretBytes(copyingText: code)
    default: return try secret(at: path)
    }
  }

  package var sealedPaths: [MemberPath] { fields.tokens.map(\.0) }

  /// The value of a field, in locked memory: text, bytes that were sealed as base64, or the sealed JSON.
  package func secret(at path: MemberPath) throws -> SecretBytes {
    if let opened = try opened(at: path) { return opened }
    return try SecretBytes(copyingText: text(at: path))
  }

  /// The one sealed value at a path, in locked memory, as bytes if the kind has bytes there. Nil if there is not
  /// exactly one sealed value.
  package func opened(at path: MemberPath) throws -> SecretBytes? {
    if let bytes = try bytes(at: path) { return bytes }
    return try withSecret(at: path) { bytes in try SecretBytes(copying: bytes) }
  }
}

extension SecretReference {
  /// Refuses a record with another name than in the reference, because the look-up was not verified.
  package func requireName(of record: OpenRecord) throws(VaultError) {
    guard self.record.utf8.elementsEqual(record.name.utf8) || RecordID(parsing: self.record) != nil else {
      throw VaultError(.changedUnderneath, "was renamed while it was being looked up", record: record.id)
    }
  }
}
