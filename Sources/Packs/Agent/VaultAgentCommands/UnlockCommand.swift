import ArgumentParser
import VaultAgent
import VaultCLI
import VaultCrypto
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultSealing
import VaultSystem
import VaultTerminal

/// `vault unlock`: asks once, and lets an agent hold the key.
struct UnlockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Unlock once: commands after it ask for no key.",
    discussion: """
      An agent in the background holds the key, opens records for other commands of yours, and never gives the key out. \
      It ends when nothing was asked for --for, after --max, when the machine sleeps, when the header of the vault is \
      changed, and with `vault lock`. Where there is D-Bus, it ends when the session or the screen is locked, too. With \
      --confirm it stays in the foreground of this terminal, and asks here before each record is first opened. Slots, \
      rotation, kinds, checkpoints, checks and backups need the key itself.

      Example:
        vault unlock --for 30m
        vault get "Shai Mishali" access_key
        vault lock
      """)

  @OptionGroup(title: "Agent") var limits: AgentOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let place = try AgentPlace.required()
    let session = try Session(vault, global)
    let handover = try await limits.handover(session, unlocking)
    if handover.confirms { return try AgentProcess.serveHere(handover, in: place, session) }
    try AgentProcess.replace(handover.vaultID, in: place)
    try AgentProcess.start(handover)
    let (idle, maximum) = (TimeSpan.text(handover.idle), TimeSpan.text(handover.maximum))
    guard !global.json else {
      return try Output.document([
        "at_most_seconds": Int(handover.maximum.components.seconds), "seconds": Int(handover.idle.components.seconds),
        "vault": handover.vaultID,
      ])
    }
    global.messages.note("unlocked until nothing is asked for \(idle), for \(maximum) at most; `vault lock` ends it")
  }
}

struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Let the agent drop the keys of all vaults, or of the one that --vault names.",
    discussion: """
      Example:
        vault lock
      """)

  @Option(help: ArgumentHelp("Only the vault in this folder.", valueName: "dir"))
  var vault: String?

  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    let only = try vault.map { vault in try Session(.named(vault), global, refusingOtherVaults: false).locked.header }
    try AgentProcess.lock(only?.vaultID, global)
  }
}

struct AgentOptions: ParsableArguments {
  enum Scope: String, ExpressibleByArgument, CaseIterable { case login, terminal }

  @Option(name: .customLong("for"), help: ArgumentHelp("Lock when nothing was asked for so long.", valueName: "time"))
  var idle = "15m"

  @Option(help: ArgumentHelp("Lock after so long in any case.", valueName: "time"))
  var max = "8h"

  @Option(help: "For whom: all of your login, or what runs in this terminal.")
  var scope = Scope.login

  @Option(help: "Open only this record; may be repeated.")
  var record: [String] = []

  @Flag(help: "Stay at this terminal, and ask here before each record is first opened.")
  var confirm = false

  func handover(_ session: Session, _ unlocking: UnlockOptions) async throws -> Handover {
    let (idle, maximum) = (try TimeSpan.argument(idle, of: "--for"), try TimeSpan.argument(max, of: "--max"))
    let terminal = scope == .terminal ? ProcessSession.identity() : nil
    guard scope == .login || terminal != nil else {
      throw CommandError.usage("--scope", "the session of this terminal cannot be told")
    }
    if confirm { try checkTerminal(session.global) }
    let opened = try await session.unlock(unlocking, withRootKey: true)
    var records: Set<RecordID> = []
    for text in record { records.insert(try await session.record(text, in: opened).id) }
    guard let path = session.locked.knownPlace else {
      throw CommandError(SystemError.missing(session.location.path))
    }
    let (root, locked) = (opened.rootKey, opened.locked)
    var handover = Handover(
      vaultID: root.vaultID, path: path, slot: opened.slot.id,
      key: try root.withKey { key throws(CryptoError) in try SecretBytes(copying: key) },
      headerHash: try locked.header.hash(),
      fileHash: session.location.isDatabase ? [] : try unsafe SHA256.hash(locked.headerBytes.span.bytes),
      idle: min(idle, maximum), maximum: maximum)
    handover.session = terminal
    handover.records = records
    handover.confirms = confirm
    return handover
  }

  /// Refuses questions that nobody could answer.
  private func checkTerminal(_ global: GlobalOptions) throws {
    guard scope == .login else {
      throw CommandError.usage(
        "--confirm", "does not go with --scope terminal: the terminal at which it asks runs nothing else")
    }
    guard let terminal = Terminal(noInput: global.noInput), System.isInForeground(terminal.descriptor) else {
      throw CommandError(
        .declined, "declined", subject: "--confirm", "there is no terminal to ask at",
        hints: ["unlock in a terminal that stays open, not in the background"])
    }
  }
}
