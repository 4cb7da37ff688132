import VaultAgent
import VaultCLI
import VaultCrypto
import VaultDocument
import VaultSystem
import VaultTerminal

enum AgentProcess {
  /// The message of a new agent when it listens.
  private static let ready: [UInt8] = [UInt8(ascii: "+")]

  /// Starts an agent in the background. The key goes through a private pipe.
  static func start(_ handover: Handover) throws {
    let (input, output) = (try System.makePipe(), try System.makePipe())
    defer { System.closePipe(output.reading) }
    // The agent needs variables for the place of sockets, and none that may contain a key.
    let names = [
      "XDG_RUNTIME_DIR", "CVAULT_STATE_DIR", "XDG_STATE_HOME", "HOME", "LD_LIBRARY_PATH", "DBUS_SESSION_BUS_ADDRESS",
      "DBUS_SYSTEM_BUS_ADDRESS",
    ]
    let variables = names.compactMap { name in System.environment(name).map { "\(name)=\($0)" } }
    let streams = ChildStreams(
      input: input.reading, output: output.writing, closesOthers: true, isAlone: true)
    let started = Result { () throws(SystemError) in
      try System.spawn(
        System.ownProgram, ["vault", "agent", "run", "--handed-over"], variables: variables, streams: streams)
    }
    System.closePipe(input.reading)
    System.closePipe(output.writing)
    defer { System.closePipe(input.writing) }
    _ = try started.get()
    let frame = try handover.message.frame()
    try frame.withBytes { frame throws(SystemError) in try System.writeAll(frame, to: input.writing) }
    var answer: [UInt8] = [0]
    var span = answer.mutableSpan
    var bytes = unsafe span.mutableBytes
    let count = try System.readSome(into: &bytes, at: 0, from: output.reading)
    guard count == 1, answer == ready else {
      throw CommandError(
        .inputOutput, "agent_failed", subject: "agent", "the agent did not start",
        hints: [
          "run `vault agent run` to see why",
          "the path of its socket can have at most \(LocalSocket.longestPath) bytes",
        ])
    }
  }

  /// Serves the key from ``start(_:)``, until it is locked.
  static func serveHandedOver(in place: AgentPlace) throws {
    guard let message = try? AgentPlace.message(from: System.standardInput) else {
      throw CommandError.usage("--handed-over", "is only for `vault unlock`")
    }
    try serve(Handover(message), in: place, asker: nil) {
      try? System.writeAll(ready, to: System.standardOutput)
      ProcessSession.detach()
    }
  }

  /// Serves in the foreground until the key is dropped. Questions are asked at this terminal.
  static func serveHere(_ handover: Handover, in place: AgentPlace, _ session: Session) throws {
    try replace(handover.vaultID, in: place)
    let asker = handover.confirms ? AgentTerminal(session.locked)?.asker : nil
    try serve(handover, in: place, asker: asker) {
      session.messages.note(
        handover.confirms
          ? "unlocked; the agent asks here, until `vault lock` or Ctrl-C ends it" : "unlocked until `vault lock`")
    }
  }

  private static func serve(
    _ handover: Handover, in place: AgentPlace, asker: AgentAsker?, whenReady: () -> Void
  ) throws {
    let buses = MessageBuses()
    let held = try HeldKey(handover)
    let listener = try place.listen(for: handover.vaultID)
    let socket = place.socketFile(of: handover.vaultID)
    let watch = AgentWatch(files: buses.files, heard: { buses.heard }) {
      buses.tellsToLock() || !place.has(socket, for: handover.vaultID)
    }
    var server = AgentServer(held, listener: listener, watch: watch, asker: asker)
    whenReady()
    server.run()
    place.remove(handover.vaultID, socket)
  }

  /// Ends any agent of a vault, and waits until its place is free.
  static func replace(_ vault: VaultID, in place: AgentPlace) throws {
    _ = try end(vault, in: place)
  }

  /// Locks a vault, or all vaults, takes back everything handed out, and says which vaults were unlocked.
  static func lock(_ only: VaultID?, _ global: GlobalOptions) throws {
    let locked = try AgentPlace.ofUser.map { place in
      try (only.map { [$0] } ?? place.vaults()).filter { vault in
        guard let end = try end(vault, in: place) else { return false }
        if case .killed(let process) = end {
          global.messages.note("the agent did not answer: its process \(process) was killed")
        }
        return true
      }
    }
    for pack in Packs.all { try pack.takesBack(only, global.messages) }
    guard !global.json else { return try Output.document(["locked": locked ?? []]) }
    if locked?.isEmpty ?? true { global.messages.note("no vault was unlocked") }
  }

  private enum End {
    case locked
    case killed(Int32)
  }

  /// Ends the agent of a vault, and waits for its end; nil if there is no agent. An agent that does not answer is
  /// killed, because it still holds the key.
  private static func end(_ vault: VaultID, in place: AgentPlace) throws -> End? {
    guard let client = try AgentClient(of: vault, in: place) else { return nil }
    do throws(AgentError) {
      try client.lock()
      if try isGone(vault, in: place) { return .locked }
    } catch {
      if error.code == .foreign { throw error }
      // An agent that is locked already says so, and ends.
      if error.code != .silent, try isGone(vault, in: place) { return .locked }
    }
    let (process, socket) = (client.process, place.socketFile(of: vault))
    process.map(ChildProcess.kill)
    guard try process != nil && isGone(vault, in: place) else {
      throw CommandError(
        .inputOutput, "agent_failed", subject: "agent", "does not answer and still holds the key",
        hints: ["end its process" + (process.map { ": `kill -KILL \($0)`" } ?? "")])
    }
    place.remove(vault, socket)
    return process.map(End.killed)
  }

  private static func isGone(_ vault: VaultID, in place: AgentPlace) throws(AgentError) -> Bool {
    for _ in 0..<200 {
      guard try AgentClient(of: vault, in: place) != nil else { return true }
      LiveFileOperations().sleep(.milliseconds(10))
    }
    return false
  }

  /// The status of each agent. For an agent that does not answer, only its process.
  static func states() throws -> [JSONObject] {
    guard let place = AgentPlace.ofUser else { return [] }
    return try place.vaults().compactMap { vault in
      guard let client = try AgentClient(of: vault, in: place) else { return nil }
      do throws(AgentError) {
        var state = try client.status()
        state["answers"] = .bool(true)
        return state
      } catch {
        guard error.code == .silent else { return nil }
        return JSONObject(members: ["answers": false, "pid": client.process.map { Int($0) }, "vault": vault])
      }
    }
  }
}
