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
    abstract: "Unlock the vault once, so that later commands need no key.",
    discussion: """
      Example:
        vault unlock --for 30m
        vault get "Shai Mishali" access_key
        vault lock

      An agent in the background holds the key. It opens records for your other commands, and never gives the key out. \
      The agent ends after --for without a request, after --max in any case, and with `vault lock`. It also ends when \
      the machine sleeps or the header of the vault changes. With D-Bus it also ends when the session or the screen \
      is locked.

      With --confirm the agent stays in the foreground of this terminal, and asks here before it first opens each \
      record. Commands that change slots, keys or kinds, and checkpoints, checks and backups, need the key itself.
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
    global.messages.note(
      "unlocked; locks after \(idle) without use, after \(maximum) in any case, or with `vault lock`")
  }
}

struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Lock all vaults, or the one that --vault names: the agent drops the key.",
    discussion: """
      Example:
        vault lock
      """)

  @Option(help: ArgumentHelp("Lock only the vault in this folder.", valueName: "dir"))
  var vault: String?

  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    let only = try vault.map { vault in try Session(.named(vault), global, refusingOtherVaults: false).locked.header }
    try AgentProcess.lock(only?.vaultID, global)
  }
}

struct AgentOptions: ParsableArguments {
  enum Scope: String, ExpressibleByArgument, CaseIterable { case login, terminal }

  @Option(name: .customLong("for"), help: ArgumentHelp("Lock after this time without a request.", valueName: "time"))
  var idle = "15m"

  @Option(help: ArgumentHelp("Lock after this time in any case.", valueName: "time"))
  var max = "8h"

  @Option(help: "Work for your whole login, or only for this terminal.")
  var scope = Scope.login

  @Option(help: "Open only this record; may be repeated.")
  var record: [String] = []

  @Flag(help: "Stay at this terminal, and ask before a record is first opened.")
  var confirm = false

  func handover(_ session: Session, _ unlocking: UnlockOptions) async throws -> Handover {
    let (idle, maximum) = (try TimeSpan.argument(idle, of: "--for"), try TimeSpan.argument(max, of: "--max"))
    let terminal = scope == .terminal ? ProcessSession.identity() : nil
    guard scope == .login || terminal != nil else {
      throw CommandError.usage("--scope", "the session of this terminal is unknown")
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
        "--confirm", "cannot be combined with --scope terminal: the terminal that asks runs nothing else")
    }
    guard let terminal = Terminal(noInput: global.noInput), System.isInForeground(terminal.descriptor) else {
      throw CommandError(
        .declined, "declined", subject: "--confirm", "this needs a terminal to ask, and there is none",
        hints: ["unlock in a terminal that stays open, not in the background"])
    }
  }
}
