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
        "file": .string(Base64.encode(fileHash)), "header": .string(Base64.encode(headerHash)),
        "idle": .number(JSONNumber(Int(idle.components.seconds))),
        "maximum": .number(JSONNumber(Int(maximum.components.seconds))), "path": .string(path),
        "records": .array(records.map { .string($0.text) }), "slot": .string(slot.text),
        "vault": .string(vaultID.text),
      ], key: key)
    if confirms { message.members["confirm"] = .bool(true) }
    if let session {
      message.members["leader"] = .number(JSONNumber(Int(session.leader)))
      message.members["started"] = .string(String(session.started))
    }
    return message
  }

  package init(_ message: AgentMessage) throws(AgentError) {
    func seconds(_ name: String) -> Duration? { message[name]?.int.map { .seconds($0) } }
    func hash(_ name: String) -> [UInt8]? { message[name]?.string.flatMap { try? Base64.decode($0) } }
    guard let vaultID = message["vault"]?.string.flatMap({ VaultID(parsing: $0) }),
      let slot = message["slot"]?.string.flatMap({ SlotID(parsing: $0) }), let path = message["path"]?.string,
      let key = message.key, let header = hash("header"), let file = hash("file"), let idle = seconds("idle"),
      let maximum = seconds("maximum"), case .array(let records)? = message["records"]
    else { throw AgentMessage.malformed }
    self.init(
      vaultID: vaultID, path: path, slot: slot, key: key, headerHash: header, fileHash: file, idle: idle,
      maximum: maximum)
    self.records = Set(records.compactMap { $0.string.flatMap { RecordID(parsing: $0) } })
    guard self.records.count == records.count else { throw AgentMessage.malformed }
    confirms = message["confirm"] == .bool(true)
    guard let leader = message["leader"]?.int else { return }
    guard let leader = Int32(exactly: leader), let started = message["started"]?.string.flatMap({ UInt64($0) }) else {
      throw AgentMessage.malformed
    }
    session = ProcessSession.Identity(leader: leader, started: started)
  }
}
