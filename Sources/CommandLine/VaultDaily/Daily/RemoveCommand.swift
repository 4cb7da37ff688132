import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultTerminal

struct RemoveCommand: AsyncParsableCommand, ManyRecordsNaming {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Move records to the trash of the vault.",
    discussion: """
      Removed records stay sealed in the vault's `trash` folder. The command asks at a terminal; without a terminal \
      it needs --yes.

      Example:
        vault remove "Shai Mishali" --yes
      """,
    aliases: ["rm", "delete"])

  @Argument(help: "Ids, beginnings of ids, or names in upper or lower case.")
  var record: [String]

  @OptionGroup var everywhere: EverywhereOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    var session = try Session(vault, global)
    // A user who confirms in advance must give full names.
    session.takesParts = !global.yes
    guard global.yes || global.canAsk else {
      // An unknown or ambiguous word is reported first, because `--yes` cannot help then.
      for text in record { _ = try await session.resolve(text) }
      throw CommandError.unconfirmed()
    }
    let opened = try await session.unlock(unlocking, to: .writing, for: record)
    var records: [OpenRecord] = []
    for text in record {
      let found = try await session.recordToRemove(text, in: opened)
      if !records.contains(where: { $0.id == found.id }) { records.append(found) }
    }
    try global.confirm(question(records))
    try await opened.remove(records.map(\.id))
    let action = counted(records.count, "record") + " removed"
    guard global.json else { return global.messages.note(action) }
    try Output.afterwards(action) {
      try Output.document(["removed": records.map(\.id)])
    }
  }

  private func question(_ records: [OpenRecord]) -> String {
    let names = records.prefix(5).map { "\"\($0.name)\" (\($0.id.text.prefix(8)))" }.joined(separator: ", ")
    return "Remove \(names)\(records.count > 5 ? " and \(records.count - 5) more" : "")?"
  }
}
