import VaultCrypto
import VaultDocument
import VaultExchange
import VaultKit
import VaultRecords

/// The records of a vault that came from one format, by external id. Compact, because there may be very many.
struct KnownRecords {
  private struct Key: Hashable {
    let bytes: (UInt64, UInt64)

    init(_ text: String) throws(CryptoError) {
      let text = Array(text.utf8)
      let hash = try unsafe SHA256.hash(text.span.bytes)
      func word(_ start: Int) -> UInt64 { hash[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
      bytes = (word(0), word(8))
    }

    package static func == (one: Key, other: Key) -> Bool { one.bytes == other.bytes }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes.0) }
  }

  private var records: [Key: RecordID] = [:]
  /// Records of other files without an id. Only their content identifies them.
  private var others: [RecordID] = []
  /// How many entries of the file had a name.
  private var counts: [Key: Int] = [:]
  private var seen: Set<Key> = []
  /// The keys of removed records, as far as they are readable without a key.
  private var removed: Set<Key> = []
  /// Records that were matched to an entry without a certain name.
  private var matched: Set<RecordID> = []
  /// The records by content, computed on demand.
  private var contents: [Key: RecordID]?
  /// The id of entries that only the file identifies; nil if the file has no name.
  private var fileID: String?
  /// The beginning of titles that an import makes from the place of an entry.
  private var placeTitle: String

  /// The prefixes of external ids in the format, and of those of its files.
  private var prefixes: (format: [UInt8], files: String)
  /// All records that were read, of any format.
  private var looked: Set<RecordID> = []

  init(of vault: Vault, from idPrefix: String, file identity: String?) async throws {
    fileID = try identity.map { try ExternalID.ofFile($0, from: idPrefix) }
    placeTitle = "\(idPrefix), "
    prefixes = (Array("\(idPrefix):".utf8), ExternalID.ofFiles(from: idPrefix))
    var found = self
    try await vault.forEachOpenRecord { record throws(VaultError) in try found.look(at: record) }
    self = found
    let prefix = prefixes.format
    var removed: Set<Key> = []
    try vault.locked.forEachTrashedRecord { record in
      guard let id = record.fields["fields"]?[ExternalID.fieldName]?.string, id.utf8.starts(with: prefix),
        let key = try? Key(id)
      else { return }
      removed.insert(key)
    }
    self.removed = removed
  }

  private mutating func look(at record: OpenRecord) throws(VaultError) {
    looked.insert(record.id)
    guard let kind = record.kind, let path = ExternalID.path(in: kind), (try? record.value(at: path)) != nil,
      let id = try record.revealed(at: path).string, id.utf8.starts(with: prefixes.format), let key = try? Key(id)
    else { return }
    if id.hasPrefix(prefixes.files), fileID.map({ !id.hasPrefix($0) }) ?? true {
      others.append(record.id)
    } else {
      records[key] = records[key] ?? record.id
    }
  }

  /// Reads the records that others have added since. Returns whether there are any.
  mutating func lookAgain(in vault: Vault) async throws -> Bool {
    let new = try vault.locked.recordIDs().filter { !looked.contains($0) }
    for id in new { try look(at: await vault.record(id)) }
    if !new.isEmpty { contents = nil }
    return !new.isEmpty
  }

  /// Whether a removed record came from this entry.
  func isRemoved(_ externalID: String) -> Bool { (try? Key(externalID)).map(removed.contains) ?? false }

  /// The name of an entry. The second entry of a name has `#2` at its end.
  mutating func name(of record: ImportedRecord) throws -> EntryName {
    let base = record.isWholeFile ? fileID : record.externalID ?? fileID.map { "\($0):\(record.place)" }
    let isSure = record.isWholeFile ? fileID != nil : record.externalID != nil
    guard let base else { return EntryName(base: nil, number: 1, isSure: false) }
    let number = counts[try Key(base), default: 0] + 1
    counts[try Key(base)] = number
    let name = EntryName(base: base, number: number, isSure: isSure)
    if let id = name.id { seen.insert(try Key(id)) }
    return name
  }

  /// Whether a name identifies a record: it is unique in the file and in the vault.
  func isUnique(_ name: EntryName) -> Bool {
    guard name.isSure, let base = name.base, let key = try? Key(base) else { return false }
    return counts[key] == 1 && self["\(base)#2"] == nil
  }

  /// Whether a record from such a file has exactly this content.
  mutating func match(_ members: JSONObject, _ kind: RecordKind, in vault: Vault) async throws -> Bool {
    if contents == nil {
      var found: [Key: RecordID] = [:]
      for id in records.values.sorted() + others {
        let record = try await vault.record(id)
        guard let kind = record.kind else { continue }
        found[try content(record.revealed(), kind)] = id
      }
      contents = found
    }
    guard let id = contents?[try content(members, kind)] else { return false }
    matched.insert(id)
    return true
  }

  private func content(_ members: JSONObject, _ kind: RecordKind) throws -> Key {
    var members = ExternalID.removed(from: members, of: kind)
    // The place is not part of the content, because the entry may have moved.
    if let title = members["title"]?.string, title.utf8.starts(with: placeTitle.utf8) { members["title"] = nil }
    let text = try JSONValue.object(members).compactBytes(limits: .exchange)
    return try Key(kind.name + String(decoding: text, as: UTF8.self))
  }

  /// The records without an entry, in the order of their ids.
  var vanished: [RecordID] {
    records.filter { !seen.contains($0.key) && !matched.contains($0.value) }.map(\.value).sorted()
  }

  subscript(_ externalID: String) -> RecordID? { (try? Key(externalID)).flatMap { records[$0] } }
}

struct EntryName {
  /// Nil if nothing identifies the entry or its file.
  let base: String?
  /// From 1; entries of the same name are counted.
  let number: Int
  /// Whether the name belongs to the entry, rather than to its place in the file.
  let isSure: Bool

  var id: String? { base.map { number == 1 ? $0 : "\($0)#\(number)" } }
}
