package import VaultCrypto
package import VaultDocument
package import VaultSystem

/// The key that a new agent holds, and its conditions.
package struct Handover: Sendable {
  package var vaultID: VaultID
  /// The absolute path of the vault's folder, or the address of its database.
  package var path: String
  package var slot: SlotID
  package var key: SecretBytes
  /// SHA-256 of the authenticated header's canonical encoding, and of its file's bytes. The latter is empty if the
  /// header is not in a file.
  package var headerHash: [UInt8]
  package var fileHash: [UInt8]
  package var idle: Duration
  package var maximum: Duration
  /// The only session that may ask; nil for all sessions of this user.
  package var session: ProcessSession.Identity?
  /// The only records that may be opened; empty for all.
  package var records: Set<RecordID> = []
  /// Whether the user is asked before each record is first opened.
  package var confirms = false

  package init(
    vaultID: VaultID, path: String, slot: SlotID, key: SecretBytes, headerHash: [UInt8], fileHash: [UInt8],
    idle: Duration, maximum: Duration
  ) {
    (self.vaultID, self.path, self.slot, self.key) = (vaultID, path, slot, key)
    (self.headerHash, self.fileHash, self.idle, self.maximum) = (headerHash, fileHash, idle, maximum)
  }
}

extension Handover {
  /// The message to a new agent, through a private pipe.
  package var message: AgentMessage {
    var message = AgentMessage(
      [
        "file": Base64.encode(fileHash), "header": Base64.encode(headerHash), "idle": Int(idle.components.seconds),
        "maximum": Int(maximum.components.seconds), "path": path, "records": Array(records), "slot": slot,
        "vault": vaultID,
      ], key: key)
    if confirms { message.members["confirm"] = .bool(true) }
    if let session {
      message.members["leader"] = .number(JSONNumber(Int(session.leader)))
      message.members["started"] = .string(String(session.started))
    }
    return message
  }

  package init(_ message: AgentMessage) throws(AgentError) {
    let members = message.members
    func hash(_ name: String) -> [UInt8]? { (members.read(name) as String?).flatMap { try? Base64.decode($0) } }
    guard let vaultID: VaultID = members.read("vault"), let slot: SlotID = members.read("slot"),
      let path: String = members.read("path"), let key = message.key, let header = hash("header"),
      let file = hash("file"), let idle: Int = members.read("idle"), let maximum: Int = members.read("maximum"),
      let records: [RecordID] = members.read("records"), Set(records).count == records.count
    else { throw AgentMessage.malformed }
    self.init(
      vaultID: vaultID, path: path, slot: slot, key: key, headerHash: header, fileHash: file, idle: .seconds(idle),
      maximum: .seconds(maximum))
    self.records = Set(records)
    confirms = members.read("confirm") == true
    guard let leader: Int = members.read("leader") else { return }
    guard let leader = Int32(exactly: leader), let text: String = members.read("started"), let started = UInt64(text)
    else { throw AgentMessage.malformed }
    session = ProcessSession.Identity(leader: leader, started: started)
  }
}
