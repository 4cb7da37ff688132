import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultTerminal

struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "List, add, remove and change the ways to unlock.",
    discussion: """
      Example:
        vault key list
        vault key add --recipient age1… --label "Ada's laptop"

      A slot is an age file that holds the key of the vault for one recipient or one passphrase. SLOT is the id of a \
      slot, its exact label, or the beginning of its id.
      """,
    subcommands: [List.self, Add.self, PrintSheet.self, Remove.self, ChangePassphrase.self],
    defaultSubcommand: List.self)
}

extension KeyCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the slots and how strong they are.",
      discussion: """
        Example:
          vault key list

        Without a key the list is not verified, and a note says so.
        """,
      aliases: ["ls"])

    @OptionGroup var table: TableOptions
    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let session = try Session(vault, global)
      let opened = try await session.unlockWithoutAsking(unlocking)
      let states = try opened?.slotStates() ?? session.locked.slotStates()
      let sheets = SheetMemory(of: session.locked.header.vaultID)
      if global.json {
        try Output.document(["slots": states.map { $0.document(sheets) }, "verified": opened != nil])
      } else {
        if table.isShown(global) {
          try table.print(states, columns: columns(sheets), global: global)
        } else {
          try Output.lines(states.map { Printable.text($0.line + ($0.words(sheets).map { "  (\($0))" } ?? "")) })
        }
        if opened == nil { global.messages.note(Messages.unverifiedNote) }
      }
      let faults = states.compactMap(\.fault)
      for fault in faults { global.messages.report(fault) }
      if let fault = faults.first { throw Finished(status: ExitStatus(fault.code)) }
    }

    private func columns(_ sheets: SheetMemory) -> [TableColumn<SlotState>] {
      let (style, table) = (global.style, table)
      return [
        TableColumn(title: "LABEL", rank: 0, least: 12) { state in
          state.slot.label.isEmpty ? "-" : state.slot.label
        },
        TableColumn(title: "KIND", rank: 3) { $0.slot.kindWords },
        TableColumn(title: "KEY", rank: 1, least: 12, most: 62) { state in
          [state.slot.who, state.strength, state.words(sheets)].compactMap { $0 }.joined(separator: ", ")
        },
        TableColumn(title: "AGE", rank: 2, look: style.dim) { table.shown($0.slot.createdAt) },
        TableColumn(title: "ID", rank: 1, look: style.dim) { table.shown($0.slot.id) },
      ]
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a way to unlock.",
      discussion: """
        Example:
          vault key remove "Ada's laptop" --rekey

        The command asks before it removes the slot that unlocked the vault, or a slot whose file is damaged. Without \
        a terminal that needs --yes. At a terminal a part of a label is enough, and then the command also asks.

        The vault keeps its key, so somebody who had a key can still open it. --rekey, or a yes at the end, reseals the \
        vault. The command then lists the secrets to replace at their source.
        """,
      aliases: ["rm", "delete"])

    @Argument(help: "The id, exact label, or beginning of the id of a slot.")
    var slot: String

    @Flag(help: "Also reseal under a new key, and list secrets to replace at their source.")
    var rekey = false

    @OptionGroup var everywhere: EverywhereOptions
    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      var session = try Session(vault, global)
      session.keepsPassphrase = true
      let opened = try await session.unlock(unlocking, to: .writing, withRootKey: true)
      let (chosen, isNamed) = try named(opened.header)
      let isDamaged = try opened.locked.state(of: chosen).fault != nil
      if isDamaged {
        try global.confirm("The file of the slot \(chosen.words) is damaged, but could be restored. Remove the slot?")
      } else if chosen.id == opened.slot.id {
        try global.confirm("You unlocked the vault with the slot \(chosen.words). Remove the slot?")
      } else if !isNamed {
        try global.confirm("Remove the slot \(chosen.words)?")
      }
      let removed = try await opened.removeSlot(chosen.id, evenDamaged: isDamaged)
      if rekey { return try await resealed(opened, removed: removed, location: session.location) }
      let warnings = Self.warnings(session.location)
      if global.json {
        return try Output.document(["notes": warnings, "removed": removed])
      }
      global.messages.note("the slot \(removed.words) was removed")
      for warning in warnings { global.messages.note(warning) }
      try await offerReseal(opened, session.location)
    }

    /// The named slot. At a terminal, a part of a label is enough if it is unique, and then a question follows.
    private func named(_ header: VaultHeader) throws -> (slot: Slot, isNamed: Bool) {
      do {
        return (try header.slot(argument: slot), true)
      } catch let error as CommandError where error.vaultCode == .noSuchSlot && !slot.isEmpty {
        let part = PartMatch(slot)
        let found = header.slots.filter { !$0.label.isEmpty && part.matches(baseLetters: BaseLetters.of($0.label)) }
        if found.count == 1, !global.yes, global.isAtTerminal { return (found[0], false) }
        throw error.near(found.prefix(5).map(\.label))
      }
    }

    /// Reseals the vault without the holder of the slot. Lists the secrets that they have read, as `vault due
    /// --leaver`.
    private func resealed(_ opened: Vault, removed: Slot, location: VaultLocation) async throws {
      global.messages.note("the slot \(removed.words) was removed")
      try await reseal(opened, location)
    }

    private func reseal(_ opened: Vault, _ location: VaultLocation) async throws {
      try await RotationRun(opened: opened, at: location, global: global).report(.reseal)
      guard !global.json else { return }
      // Only the new header tells the time of the reseal.
      try DueReport(location.open(global).due(.sinceReseal)).print(global)
    }

    /// Offers to reseal, only at a terminal. `--yes` confirms only the removal of the slot.
    private func offerReseal(_ opened: Vault, _ location: VaultLocation) async throws {
      guard !global.yes, Messages.vault == nil, let terminal = Terminal(noInput: global.noInput),
        try terminal.confirms("Reseal the vault now?")
      else { return }
      try await reseal(opened, location)
    }

    /// The limits of removing a slot.
    private static func warnings(_ location: VaultLocation) -> [String] {
      [
        "the key of the vault is still the same: copies of the slot, as in \(location.keepers), open it",
        "`vault rekey --reseal` gives the vault a new key, which these copies do not open",
      ]
    }
  }
}

extension SlotState {
  /// When this machine last checked the sheet of the slot; nil for other slots.
  fileprivate func words(_ sheets: SheetMemory) -> String? { sheets.entry(of: slot.recipient)?.words }

  fileprivate func document(_ sheets: SheetMemory) -> JSONValue {
    guard let entry = sheets.entry(of: slot.recipient), case .object(var members) = document else { return document }
    members["sheet"] = entry.document
    return .object(members)
  }
}

extension VaultHeader {
  func slot(argument text: String) throws -> Slot {
    do throws(VaultError) {
      return try slot(named: text)
    } catch {
      throw CommandError(error).about(text.isEmpty ? "SLOT \"\"" : text)
    }
  }
}
