internal import VaultDocument
internal import VaultKit
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// What can be said of one record file without a key.
struct RecordLint: VisitedFile {
  private let id: RecordID
  private(set) var findings: [VaultFault] = []
  /// Nil when the bytes are canonical, and when the file is no record of this place.
  private(set) var form: CanonicalForm?
  /// The revision that it says it has.
  private(set) var revision: Int?
  /// What is attached to it by what it says.
  private(set) var named = NamedAttachments.unreadable
  var keys: AttachmentKeys? { nil }
  private let file: String

  init(
    _ bytes: Result<[UInt8], VaultError>, at place: StoreLocation, _ id: RecordID, _ kinds: KindCatalog
  ) throws(VaultError) {
    self.id = id
    file = place.relativePath
    do throws(VaultError) {
      try look(at: bytes.get(), place, kinds)
    } catch {
      findings.append(try VaultFault(error, file: file, record: id))
    }
    // What is no record of this place may be one of another.
    if !named.isReadable { named = NamedAttachments(in: bytes) }
  }

  private mutating func look(at bytes: [UInt8], _ place: StoreLocation, _ kinds: KindCatalog) throws(VaultError) {
    let document = try parseDocument(bytes, file: file)
    guard let record = try record(document, place: place, kinds: kinds) else { return }
    named = NamedAttachments(record.envelope)
    revision = record.envelope.revision
    form = try CanonicalForm(of: document, bytes, at: place, record: id)
    checkTokens(record.stored)
    checkAddresses(record)
    try checkKind(record)
  }

  /// What the envelope says against the place has no cause below that would tell the code.
  private mutating func record(
    _ document: JSONValue, place: StoreLocation, kinds: KindCatalog
  ) throws(VaultError) -> StoredRecord? {
    do throws(VaultError) {
      return try StoredRecord(document, file: file, id: id, kinds: kinds, isTrashed: place == .trash(id))
    } catch {
      guard error.code == .damaged, error.underlying == nil else { throw error }
      let code: VaultError.Code = (try? RecordEnvelope(of: document))?.id == id ? .wrongPlace : .misplaced
      findings.append(VaultFault(code, error.reason, file: file, record: id))
      return nil
    }
  }

  private mutating func checkKind(_ record: StoredRecord) throws(VaultError) {
    // What an older schema has in clear, `migrate` seals.
    guard let kind = record.kind, record.envelope.schema == kind.schema else { return }
    if let path = kind.clearTextPath(in: record.fields) {
      return add(.clearText, reason: "holds clear text where a sealed value belongs", path: path)
    }
    // A token that was named already would be an error of decoding, too.
    guard findings.isEmpty else { return }
    do throws(RecordError) {
      try kind.validate(record.fields, in: .locked)
    } catch {
      throw VaultError(record: error, file: file, id: id, input: false)
    }
  }

  private mutating func checkAddresses(_ record: StoredRecord) {
    // Of a kind that is not known, nothing says what is sealed but the tokens themselves.
    for (path, secret) in record.kind?.secretAddresses(in: record.fields) ?? [] {
      add(.readableSecret, reason: secret.reason, path: path)
    }
  }

  private mutating func checkTokens(_ fields: JSONObject) {
    let tree = JSONValue.object(fields)
    var rules = TokenRules()
    // Where something is wrong is looked up when something is.
    guard !tree.allStrings(satisfy: { rules.faults(of: $0).isEmpty }) else { return }
    rules = TokenRules()
    var paths: [String: MemberPath] = [:]
    tree.forEachString { path, text in
      for fault in rules.faults(of: text) {
        switch fault {
        case .damaged: add(.damagedToken, reason: "the sealed value is damaged", path: path)
        case .foreign:
          add(
            .foreignToken, reason: "was sealed for another record, or with another key, than the values before it",
            path: path)
        case .repeated: add(.repeatedToken, reason: "holds the same sealed value as \(paths[text] ?? path)", path: path)
        }
      }
      paths[text] = path
    }
  }

  private mutating func add(_ code: VaultError.Code, reason: String, path: MemberPath) {
    findings.append(VaultFault(code, reason, file: file, record: id, field: path.description))
  }
}

/// What can be said of the tokens of a record one after the other: they have the shape of one, belong to one key, and
/// stand once each.
private struct TokenRules {
  enum Fault {
    case damaged, foreign, repeated
  }

  private var hint: [UInt8]?
  // Tokens are ASCII, so equal strings are equal bytes.
  private var seen: Set<String> = []

  /// What is wrong with a string; nothing where it is no token.
  mutating func faults(of text: String) -> [Fault] {
    guard SealedToken.hasTokenShape(text) else { return [] }
    guard let token = try? SealedToken(parsing: text) else { return [.damaged] }
    var faults: [Fault] = []
    if let hint, hint != token.hint { faults.append(.foreign) }
    hint = hint ?? token.hint
    if !seen.insert(text).inserted { faults.append(.repeated) }
    return faults
  }
}

/// What this program writes of a document whose bytes are others.
struct CanonicalForm: Sendable {
  let record: RecordID?
  /// Puts the canonical bytes in place of those that are there.
  let change: StoreChange
  /// Whether the canonical bytes say the same: the tree they are read as has the same encoding `T` (format 1, section
  /// 1.2, Trees).
  let keepsMeaning: Bool

  /// What a finding says.
  let reason = "differs from the canonical form in white space, order of members or spelling"

  /// Nil when the bytes are canonical.
  init?(
    of document: JSONValue, _ bytes: [UInt8], at place: StoreLocation, record: RecordID? = nil
  ) throws(VaultError) {
    do throws(DocumentError) {
      let canonical = try document.prettyBytes()
      guard canonical != bytes else { return nil }
      change = StoreChange(place, from: bytes, to: canonical)
      keepsMeaning = try JSONParser.parse(canonical).canonicalBytes() == document.canonicalBytes()
    } catch {
      throw VaultError(
        .damaged, "has no canonical form within the limits: \(error.reason)", file: place.relativePath,
        record: record)
    }
    self.record = record
  }
}
