import ArgumentParser
import VaultCLI
import VaultDeposit
import VaultDocument
import VaultKit
import VaultTerminal

struct InboxCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inbox",
    abstract: "List deposits, and accept or drop them.",
    discussion: """
      Example:
        vault inbox
        vault inbox accept 3f2a51c0
        vault inbox accept --all --signed
        vault inbox drop --all
      """,
    subcommands: [List.self, Accept.self, Drop.self, Enable.self, Signers.self], defaultSubcommand: List.self)
}

extension InboxCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the deposits that wait.",
      discussion: """
        The list shows what each deposit would do, who it says it is from, and whether its signature is by a person \
        of `vault inbox signers`. Sealed values are not shown. A file that is not a deposit for this vault is reported \
        in one line, and the command then exits with 14.

        Example:
          vault inbox list
        """,
      aliases: ["ls"])

    @OptionGroup var table: TableOptions
    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let session = try Session(vault, global)
      let opened = try await session.unlock(unlocking)
      let check = try SignatureCheck(opened.header)
      var (rows, faults): ([InboxRow], [CommandError]) = ([], [])
      try await opened.inbox { waiting in
        rows += try waiting.compactMap { try InboxRow($0, in: opened, check) }
        faults += waiting.compactMap(\.fault)
      }
      rows.sort { $0.createdAt < $1.createdAt }
      try print(rows, faults)
      for fault in faults where !global.json { global.messages.report(fault) }
      if !faults.isEmpty { throw Finished(status: .findings) }
    }

    private func print(_ rows: [InboxRow], _ faults: [CommandError]) throws {
      guard !global.json else {
        return try Output.document([
          "deposits": rows.map(\.document),
          "faults": faults.map { JSONValue.members(["file": $0.subject, "reason": $0.reason]) },
        ])
      }
      if rows.isEmpty, faults.isEmpty { global.messages.note("the inbox is empty") }
      guard table.isShown(global) else { return try Output.lines(rows.map(\.line)) }
      try table.print(rows, columns: columns, global: global)
    }

    private var columns: [TableColumn<InboxRow>] {
      let (style, table) = (global.style, table)
      return [
        TableColumn(title: "NAME", rank: 0, least: 16) { $0.label },
        TableColumn(title: "KIND", rank: 4, least: 6, most: 20) { $0.kind },
        TableColumn(title: "FROM", rank: 2, least: 10, most: 32, isOptional: true) { $0.from },
        TableColumn(title: "SIGNATURE", rank: 3, least: 9, most: 32) { $0.signature.words },
        TableColumn(title: "AGE", rank: 5, look: style.dim) { table.shown($0.createdAt) },
        TableColumn(title: "STATE", rank: 1, least: 12) { $0.state },
        TableColumn(title: "ID", rank: 0, look: style.dim) { table.shown($0.id) },
      ]
    }
  }

  struct Drop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "drop",
      abstract: "Delete deposits without storing them.",
      discussion: """
        Dropped deposits are not in the trash. --all also deletes files that are not deposits for this vault. Copies \
        in git and in backups stay.

        Example:
          vault inbox drop 3f2a51c0
        """)

    @OptionGroup var choice: DepositChoice

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      try choice.check()
      let session = try Session(vault, global)
      let opened = try await session.unlock(unlocking, to: .writing)
      let ids = try choice.ids(in: opened)
      if choice.all, global.canAsk { try global.confirm("Drop \(counted(ids.count, "deposit")) for good?") }
      try await opened.dropDeposits(ids)
      let action = "\(counted(ids.count, "deposit")) dropped"
      guard !global.json else { return try Output.afterwards(action) { try Output.document(["dropped": ids]) } }
      global.messages.note(action)
    }
  }
}

/// The deposits that a command is for.
struct DepositChoice: ParsableArguments {
  @Argument(help: "Ids of deposits, or their beginnings.")
  var id: [String] = []

  @Flag(help: "Take every deposit.")
  var all = false

  func check() throws {
    guard id.isEmpty == all else {
      throw CommandError.usage(
        all ? "--all" : "ID", all ? "cannot be combined with ids" : "is missing", "`vault inbox` shows the ids")
    }
  }

  func ids(in vault: Vault) throws -> [DepositID] { try all ? vault.waitingIDs() : vault.waitingIDs(id) }
}

extension WaitingDeposit {
  /// The error of a file that is not a deposit; nil for a deposit.
  var fault: CommandError? { if case .failure(let error) = deposit { CommandError(error) } else { nil } }
}

extension Vault {
  /// The deposits that words name: full ids, or beginnings of at least 4 characters.
  func waitingIDs(_ words: [String]) throws -> [DepositID] {
    let held = try waitingIDs()
    var ids: [DepositID] = []
    for word in words {
      let isBeginning = word.utf8.count >= 4
      let found = held.filter { $0.text == word || isBeginning && $0.text.hasPrefix(word) }
      guard let id = found.first, found.count == 1 else {
        throw CommandError(
          .notFound, found.isEmpty ? "no_such_deposit" : "ambiguous_deposit", subject: Printable.argument(word),
          found.isEmpty ? "no deposit has this id" : "\(found.count) deposits have ids that begin with it",
          hints: ["`vault inbox` shows the deposits that wait"])
      }
      if !ids.contains(id) { ids.append(id) }
    }
    return ids
  }
}
