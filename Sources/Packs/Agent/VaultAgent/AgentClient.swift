internal import Synchronization
package import VaultCrypto
package import VaultDocument
package import VaultSealing
internal import VaultSystem

/// A connection to the agent of one vault, for reading and writing its records.
package final class AgentClient: RootKeyHolder {
  private let place: AgentPlace
  private let vault: VaultID
  private let connection: Mutex<Int32>
  private let whenAsking: @Sendable () -> Void
  private let agent: String?

  /// Connects to the agent of a vault; nil if no agent runs.
  ///
  /// - Parameters:
  ///   - agent: the coding agent that runs this process, to be named to the user.
  ///   - whenAsking: called each time the agent asks its user before it answers.
  package init?(
    of vault: VaultID, in place: AgentPlace, for agent: String? = nil, whenAsking: @escaping @Sendable () -> Void = {}
  ) throws(AgentError) {
    guard let connection = try place.connect(to: vault) else { return nil }
    self.place = place
    self.vault = vault
    self.whenAsking = whenAsking
    self.agent = agent
    self.connection = Mutex(connection)
  }

  deinit { connection.withLock { LocalSocket.close($0) } }

  /// The process of the agent; nil if it is unknown.
  package var process: Int32? {
    connection.withLock { file in (try? LocalSocket.peer(of: file))?.process }.flatMap { $0 > 1 ? $0 : nil }
  }

  /// The slot that unlocked the vault, if the agent has authenticated this header.
  package func slot(headerHash: [UInt8]) throws(AgentError) -> SlotID {
    let answer = try ask(["request": "header", "hash": Base64.encode(headerHash)])
    guard let slot = answer.members.read("slot") as SlotID? else { throw AgentMessage.malformed }
    return slot
  }

  package func status() throws(AgentError) -> JSONObject { try ask(["request": "status"]).members }

  package func lock() throws(AgentError) { _ = try ask(["request": "lock"]) }

  package func open(_ wrapped: WrappedKey, record: RecordID) throws(SealingError) -> SecretBytes {
    let answer = try sealing { () throws(AgentError) in
      try ask(["request": "open", "record": record, "wrapped": wrapped.text])
    }
    guard let key = answer.key else { throw Self.strange }
    return key
  }

  package func wrap(_ dataKey: SecretBytes, record: RecordID) throws(SealingError) -> WrappedKey {
    let answer = try sealing { () throws(AgentError) in
      try ask(["request": "wrap", "record": record], key: dataKey)
    }
    guard let text: String = answer.members.read("wrapped") else { throw Self.strange }
    return try WrappedKey(parsing: text)
  }

  package func hasAuthenticated(headerHash: [UInt8]) throws(SealingError) -> Bool {
    _ = try sealing { () throws(AgentError) in try slot(headerHash: headerHash) }
    return true
  }

  private static let strange = SealingError(.rootKeyElsewhere, "the answer of the agent is not understood")

  private func sealing<Result>(_ body: () throws(AgentError) -> Result) throws(SealingError) -> Result {
    do throws(AgentError) {
      return try body()
    } catch {
      if error.reason == AgentRefusal.damaged.reason {
        throw SealingError(.authenticationFailed, "the data key does not open: it was changed or damaged")
      }
      throw SealingError(.rootKeyElsewhere, error.reason)
    }
  }

  private func ask(
    _ members: KeyValuePairs<String, any DocumentValue>, key: SecretBytes? = nil
  ) throws(AgentError) -> AgentMessage {
    var message = AgentMessage(members, key: key)
    message.members["vault"] = .string(vault.text)
    if let agent { message.members["agent"] = .string(agent) }
    let frame = try message.frame()
    let answer = try connection.withLock { file throws(AgentError) -> AgentMessage in
      do throws(Errno) {
        return try exchange(frame, file)
      } catch  where error == .wouldBlock {
        // A late answer must not count as the answer to the next request.
        LocalSocket.end(file)
        throw AgentPlace.silent
      } catch {
        // The agent disconnects silent clients. Repeating the request is harmless.
        guard let next = try place.connect(to: vault) else { throw AgentPlace.gone }
        LocalSocket.close(file)
        file = next
        do throws(Errno) {
          return try exchange(frame, file)
        } catch {
          throw error == .wouldBlock ? AgentPlace.silent : AgentPlace.gone
        }
      }
    }
    if let name = answer["error"]?.string {
      throw AgentError(.refused, (AgentRefusal(rawValue: name) ?? .request).reason)
    }
    return answer
  }

  /// Sends a frame and reads the answer into locked memory.
  private func exchange(_ frame: SecretBytes, _ file: Int32) throws(Errno) -> AgentMessage {
    try frame.withBytes { bytes throws(Errno) in try LocalSocket.write(bytes, to: file) }
    let answer = try Self.receive(from: file)
    guard answer["asking"] != nil else { return answer }
    whenAsking()
    // Questions for other clients may come first.
    LocalSocket.limitCalls(on: file, toSeconds: 300)
    defer { LocalSocket.limitCalls(on: file) }
    return try Self.receive(from: file)
  }

  private static func receive(from file: Int32) throws(Errno) -> AgentMessage {
    guard let message = try AgentPlace.message(from: file) else { throw Errno.closedPipe }
    return message
  }
}

enum AgentRefusal: String {
  case locked, vault, session, header, request, record, root, damaged, denied, unconfirmed, confined

  var reason: String {
    switch self {
    case .locked: "the agent has locked the vault"
    case .vault: "the agent holds another vault"
    case .session: "the agent works only for another terminal"
    case .confined: "the agent does not work for a process that is more confined than the agent"
    case .header: "the agent was unlocked with another vault.json"
    case .request: "the agent does not know this request"
    case .record: "the agent was unlocked only for other records"
    case .root: "the agent holds another root key than the one of the record"
    case .damaged: "the data key does not open"
    case .denied: "the request was denied at the agent's terminal"
    case .unconfirmed: "the request was not confirmed at the agent's terminal"
    }
  }
}
