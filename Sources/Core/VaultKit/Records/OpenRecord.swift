package import VaultCrypto
public import VaultDocument
public import VaultRecords
public import VaultSealing
internal import VaultTrust

/// A verified record, with the keys to open its sealed fields.
public struct OpenRecord: Sendable {
  package let verified: VerifiedRecord
  /// The exact bytes of the verified file.
  package let bytes: [UInt8]
  package let file: String
  /// The kind of the record; nil if this program does not know it.
  public let kind: RecordKind?
  /// The record's own members, sealed fields as tokens. A record of an older schema has the form of the present one.
  public let fields: JSONObject

  /// Whether ``fields`` have the form of the present schema; steps that do not fit an older record are not damage.
  let fitsKind: Bool

  /// Whether an obsolete older revision lies in the trash (format 1, section 6, Records).
  public internal(set) var hasOlderInTrash = false
  /// Called when a sealed value is opened for a caller who asked for its text.
  let onReveal: (@Sendable () -> Void)?

  init(
    verified: VerifiedRecord, bytes: [UInt8], file: String, kind: RecordKind?, onReveal: (@Sendable () -> Void)? = nil
  ) {
    self.onReveal = onReveal
    self.verified = verified
    self.bytes = bytes
    self.file = file
    self.kind = kind
    let migrated = kind.flatMap { RecordMigration.readable(verified, $0) }
    (fields, fitsKind) = (migrated ?? verified.fields, kind == nil || migrated != nil)
  }

  /// Its `$vault` member: id, kind, schema, revision and times.
  public var envelope: RecordEnvelope { verified.envelope }
  /// The id of the record.
  public var id: RecordID { verified.envelope.id }
  /// The record's own members in the form of the file.
  package var stored: JSONObject { verified.fields }
  /// The name of the record in lists.
  public var name: String { RecordTitle.of(fields, kind) }

  /// Decodes the record as its type. Sealed members keep their tokens until they are used.
  ///
  /// - Throws: ``VaultError`` `.unknownKind` for a record of another kind, `.damaged`.
  public func decoded<Record: VaultRecord>(as type: Record.Type) throws(VaultError) -> Record {
    guard envelope.kind.utf8.elementsEqual(type.kindName.utf8) else {
      throw VaultError(.unknownKind, "is not of the kind \(type.kindName)", file: file, record: id)
    }
    do throws(RecordError) {
      // A member that a migration will open is already text for the type.
      let members = try kind.map { kind throws(RecordError) in try RecordMigration.typed(verified, kind) } ?? fields
      return try type.decoded(from: members, in: verified.contextOpeningOnDemand(onReveal: onReveal))
    } catch {
      throw VaultError(record: error, file: file, id: id, input: false)
    }
  }

  /// The record's own members with every sealed field opened, in ordinary memory.
  ///
  /// - Throws: ``VaultError`` `.damaged` if a field does not open.
  public func revealed() throws(VaultError) -> JSONObject {
    guard case .object(let members) = try revealed(at: .root) else { return JSONObject() }
    return members
  }

  /// The value at a path with every sealed field in it opened, as text or as the sealed JSON.
  ///
  /// - Throws: ``VaultError`` `.noSuchMember`, `.damaged`.
  public func revealed(at path: MemberPath) throws(VaultError) -> JSONValue {
    let base = kind?.pathInCurrentSchema(path) ?? path
    var value = try value(at: path)
    var documents: [(path: MemberPath, value: JSONValue)] = []
    var hasOpened = false
    try value.mapStrings { path, text throws(VaultError) in
      guard SealedToken.hasTokenShape(text) else { return text }
      let place = base.components.isEmpty ? path : MemberPath(base.components + path.components)
      do throws(SealingError) {
        let opened = try verified.keys.reveal(text)
        hasOpened = true
        if kind?.sealsJSON(at: place) == true { documents.append((path, try Self.document(opened))) }
        return opened
      } catch {
        throw VaultError(sealing: error.at(place.description), file: file, record: id)
      }
    }
    if hasOpened { onReveal?() }
    for document in documents { try put(document.value, at: document.path, into: &value) }
    return value
  }

  private static func document(_ text: String) throws(SealingError) -> JSONValue {
    guard let value = try? JSONParser.parse(Array(text.utf8)) else {
      throw SealingError(.malformedPlaintext, "the opened value is not the expected JSON")
    }
    return value
  }

  private func put(_ document: JSONValue, at path: MemberPath, into value: inout JSONValue) throws(VaultError) {
    guard !path.components.isEmpty else { return value = document }
    do throws(DocumentError) {
      try value.set(document, at: path)
    } catch {
      throw VaultError(.damaged, error.reason, file: file, record: id, field: path.description)
    }
  }

