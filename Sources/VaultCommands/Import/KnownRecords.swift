import VaultCrypto
import VaultDocument
import VaultExchange
import VaultKit
import VaultRecords

/// The records of a vault that came from one format, by their external ids; small, since there may be very many.
struct KnownRecords {
  private struct Key: Hashable {
    let bytes: (UInt64, UInt64)

    init(_ text: String) throws(CryptoError) {
      let text = Array(text.utf8)
      let hash = try unsafe SHA256.hash(text.span.bytes)
      func word(_ start: Int) -> UInt64 { hash[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
      bytes = (word(0), word(8))
    }

    static func == (one: Key, other: Key) -> Bool { one.bytes == other.bytes }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes.0) }
  }

  private var records: [Key: RecordID] = [:]
  private var seen: Set<Key> = []

  init(of vault: Vault, from idPrefix: String) async throws {
    let prefix = Array("\(idPrefix):".utf8)
    var records: [Key: RecordID] = [:]
    try await vault.forEachOpenRecord { record throws(VaultError) in
      guard let kind = record.kind else { return }
      guard let path = ExternalID.path(in: kind), (try? record.value(at: path)) != nil,
        let id = try record.revealed(at: path).string, id.utf8.starts(with: prefix), let key = try? Key(id)
      else { return }
      records[key] = records[key] ?? record.id
    }
    self.records = records
  }

  /// The id of an entry that is not yet taken by an earlier one of the same file: the second has `#2` behind it.
  mutating func distinct(_ externalID: String) throws -> String {
    var id = externalID
    var number = 1
    while !seen.insert(try Key(id)).inserted {
      number += 1
      id = "\(externalID)#\(number)"
    }
    return id
  }

  /// Those that no entry of the file was, in the order of their ids.
  var vanished: [RecordID] { records.filter { !seen.contains($0.key) }.map(\.value).sorted() }

  subscript(_ externalID: String) -> RecordID? { (try? Key(externalID)).flatMap { records[$0] } }
}
