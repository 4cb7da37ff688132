package import VaultCrypto
package import VaultDocument
package import VaultSystem

/// What an agent holds, and for whom.
package struct Handover: Sendable {
  package var vaultID: VaultID
  /// The vault's folder, from the root on, or the address of its database.
  package var path: String
  package var slot: SlotID
  package var key: SecretBytes
  /// SHA-256 of the header's canonical encoding, which was authenticated, and of the bytes of its file; the
  /// latter is empty where the header is in no file.
  package var headerHash: [UInt8]
  package var fileHash: [UInt8]
  package var idle: Duration
  package var maximum: Duration
  /// The one session that may ask; nil for all of this user.
  package var session: ProcessSession.Identity?
  /// The only records that are opened; empty for all.
  package var records: Set<RecordID> = []
  /// Whether each record is asked about before it is first opened.
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
  /// What is sent to a new agent, by a pipe that nobody else has.
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
