import ArgumentParser
import VaultAgent
import VaultCLI
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultSystem
import VaultTerminal

struct AgentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent",
    abstract: "Show, run and end the agents that hold keys.",
    subcommands: [AgentStatusCommand.self, AgentRunCommand.self, AgentStopCommand.self],
    defaultSubcommand: AgentStatusCommand.self)
}

struct AgentStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show which vaults are unlocked, for how long, and which process opened which record.",
    discussion: """
      Example:
        vault agent status
      """)

  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    let held = try AgentProcess.states()
    if global.json { return try Output.document(["agents": held]) }
    if held.isEmpty { return try Output.line("no vault is unlocked") }
    for agent in held { try Output.lines(Self.lines(agent)) }
  }

  private static func lines(_ agent: JSONObject) -> [String] {
    func text(_ name: String) -> String { agent[name]?.string ?? "" }
    if agent["answers"] == .bool(false) {
      let process = agent["pid"]?.int.map { " (process \($0))" } ?? ""
      return ["\(text("vault"))  the agent\(process) does not answer and holds the key; `vault lock` ends it"]
    }
    func time(_ name: String) -> String { TimeSpan.text(.seconds(agent[name]?.int ?? 0)) }
    var lines = [
      "\(text("vault"))  \(Printable.text(text("path")))",
      "  locks in \(time("seconds")) without use, in \(time("at_most_seconds")) in any case; for this \(text("scope"))",
    ]
    if agent["confirm"] == .bool(true) { lines.append("  asks before each record is first opened") }
    lines.append("  " + hearing(agent["hears"]))
    if case .array(let records)? = agent["records"], !records.isEmpty {
      lines.append("  only: " + records.compactMap(\.string).joined(separator: ", "))
    }
    guard case .array(let uses)? = agent["uses"] else { return lines }
    return lines
      + uses.map { use in
        let process = use["pid"]?.int.map { " process \($0)" } ?? ""
        let name = use["name"]?.string.map { " " + Printable.text($0) } ?? ""
        let agent = use["agent"]?.string.map { " for " + Printable.text($0) } ?? ""
        let words = ["time", "action", "record"].map { use[$0]?.string ?? "" }.joined(separator: "  ")
        return "  \(words)\(process)\(name)\(agent)"
      }
  }
}

extension AgentStatusCommand {
  private static func hearing(_ buses: JSONValue?) -> String {
    let told = (buses?.array ?? []).compactMap(\.string).compactMap { bus in
      ["system": "the machine sleeps or the session is locked", "session": "the screen is locked"][bus]
    }
    return told.isEmpty
      ? "does not lock with the screen: there is no D-Bus"
      : "locks over D-Bus when " + told.joined(separator: ", or when ")
  }
}

/// `vault agent run`: an agent in the foreground.
struct AgentRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Unlock, and hold the key in the foreground until the vault is locked.",
    discussion: """
      Example:
        vault agent run --identity identity.txt --for 1h

      The command works like `vault unlock`, and is made for a supervisor of services.
      """)

  @Flag(help: .hidden)
  var handedOver = false

  @OptionGroup(title: "Agent") var limits: AgentOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let place = try AgentPlace.required()
    if handedOver { return try AgentProcess.serveHandedOver(in: place) }
    let session = try Session(vault, global)
    try AgentProcess.serveHere(try await limits.handover(session, unlocking), in: place, session)
  }
}

struct AgentStopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "End all your agents, as `vault lock` does.",
    discussion: """
      Example:
        vault agent stop
      """)

  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    try AgentProcess.lock(nil, global)
  }
}
