import VaultAgent
import VaultCrypto
package import VaultDocument

package struct GivenKey {
  package let vault: VaultID
  package let record: RecordID
  package let socket: String
  /// `TYPE BASE64`.
  package let publicKey: String
  /// The end in seconds since 1970; nil for no end.
  package let end: Int?

  package init(vault: VaultID, record: RecordID, socket: String, publicKey: String, end: Int?) {
    (self.vault, self.record, self.socket, self.publicKey, self.end) = (vault, record, socket, publicKey, end)
  }
}

/// The keys that ssh-agents have from this program. Their public parts are noted, so taking a key back needs no key of
/// the vault.
package enum GivenKeys {
  package static func note(_ key: GivenKey) throws {
    let place = try AgentLocation.requiredPlace()
    // Two records may have the same key.
    let named = "\(key.record.text)\0\(key.socket)\0\(key.publicKey)"
    let name = try unsafe SHA256.hash(Array(named.utf8).span.bytes)
    try place.leave(
      JSONObject([
        ("end", key.end.map { .number(JSONNumber($0)) } ?? .null), ("key", .string(key.publicKey)),
        ("record", .string(key.record.text)), ("socket", .string(key.socket)),
      ]), for: key.vault, named: Hex.encode(name))
  }

  /// Removes keys from their agents. A key that its agent does not show stays noted until its time is over.
  package static func takeBack(_ isMeant: (GivenKey) -> Bool) throws -> [GivenKey] {
    guard let place = AgentLocation.place else { return [] }
    var taken: [GivenKey] = []
    for note in try place.notes() {
      guard let key = GivenKey(note) else {
        place.drop(note)
        continue
      }
      guard isMeant(key) else { continue }
      let removal = try SSHAgent(socket: key.socket).remove(key.publicKey)
      if removal == .removed { taken.append(key) }
      if removal != .notShown || key.isOver { place.drop(note) }
    }
    return taken
  }

  package static func count(_ keys: [GivenKey]) -> String { keys.count == 1 ? "1 key" : "\(keys.count) keys" }
}

extension GivenKey {
  fileprivate var isOver: Bool { end.map { $0 < Timestamp.now().secondsSinceEpoch } ?? false }

  fileprivate init?(_ note: AgentNote) {
    guard let key = note.content["key"]?.string, let socket = note.content["socket"]?.string,
      let record = note.content["record"]?.string.flatMap({ RecordID(parsing: $0) })
    else { return nil }
    self.init(vault: note.vault, record: record, socket: socket, publicKey: key, end: note.content["end"]?.int)
  }
}
