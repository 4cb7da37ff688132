import ArgumentParser
import VaultDocument
import VaultKit

/// `vault slot`: the ways to unlock.
struct SlotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "slot",
    abstract: "List, add, remove and change the ways to unlock.",
    discussion: """
      A slot is an age file that holds the vault's key, for one recipient or one passphrase. SLOT is an id, an exact \
      label, or the beginning of an id.

      Example:
        vault slot list
        vault slot add --recipient age1… --label "Ada's laptop"
      """,
    subcommands: [List.self, Add.self, Remove.self, ChangePassphrase.self])
}

extension SlotCommand {
  /// `vault slot list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the slots and how strong they are.",
      discussion: """
        Without a key the list is not verified, and it says so.

        Example:
          vault slot list
        """,
      aliases: ["ls"])

    @OptionGroup var table: TableOptions
    @OptionGroup(title: "Vault") var vault: VaultOptions
    @OptionGroup(title: "Key") var unlocking: UnlockOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      let session = try Session(vault, global)
      let opened = try await session.unlockWhereItHelps(unlocking)
      let states = try opened?.slotStates() ?? session.locked.slotStates()
      if global.json {
        try Output.document(["slots": .array(states.map(\.document)), "verified": .bool(opened != nil)])
      } else {
        if table.isShown(global) {
          try table.print(states, columns, global)
        } else {
          try Output.lines(states.map { Printable.text($0.line) })
        }
        if opened == nil { global.messages.note(Messages.unverifiedNote) }
      }
      let faults = states.compactMap(\.fault)
      for fault in faults { global.messages.report(fault) }
      if let fault = faults.first { throw Finished(status: ExitStatus(fault.code)) }
    }

    private var columns: [TableColumn<SlotState>] {
      let (style, table) = (global.style, table)
      return [
        TableColumn(title: "LABEL", rank: 0, least: 12) { state in
          state.slot.label.isEmpty ? "-" : state.slot.label
        },
        TableColumn(title: "KIND", rank: 3) { $0.slot.kind.name },
        TableColumn(title: "KEY", rank: 1, least: 12, most: 62) { state in
          [state.slot.who, state.strength].compactMap { $0 }.joined(separator: ", ")
        },
        TableColumn(title: "AGE", rank: 2, look: style.dim) { table.shown($0.slot.createdAt) },
        TableColumn(title: "ID", rank: 1, look: style.dim) { table.shown($0.slot.id) },
      ]
    }
  }

  /// `vault slot remove`.
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Take a way to unlock away.",
      discussion: """
        It asks before it takes away the slot that unlocked the vault, or one whose file is damaged; without a terminal \
        that needs --yes. The keys stay the same: only `vault rotate --reseal` shuts out whoever has had them.

        Example:
          vault slot remove "Ada's laptop"
        """,
      aliases: ["rm", "delete"])

    @Argument(help: "The id, exact label, or beginning of the id of a slot.")
    var slot: String

    @OptionGroup(title: "Vault") var vault: VaultOptions
    @OptionGroup(title: "Key") var unlocking: UnlockOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      var session = try Session(vault, global)
      session.keepsPassphrase = true
      let opened = try await session.unlockToWrite(unlocking)
      let chosen = try opened.header.slot(argument: slot)
      let isDamaged = try opened.locked.state(of: chosen).fault != nil
      if isDamaged {
        try global.confirm("The file of the slot \(chosen.words) is damaged and may be restored. Give it up?")
      } else if chosen.id == opened.slot.id {
        try global.confirm("The slot \(chosen.words) is the one that you have unlocked with. Remove it?")
      }
      let removed = try await opened.removeSlot(chosen.id, evenDamaged: isDamaged)
      if global.json {
        return try Output.document([
          "notes": .array(Self.warnings.map { .string($0) }), "removed": removed.document,
        ])
      }
      global.messages.note("the slot \(removed.words) is removed")
      for warning in Self.warnings { global.messages.note(warning) }
      try await offerReseal(opened)
    }

    /// Asks at a terminal only: `--yes` answers whether the slot goes, and no more.
    private func offerReseal(_ opened: Vault) async throws {
      guard !global.yes, let terminal = Terminal(noInput: global.noInput),
        try terminal.confirms("Reseal the vault now?")
      else { return }
      try await RotationRun(opened: opened, global: global).report(.reseal)
    }

    /// What removing a slot does not do.
    private static let warnings = [
      "the key is still the same: copies of the slot in git history, backups and other folders open this vault",
      "`vault rotate --reseal` gives it a new one, which they do not open",
    ]
  }
}

extension VaultHeader {
  /// The slot that a word of the command line means.
  func slot(argument text: String) throws -> Slot {
    do throws(VaultError) {
      return try slot(named: text)
    } catch {
      throw CommandError(error).about(text.isEmpty ? "SLOT is empty" : text)
    }
  }
}
