package import VaultDocument
package import VaultKit
package import VaultRecords
internal import VaultSealing
package import VaultStorage
package import VaultTrust

/// The check of one record file without a key.
package struct RecordLint: VisitedFile {
  package let id: RecordID
  package private(set) var findings: [VaultFault] = []
  /// Nil if the bytes are canonical, and if the file is not a record of this place.
  package private(set) var form: CanonicalForm?
  /// The unverified revision.
  package private(set) var revision: Int?
  /// Its unverified attachments.
  package private(set) var named = NamedAttachments.unreadable
  package var keys: AttachmentKeys? { nil }
  private let file: String

  /// Checks the file at once, and collects its faults. Errors that say nothing about the file are thrown.
  package init(
    _ bytes: Result<[UInt8], VaultError>, at place: StoreLocation, _ id: RecordID, _ kinds: KindCatalog
  ) throws(VaultError) {
    self.id = id
    file = place.relativePath
    do throws(VaultError) {
      try look(at: bytes.get(), place, kinds)
    } catch {
      findings.append(try VaultFault(error, file: file, record: id))
    }
    // A file that is not a record of this place may be one of another place.
    if !named.isReadable { named = NamedAttachments(in: bytes) }
  }

  private mutating func look(at bytes: [UInt8], _ place: StoreLocation, _ kinds: KindCatalog) throws(VaultError) {
    let document = try parseDocument(bytes, file: file)
    guard let record = try record(document, place: place, kinds: kinds) else { return }
    named = NamedAttachments(record.envelope)
    revision = record.envelope.revision
    form = try CanonicalForm(of: document, bytes, at: place, record: id)
    checkTokens(record.stored, record.envelope.former)
    checkAddresses(record)
    try checkKind(record)
  }

  /// The record of a document. Nil if its envelope contradicts its place, which is then a finding: such an error has
  /// no underlying cause.
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

  /// Adds at most one finding. The initialiser makes a thrown error a finding, too.
  private mutating func checkKind(_ record: StoredRecord) throws(VaultError) {
    // `migrate` seals the clear text of an older schema.
    guard let kind = record.kind, record.envelope.schema == kind.schema else { return }
    if let path = kind.clearTextPath(in: record.fields) {
      return add(.clearText, reason: "must be sealed, but it is clear text", path: path)
    }
    // A token that was already reported would also be a decoding error.
    guard findings.isEmpty else { return }
    do throws(RecordError) {
      try kind.validate(record.fields, in: .locked)
    } catch {
      throw VaultError(record: error, file: file, id: id, input: false)
    }
  }

  private mutating func checkAddresses(_ record: StoredRecord) {
    // In an unknown kind, only the tokens themselves tell which values are sealed.
    for (path, secret) in record.kind?.secretAddresses(in: record.fields) ?? [] {
      add(.readableSecret, reason: secret.reason, path: path)
    }
  }

  private mutating func checkTokens(_ fields: JSONObject, _ values: FormerValues) {
    let former = values.isEmpty ? [] : values.all
    var rules = TokenRules()
    // The place of a fault is searched only if there is a fault.
    let areGood =
      JSONValue.object(fields).allStrings { rules.faults(of: $0).isEmpty }
      && former.allSatisfy { rules.faults(of: $0.token, isFormer: true).isEmpty }
    guard !areGood else { return }
    rules = TokenRules()
    var paths: [String: MemberPath] = [:]
    let present = fields.tokens.map { (path: $0.0, text: $0.1, isFormer: false) }
    for (path, text, isFormer) in present + former.map({ (FormerValues.place(of: $0.path), $0.token, true) }) {
      for fault in rules.faults(of: text, isFormer: isFormer) {
        switch fault {
        case .damaged: add(.damagedToken, reason: "the sealed value is damaged", path: path)
        case .foreign:
          add(
            .foreignToken, reason: "was sealed for another record, or with another key, than the values before it",
            path: path)
        case .repeated: add(.repeatedToken, reason: "has the same sealed value as \(paths[text] ?? path)", path: path)
        }
      }
      paths[text] = path
    }
  }

  private mutating func add(_ code: VaultError.Code, reason: String, path: MemberPath) {
    findings.append(VaultFault(code, reason, file: file, record: id, field: path.description))
  }
}

/// The rules for the tokens of a record: they have the shape of a token, belong to one key, and occur once each. Former
/// values can stand at two paths after a merge.
private struct TokenRules {
  enum Fault {
    case damaged, foreign, repeated
  }

  private var hint: [UInt8]?
  // Tokens are ASCII, so equal strings are equal bytes.
  private var seen: Set<String> = []

  /// The faults of a string; empty if it is not a token.
  mutating func faults(of text: String, isFormer: Bool = false) -> [Fault] {
    guard SealedToken.hasTokenShape(text) else { return [] }
    guard let token = try? SealedToken(parsing: text) else { return [.damaged] }
    var faults: [Fault] = []
    if let hint, hint != token.hint { faults.append(.foreign) }
    hint = hint ?? token.hint
    if isFormer ? seen.contains(text) : !seen.insert(text).inserted { faults.append(.repeated) }
    return faults
  }
}

/// The canonical form of a document whose bytes differ from it.
package struct CanonicalForm: Sendable {
  package let record: RecordID?
  /// Replaces the present bytes by the canonical ones.
  package let change: StoreChange
  /// Whether the canonical bytes have the same meaning: the tree read from them has the same encoding `T` (format 1,
  /// section 1.2, Trees).
  package let keepsMeaning: Bool

  /// The text of the finding.
  package let reason = "is not in canonical form: white space, order of members or spelling differ"

  /// Nil if the bytes are canonical.
  package init?(
    of document: JSONValue, _ bytes: [UInt8], at place: StoreLocation, record: RecordID? = nil
  ) throws(VaultError) {
    do throws(DocumentError) {
      let canonical = try document.prettyBytes()
      guard canonical != bytes else { return nil }
      change = StoreChange(place, from: bytes, to: canonical)
      keepsMeaning = try JSONParser.parse(canonical).canonicalBytes() == document.canonicalBytes()
    } catch {
      throw VaultError(
        .damaged, "has no canonical form within the limits of a record: \(error.reason)", file: place.relativePath,
        record: record)
    }
    self.record = record
  }
}
