import VaultAgent
import VaultCrypto
package import VaultDocument

/// A private key that an ssh-agent was given.
package struct GivenKey {
  package let vault: VaultID
  package let record: RecordID
  package let socket: String
  /// `TYPE BASE64`.
  package let publicKey: String
  /// In seconds since 1970; nil for no end.
  package let end: Int?

  package init(vault: VaultID, record: RecordID, socket: String, publicKey: String, end: Int?) {
    (self.vault, self.record, self.socket, self.publicKey, self.end) = (vault, record, socket, publicKey, end)
  }
}

/// Which keys ssh-agents have from us: what is public of them is noted, so that they can be taken back without a key.
package enum GivenKeys {
  package static func note(_ key: GivenKey) throws {
    let place = try AgentLocation.requiredPlace()
    // Two records may have the same key.
    let named = "\(key.record.text)\0\(key.socket)\0\(key.publicKey)"
    let name = try unsafe SHA256.hash(Array(named.utf8).span.bytes)
    try place.leave(
      JSONObject(members: ["end": key.end, "key": key.publicKey, "record": key.record, "socket": key.socket]),
      for: key.vault, named: Hex.encode(name))
  }

  /// Takes keys out of their agents, as far as they are still there. One that an agent does not show stays noted until
  /// its time is over.
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
}

extension GivenKey {
  fileprivate var isOver: Bool { end.map { $0 < Timestamp.now().secondsSinceEpoch } ?? false }

  fileprivate init?(_ note: AgentNote) {
    guard let key: String = note.content.read("key"), let socket: String = note.content.read("socket"),
      let record: RecordID = note.content.read("record")
    else { return nil }
    self.init(vault: note.vault, record: record, socket: socket, publicKey: key, end: note.content.read("end"))
  }
}
