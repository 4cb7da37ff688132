import VaultAgent
import VaultCrypto
import VaultDocument
import VaultSystem

/// The processes of agents.
enum AgentProcess {
  /// What a new agent says when it listens.
  private static let ready: [UInt8] = [UInt8(ascii: "+")]

  /// Starts an agent in the background; the key goes by a pipe that only both have.
  static func start(_ handover: Handover) throws {
    let (input, output) = (try System.makePipe(), try System.makePipe())
    defer { System.closePipe(output.reading) }
    // Of the environment it needs where sockets are, and nothing that a key could be in.
    let names = [
      "XDG_RUNTIME_DIR", "CVAULT_STATE_DIR", "XDG_STATE_HOME", "HOME", "LD_LIBRARY_PATH", "DBUS_SESSION_BUS_ADDRESS",
      "DBUS_SYSTEM_BUS_ADDRESS",
    ]
    let variables = names.compactMap { name in System.environment(name).map { "\(name)=\($0)" } }
    let streams = ChildStreams(
      input: input.reading, output: output.writing, closesOthers: true, kept: [], isAlone: true)
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
        .inputOutput, "agent_failed", subject: "agent", "it did not start",
        hints: ["`vault agent run` says why", "the path of its socket may have \(LocalSocket.longestPath) bytes"])
    }
  }

  /// Serves what ``start(_:)`` has handed over, until it is locked.
  static func serveHandedOver(in place: AgentPlace) throws {
    guard let message = try? AgentPlace.message(from: System.standardInput) else {
      throw CommandError.usage("--handed-over", "is for `vault unlock`")
    }
    try serve(Handover(message), in: place, asker: nil) {
      try? System.writeAll(ready, to: System.standardOutput)
      ProcessSession.detach()
    }
  }

  /// Serves in the foreground until the key is dropped; what is to be asked is asked here.
  static func serveHere(_ handover: Handover, in place: AgentPlace, _ session: Session) throws {
    try replace(handover.vaultID, in: place)
    let asker = handover.confirms ? AgentTerminal(session.locked)?.asker : nil
    try serve(handover, in: place, asker: asker) {
      session.messages.note(
        handover.confirms
          ? "unlocked; it asks here, until `vault lock` or Ctrl-C ends it" : "unlocked; `vault lock` ends it")
    }
  }

  /// Serves until the key is dropped.
  private static func serve(
    _ handover: Handover, in place: AgentPlace, asker: AgentAsker?, whenReady: () -> Void
  ) throws {
    let buses = MessageBuses()
    let held = try HeldKey(handover)
    let watch = AgentWatch(files: buses.files, heard: { buses.heard }) { buses.tellsToLock() }
    var server = AgentServer(held, listener: try place.listen(for: handover.vaultID), watch: watch, asker: asker)
    whenReady()
    server.run()
    place.remove(handover.vaultID)
  }

  /// Ends the agent that holds a vault, if there is one, and waits until its place is free.
  static func replace(_ vault: VaultID, in place: AgentPlace) throws {
    guard try lock(vault, in: place) else { return }
    for _ in 0..<200 {
      guard try AgentClient(of: vault, in: place) != nil else { return }
      LiveFileOperations().sleep(.milliseconds(10))
    }
  }

  /// Locks a vault, or all, takes what was given to ssh-agents back, and says which were unlocked.
  static func lock(_ only: VaultID?, _ global: GlobalOptions) throws {
    let locked = try AgentLocation.place.map { place in
      try (only.map { [$0] } ?? place.vaults()).filter { vault in try lock(vault, in: place) }
    }
    let keys = try GivenKeys.takeBack { $0.vault == only ?? $0.vault }
    if !keys.isEmpty { global.messages.note("\(GivenKeys.count(keys)) taken out of the ssh-agent") }
    guard !global.json else { return try Output.document(["locked": .array((locked ?? []).map { .string($0.text) })]) }
    if locked?.isEmpty ?? true { global.messages.note("no vault was unlocked") }
  }

  private static func lock(_ vault: VaultID, in place: AgentPlace) throws -> Bool {
    guard let client = try AgentClient(of: vault, in: place) else { return false }
    // One that has locked already says so, and ends.
    do { try client.lock() } catch  where error.code != .foreign {}
    return true
  }

  /// What the agents say of themselves.
  static func states() throws -> [JSONObject] {
    guard let place = AgentLocation.place else { return [] }
    return try place.vaults().compactMap { vault in
      try AgentClient(of: vault, in: place).flatMap { try? $0.status() }
    }
  }
}
