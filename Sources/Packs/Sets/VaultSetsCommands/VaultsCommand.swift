import ArgumentParser
import VaultAge
import VaultCLI
import VaultDocument
import VaultKit
import VaultSets
import VaultTerminal

struct VaultsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vaults",
    abstract: "List, add, remove, check and accept the vaults of a set.",
    discussion: """
      Example:
        vault vaults add ops ./ops
        vault get ops:GitHub password

      A set is a file vaults.json that gives names to vaults. --vaults FILE names it, or else CVAULT_VAULTS. Otherwise \
      the nearest one in this folder or above is used. Each vault has its own keys, people and history. --in NAME or \
      NAME:RECORD names a vault of the set.
      """,
    subcommands: [List.self, Add.self, Remove.self, Check.self, Accept.self], defaultSubcommand: List.self)
}

struct SetOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The file of the set (CVAULT_VAULTS).", valueName: "file"))
  var vaults: String?
}

extension VaultsCommand {
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the vaults of the set, and who has a key.",
      discussion: """
        Example:
          vault vaults list

        The command needs no key and verifies nothing. It compares the recipients of each vault with your keys, and \
        so knows which vaults they open.

        The exit status is 4 if a vault cannot be read, and 16 if a vault is not the one that its name stood for.
        """,
      aliases: ["ls"])

    @OptionGroup var table: TableOptions
    @OptionGroup var choice: SetOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let found = try FoundSet.required(choice.vaults)
      let own = try OwnRecipients(unlocking, global)
      let rows = found.all.map { SetRow($0, own: own, global: global) }
      if global.json {
        try Output.document(["set": found.path, "vaults": rows])
      } else if table.isShown(global) {
        try table.print(rows, columns: columns, global: global)
      } else {
        try Output.lines(rows.map { Printable.text($0.line) })
      }
      if rows.isEmpty { global.messages.note("the set has no vaults: `vault vaults add NAME DIR` adds one") }
      let faults = rows.compactMap(\.fault)
      for fault in faults { global.messages.report(fault) }
      guard !faults.isEmpty else { return }
      throw Finished(status: faults.contains { $0.status == .unexpectedVault } ? .unexpectedVault : .partlyDone)
    }

    private var columns: [TableColumn<SetRow>] {
      let (style, table) = (global.style, table)
      return [
        TableColumn(title: "NAME", rank: 0, least: 8) { $0.member.name },
        TableColumn(title: "RECORDS", rank: 3) { $0.count.map { "\($0)" } ?? "" },
        TableColumn(title: "OPENS", rank: 2) { $0.opens },
        TableColumn(title: "KEYS", rank: 1, least: 12, most: 60) { $0.keys },
        TableColumn(title: "PLACE", rank: 4, least: 8, look: style.dim) { $0.member.vault.place },
        TableColumn(title: "ID", rank: 5, look: style.dim) {
          table.wide ? $0.member.vault.id.text : String($0.member.vault.id.text.prefix(8))
        },
      ]
    }
  }

  struct Remove: ParsableCommand, VaultNaming {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a vault from the set; the vault itself stays as it is.",
      discussion: """
        Example:
          vault vaults remove contractors

        This machine also forgets which vault the name stood for.
        """,
      aliases: ["rm", "delete"])

    @Argument(help: "The name of the vault in the set.")
    var name: String

    @OptionGroup var choice: SetOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      var found = try FoundSet.required(choice.vaults)
      let member = try found.member(name)
      found.set.remove(name)
      try found.write()
      WrittenFiles.current?.note(.file, at: found.path, global.messages)
      member.forget(StateLocation.state(global.messages), global.messages)
      guard global.json else {
        return global.messages.note("\(member.name) was removed from the set; its vault stays as it is")
      }
      try Output.document(["removed": member.name])
    }
  }
}

/// A vault of the set in `vaults list`.
private struct SetRow: DocumentValue {
  let member: SetMember
  private(set) var slots: [Slot] = []
  private(set) var count: Int?
  private(set) var fault: CommandError?
  /// `yes`, `no`, or `passphrase` if only a passphrase could tell.
  private(set) var opens = "no"
  private let state: String

  init(_ member: SetMember, own: OwnRecipients, global: GlobalOptions) {
    self.member = member
    let mark = StateLocation.path.flatMap { try? member.mark(KnownVaults(directory: $0)) }
    state = mark.map { $0.vaultID != member.vault.id ? "differs" : $0.isAccepted ? "accepted" : "known" } ?? "new"
    do {
      let locked = try member.opened()
      slots = locked.header.slots
      opens = own.open(slots)
      count = try locked.recordCount()
    } catch {
      fault = CommandError(any: error)
      if let error = fault, error.subject != member.words {
        fault = error.about(member.words + (error.subject.map { ": \($0)" } ?? ""))
      }
    }
  }

  var keys: String { slots.map { $0.label.isEmpty ? $0.who : $0.label }.joined(separator: ", ") }

  var line: String {
    [
      member.name, member.vault.id.text, count.map { "\($0)" } ?? "-", fault == nil ? opens : "-", member.vault.place,
      keys,
    ].joined(separator: "  ")
  }

  var document: JSONValue {
    .members([
      "fault": fault?.code, "id": member.vault.id, "name": member.name, "opens": fault == nil ? opens : nil,
      "place": member.vault.place, "records": count, "slots": slots, "state": state,
      "takes": member.vault.takes.map(\.description),
    ])
  }
}

/// The recipients of the available identities.
private struct OwnRecipients {
  private let identities: [AgeIdentity]
  /// Whether an identity file is sealed, and nobody was asked for its passphrase.
  private let hasSealed: Bool

  init(_ options: UnlockOptions, _ global: GlobalOptions) throws {
    let keys = try KeyReader(options, global, asks: false)
    var identities = KeySource.standardIdentities ?? []
    var hasSealed = KeySource.hasSealedStandardIdentity
    while let source = keys.next() {
      do {
        identities += try keys.identities(of: source) ?? []
      } catch let error as CommandError where error.code == "passphrase_needed" {
        hasSealed = true
      }
    }
    (self.identities, self.hasSealed) = (identities, hasSealed)
  }

  func open(_ slots: [Slot]) -> String {
    if slots.contains(where: { $0.mayOpen(with: identities) }) { return "yes" }
    return slots.contains { hasSealed || $0.kind == .scrypt } ? "passphrase" : "no"
  }
}

extension SetMember {
  func forget(_ state: KnownVaults?, _ messages: Messages) {
    do {
      try state?.forget(name, inSetsAt: KnownVaults.paths(ofSet: set.path))
    } catch {
      messages.note("this machine still remembers which vault \(name) stood for: \(CommandError(any: error).reason)")
    }
  }
}

/// A command whose argument is the name of a vault in the set.
protocol VaultNaming: PlaceCompleting {}

extension VaultNaming {
  static func candidates(for argument: String, _ place: some CompletionPlace) async -> CompletionResult? {
    argument == "name" ? .words(place.fitting(place.vaultNames)) : nil
  }
}
