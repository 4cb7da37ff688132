internal import VaultCrypto
internal import VaultDocument

/// Collects one record leaf by leaf, with a ledger line for each.
///
/// Every importer goes through it, so that what an empty text, a repeated name or a second value for the same member
/// means is decided in one place.
struct RecordBuilder {
  /// Where a leaf goes.
  enum Destination: Hashable {
    /// Into a text member of the kind; a second value becomes a secret under the name of its source.
    case member(String)
    /// Behind what a text list of the kind holds already.
    case list(String)
    /// Readable, under `fields`.
    case field(String)
    /// Sealed, under `secrets`.
    case secret(String)
    case tag
  }

  let format: String
  let place: SourcePlace
  /// Nil until something has decided it.
  var kind: String?
  /// The id that the tool itself gives the entry.
  var toolID: String?
  private(set) var lines: [LedgerLine] = []
  private var texts: [String: String] = [:]
  private var lists: [String: [String]] = [:]
  private var fields: [String: String] = [:]
  private var secrets: [String: String] = [:]

  init(format: String, place: SourcePlace, kind: String? = nil) {
    self.format = format
    self.place = place
    self.kind = kind
  }

  /// Whether a text member has a value.
  func has(_ member: String) -> Bool { texts[member] != nil }

  /// Puts a leaf somewhere and writes its line; `converted` when the text is not as the source has it.
  mutating func put(_ text: String, _ destination: Destination, from place: SourcePlace, converted: Bool = false) {
    guard !text.isEmpty else { return note(place, .empty) }
    let outcome = store(text, destination, name: place.path)
    if converted, case .stored(let path) = outcome { return note(place, .mapped(to: path)) }
    note(place, outcome)
  }

  /// Puts something somewhere without a line: a part of a leaf, or what is known without one.
  mutating func add(_ text: String, _ destination: Destination, named name: String = "") {
    if !text.isEmpty { _ = store(text, destination, name: name) }
  }

  /// Writes the line of a leaf that is not put anywhere by itself.
  mutating func note(_ place: SourcePlace, _ outcome: LedgerLine.Outcome) { lines.append(LedgerLine(place, outcome)) }

  private mutating func store(_ text: String, _ destination: Destination, name: String) -> LedgerLine.Outcome {
    switch destination {
    case .member(let member):
      guard let old = texts[member] else {
        texts[member] = text
        return .stored(at: member)
      }
      return old.utf8.elementsEqual(text.utf8)
        ? .stored(at: member) : .custom(at: Self.insert(text, name.isEmpty ? member : name, &secrets, "secrets"))
    case .list(let member):
      // `==` takes canonically equivalent texts for the same; here bytes count.
      if lists[member]?.contains(where: { $0.utf8.elementsEqual(text.utf8) }) != true {
        lists[member, default: []].append(text)
      }
      return .stored(at: member)
    case .field(let name): return .custom(at: Self.insert(text, name, &fields, "fields"))
    case .secret(let name): return .custom(at: Self.insert(text, name, &secrets, "secrets"))
    case .tag:
      _ = store(text, .list("tags"), name: name)
      return .tagged
    }
  }

  /// Inserts under the name, or the name with the next free number, and says at which path.
  private static func insert(
    _ text: String, _ name: String, _ map: inout [String: String], _ parent: String
  ) -> String {
    var free = name
    var number = 1
    while let old = map[free], !(number == 1 && old.utf8.elementsEqual(text.utf8)) {
      number += 1
      free = "\(name) \(number)"
    }
    if map[free] == nil { map[free] = text }
    return MemberPath([.member(parent), .member(free)]).description
  }
}

extension RecordBuilder {
  /// The record, of a kind that its content may decide.
  ///
  /// - Throws: ``ExchangeError`` `.reading` when no hash could be computed.
  func record(kind fallback: String) throws(ExchangeError) -> ImportedRecord {
    let kind = kind ?? fallback
    var pairs = texts.map { ($0.key, JSONValue.string($0.value)) }
    pairs += lists.map { ($0.key, JSONValue.array($0.value.map(JSONValue.string))) }
    if !fields.isEmpty { pairs.append(("fields", .object(try Self.object(fields.map { ($0, .string($1)) })))) }
    if !secrets.isEmpty { pairs.append(("secrets", .object(try Self.object(secrets.map { ($0, .string($1)) })))) }
    return ImportedRecord(
      place: place, kind: kind, members: try Self.object(pairs), externalID: try externalID(kind: kind), lines: lines)
  }

  /// The tool's own id, else a hash of what a reader of the vault can see anyway.
  private func externalID(kind: String) throws(ExchangeError) -> String {
    if let toolID { return "\(format):\(toolID)" }
    let parts = [kind, texts["title"] ?? "", texts["username"] ?? ""] + (lists["urls"] ?? [])
    let named = Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)
    do throws(CryptoError) {
      let hash = try SHA256.hash(RawSpan(_elements: named.span))
      return "\(format):\(Hex.encode(Array(hash.prefix(16))))"
    } catch {
      throw ExchangeError(.reading, "a hash could not be computed", underlying: error)
    }
  }

  private static func object(_ pairs: [(String, JSONValue)]) throws(ExchangeError) -> JSONObject {
    do throws(DocumentError) {
      return try JSONObject(pairs)
    } catch {
      throw ExchangeError(.malformed, "two names in one entry cannot be told apart", underlying: error)
    }
  }
}
