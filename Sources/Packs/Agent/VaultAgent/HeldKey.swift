internal import VaultCrypto
package import VaultDocument
internal import VaultSealing
package import VaultSystem

/// A record that was opened or written for a process.
package struct AgentUse: Sendable, DocumentValue {
  package let time: Timestamp
  package let record: RecordID
  package let action: String
  package let process: Int32?
  package let name: String?
  /// The coding agent that ran the process, as the process said.
  package let agent: String?

  package var document: JSONValue {
    .members([
      "action": action, "agent": agent, "name": name, "pid": process.map { Int($0) }, "record": record, "time": time,
    ])
  }
}

/// A root key that is held for other processes, with the answers to their requests.
package struct HeldKey {
  /// How many uses are remembered. The oldest are dropped first.
  static let longestLog = 200
  /// After so many refusals in a row the key is dropped, because a process tries to tire the user out.
  private static let noLimit = 3

  private let handover: Handover
  private let root: RootKey
  private let clock: AgentClock
  package private(set) var lease: AgentLease
  package private(set) var uses: [AgentUse] = []
  package private(set) var isLocked = false
  /// The sources that report sleep and locked screens.
  package var hears: [String] = []
  private var confirmed: Set<RecordID> = []
  private var noCount = 0

  package init(_ handover: Handover, clock: AgentClock = AgentClock()) throws(AgentError) {
    do throws(SealingError) {
      root = try RootKey(handover.key, vaultID: handover.vaultID)
    } catch {
      throw AgentError(.memory, "the agent could not take over the key")
    }
    self.handover = handover
    self.clock = clock
    lease = AgentLease(idle: handover.idle, maximum: handover.maximum, clock: clock)
  }

  /// Whether the key may still be used: its time is not over, and the header has not changed.
  package var mayGoOn: Bool {
    guard !isLocked, lease.end == nil else { return false }
    guard !handover.fileHash.isEmpty else { return true }
    let files = PrivateFolder.Files()
    let path = handover.path + "/vault.json"
    let bytes = try? files.contents(of: path, in: OpenPurpose.noDirectory, limit: 64 << 20, at: path)
    guard let bytes = bytes ?? nil, let hash = try? unsafe SHA256.hash(bytes.span.bytes) else { return false }
    return constantTimeEqual(hash, handover.fileHash)
  }

  /// Answers a request. An unknown request is an error that does not repeat it.
  package mutating func answer(_ request: AgentMessage, from peer: LocalSocket.Peer) -> AgentMessage {
    guard mayGoOn else {
      isLocked = true
      return .refusal("locked")
    }
    let name = request["request"]?.string
    if name == "lock" {
      isLocked = true
      return AgentMessage(["locked": true])
    }
    // A process that reads foreign files is confined, and so is an attacker who took it over.
    guard !peer.isConfined else { return .refusal("confined") }
    if name == "status" { return status }
    guard request["vault"]?.string == handover.vaultID.text else { return .refusal("vault") }
    guard isInScope(peer) else { return .refusal("session") }
    lease.use()
    switch name {
    case "header": return slot(forHeaderOf: request)
    case "open", "wrap": return key(request, isNew: name == "wrap", peer)
    default: return .refusal("request")
    }
  }

  /// The question before a request is answered; nil if no question is needed, or if the request is refused anyway.
  package func question(for request: AgentMessage, from peer: LocalSocket.Peer) -> AgentQuestion? {
    guard handover.confirms, mayGoOn, !peer.isConfined, request["request"]?.string == "open",
      request["vault"]?.string == handover.vaultID.text, isInScope(peer),
      let record = request["record"]?.string.flatMap({ RecordID(parsing: $0) }), !confirmed.contains(record),
      handover.records.isEmpty || handover.records.contains(record),
      let wrapped = request["wrapped"]?.string, let token = try? WrappedKey(parsing: wrapped),
      (try? root.unwrapDataKey(token, record: record)) != nil
    else { return nil }
    return AgentQuestion(record: record, process: peer.process, agent: Self.agent(of: request))
  }

  /// Takes the answer to a question. A permitted record is not asked about again.
  package mutating func take(_ isYes: Bool, to question: AgentQuestion) {
    if isYes { confirmed.insert(question.record) }
    noCount = isYes ? 0 : noCount + 1
    if noCount >= Self.noLimit { isLocked = true }
  }

  private func isInScope(_ peer: LocalSocket.Peer) -> Bool {
    guard let session = handover.session else { return true }
    return peer.process.flatMap { ProcessSession.identity(of: $0) } == session
  }

  /// The slot, if the client has the header that was unlocked. Without a file to compare, another hash locks for good.
  private mutating func slot(forHeaderOf request: AgentMessage) -> AgentMessage {
    guard let text = request["hash"]?.string, let hash = try? Base64.decode(text),
      constantTimeEqual(hash, handover.headerHash)
    else {
      // Without a file to compare, only a client can show that the header has changed.
      if handover.fileHash.isEmpty { isLocked = true }
      return .refusal("header")
    }
    return AgentMessage(["slot": handover.slot])
  }

  private mutating func key(_ request: AgentMessage, isNew: Bool, _ peer: LocalSocket.Peer) -> AgentMessage {
    guard let record = request["record"]?.string.flatMap({ RecordID(parsing: $0) }) else { return .refusal("request") }
    guard handover.records.isEmpty || handover.records.contains(record) else { return .refusal("record") }
    do throws(SealingError) {
      let answer: AgentMessage
      if isNew {
        guard let key = request.key else { return .refusal("request") }
        answer = AgentMessage(["wrapped": try root.verifiedWrap(of: key, record: record).text])
      } else {
        guard let text = request["wrapped"]?.string else { return .refusal("request") }
        answer = AgentMessage([:], key: try root.unwrapDataKey(WrappedKey(parsing: text), record: record))
        guard !handover.confirms || confirmed.contains(record) else { return .refusal("unconfirmed") }
      }
      note(record, action: isNew ? "wrap" : "open", peer: peer, for: Self.agent(of: request))
      return answer
    } catch {
      return .refusal(error.code == .unknownRoot ? "root" : "damaged")
    }
  }

  /// Any process can send any name, so a long one is cut.
  private static func agent(of request: AgentMessage) -> String? {
    request["agent"]?.string.map { String($0.prefix(40)) }
  }

  private mutating func note(_ record: RecordID, action: String, peer: LocalSocket.Peer, for agent: String?) {
    if uses.count == Self.longestLog { uses.removeFirst() }
    uses.append(
      AgentUse(
        time: clock.now(), record: record, action: action, process: peer.process,
        name: peer.process.flatMap { ProcessSession.name(of: $0) }, agent: agent))
  }

  private var status: AgentMessage {
    AgentMessage([
      "at_most_seconds": Int(lease.longestRest.components.seconds), "confirm": handover.confirms, "hears": hears,
      "path": handover.path, "records": handover.records.sorted(),
      "scope": handover.session == nil ? "login" : "terminal", "seconds": Int(lease.rest.components.seconds),
      "uses": uses, "vault": handover.vaultID,
    ])
  }
}

extension AgentMessage {
  static func refusal(_ reason: String) -> AgentMessage { AgentMessage(["error": reason]) }
}