  /// The value at a path, sealed fields as tokens.
  ///
  /// - Throws: ``VaultError`` `.noSuchMember`.
  public func value(at path: MemberPath) throws(VaultError) -> JSONValue {
    do throws(DocumentError) {
      return try JSONValue.object(fields).value(at: kind?.pathInCurrentSchema(path) ?? path)
    } catch {
      throw VaultError(.noSuchMember, "the record has no such field", record: id, field: path.description)
    }
  }

  /// Opens the sealed text at a path and lends its UTF-8 bytes to `body`; nil if the member is not sealed, or not text.
  ///
  /// - Throws: ``VaultError`` `.noSuchMember`, `.damaged`, and the errors of `body`.
  public func withSecret<Result>(at path: MemberPath, _ body: (RawSpan) throws -> Result) throws -> Result? {
    guard case .string(let text) = try value(at: path), SealedToken.hasTokenShape(text) else { return nil }
    if kind?.sealsJSON(at: path) == true { return nil }
    return try withOpened(text, at: path, body)
  }

  /// The bytes of sealed base64 at a path; nil if the kind has no bytes there, or the value is not sealed.
  package func bytes(at path: MemberPath) throws -> SecretBytes? {
    guard kind?.value(at: path)?.isBytes == true else { return nil }
    return try withSecret(at: path) { text in
      let bytes = try inCrypto { () throws(CryptoError) in try SecretBytes.decoding(base64: text) }
      guard let bytes else {
        throw VaultError(.damaged, "the opened value is not base64", file: file, record: id, field: path.description)
      }
      return bytes
    }
  }

  /// Lends the opened text of a token to `body`, after the callback was told.
  func withOpened<Result>(
    _ token: String, at path: MemberPath, _ body: (RawSpan) throws -> Result
  ) throws -> Result {
    do {
      return try verified.keys.withRevealed(token) { bytes in
        onReveal?()
        return try body(bytes)
      }
    } catch let error as SealingError {
      throw VaultError(sealing: error.at(path.description), file: file, record: id)
    }
  }

  /// Checks that every sealed field and every former value opens, that sealed JSON is JSON, and that a record of a type
  /// of this program decodes.
  ///
  /// - Returns: the fault of the first sealed JSON value that does not fit a declared kind.
  @discardableResult
  package func check() throws(VaultError) -> RecordError? {
    let kind = isOfKnownSchema ? kind : nil
    var misfit: RecordError?
    for (path, token) in envelope.former.all {
      do throws(SealingError) { try verified.keys.checkOpens(token) } catch {
        throw VaultError(sealing: error.at(FormerValues.place(of: path).description), file: file, record: id)
      }
    }
    try JSONValue.object(fields).forEachString { path, text throws(VaultError) in
      guard SealedToken.hasTokenShape(text) else { return }
      do throws(SealingError) {
        guard path.isInExtra || kind?.sealsJSON(at: path) == true else { return try verified.keys.checkOpens(text) }
        let value = try Self.document(verified.keys.reveal(text))
        if misfit == nil, isOfDeclaredSchema, let reason = kind?.fault(ofSealed: value, at: path) {
          misfit = RecordError(.invalidValue, "the opened value \(reason)", path: path.description)
        }
      } catch {
        throw VaultError(sealing: error.at(path.description), file: file, record: id)
      }
    }
    guard let kind, case .type = kind.origin else { return misfit }
    do throws(RecordError) {
      try kind.validate(fields, in: verified.context())
    } catch {
      throw VaultError(record: error, file: file, id: id, input: false)
    }
    return misfit
  }

  /// Whether ``check()`` finds the record intact, regardless of a declared kind's rules for its values.
  package var opens: Bool {
    do throws(VaultError) {
      try check()
      return true
    } catch {
      return false
    }
  }

  /// Whether the members have a schema of the kind that this program knows.
  private var isOfKnownSchema: Bool { fitsKind && envelope.schema <= (kind?.schema ?? 0) }

  /// Whether the record has the present schema of a kind that the vault declares.
  private var isOfDeclaredSchema: Bool {
    guard let kind, fitsKind, envelope.schema == kind.schema, case .declared = kind.origin else { return false }
    return true
  }

  /// The fault of the first readable member that does not fit a declared kind, in a record of the kind's own schema.
  ///
  /// Such a record is authentic: its kind was changed since, or another program wrote it.
  package var misfit: RecordError? { isOfDeclaredSchema ? kind?.faults(in: fields).first : nil }
}

extension MemberPath {
  /// Whether it leads into the member for values that a kind does not know, each sealed as JSON.
  fileprivate var isInExtra: Bool { components.first == .member(RecordKind.extraMember) && components.count > 1 }
}

extension RecordVersion {
  package init(_ record: OpenRecord) {
    self.init(id: record.id, revision: record.envelope.revision, mac: record.envelope.mac)
  }
}
