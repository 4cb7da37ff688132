import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultTerminal

struct GivenKey {
  let vault: VaultID
  let record: RecordID
  let socket: String
  /// `TYPE BASE64`.
  let publicKey: String
  /// In seconds since 1970; nil for no end.
  let end: Int?
}

/// The keys that ssh-agents have from this program. Their public parts are noted, so taking a key back needs no key of
/// the vault.
enum GivenKeys {
  static func note(_ key: GivenKey) throws {
    let notes = KeyNotes(in: try StateLocation.requiredRuntimeFolder())
    // Two records may have the same key.
    let named = "\(key.record.text)\0\(key.socket)\0\(key.publicKey)"
    let name = try unsafe SHA256.hash(Array(named.utf8).span.bytes)
    try notes.leave(
      JSONObject(members: ["end": key.end, "key": key.publicKey, "record": key.record, "socket": key.socket]),
      for: key.vault, named: Hex.encode(name))
  }

  /// Removes keys from their agents. A key that its agent does not show stays noted until its time is over.
  static func takeBack(_ isMeant: (GivenKey) -> Bool) throws -> [GivenKey] {
    guard let notes = StateLocation.runtimeFolder.map({ KeyNotes(in: $0) }) else { return [] }
    var taken: [GivenKey] = []
    for note in try notes.all() {
      guard let key = GivenKey(note) else {
        notes.drop(note)
        continue
      }
      guard isMeant(key) else { continue }
      let removal = try SSHAgent(socket: key.socket).remove(key.publicKey)
      if removal == .removed { taken.append(key) }
      if removal != .notShown || key.isOver { notes.drop(note) }
    }
    return taken
  }
}

extension GivenKey {
  fileprivate var isOver: Bool { end.map { $0 < Timestamp.now().secondsSinceEpoch } ?? false }

  fileprivate init?(_ note: KeyNotes.Note) {
    guard let key: String = note.content.read("key"), let socket: String = note.content.read("socket"),
      let record: RecordID = note.content.read("record")
    else { return nil }
    self.init(vault: note.vault, record: record, socket: socket, publicKey: key, end: note.content.read("end"))
  }
}
