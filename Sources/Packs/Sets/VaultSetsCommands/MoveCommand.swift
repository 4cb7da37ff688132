import ArgumentParser
import VaultAge
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultTerminal

struct MoveCommand: AsyncParsableCommand, ManyRecordsNaming {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move records to another vault of the set.",
    discussion: """
      Example:
        vault move contractors:GitHub --to ops

      The records are sealed again in the other vault under the same ids, and go to the trash in this one. With --copy \
      they also stay here. The command needs a key of both vaults.

      The command says who can no longer read the records and who can read them from then on, and asks. A move takes \
      two steps: after an interruption the records are in both vaults, and the same command finishes the move.
      """,
    aliases: ["mv"])

  @Argument(help: "Ids, beginnings of ids, or names in upper or lower case.")
  var record: [String]

  @Option(help: ArgumentHelp("The vault of the set that receives the records.", valueName: "vault"))
  var to: String

  @Flag(help: "Also keep the records here.")
  var copy = false

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    var session = try Session(source, global)
    // A user who confirms in advance must give full names.
    session.takesParts = !global.yes
    if !copy { session = try session.confirmingUse(.writing) }
    let there = try Session(target, global)
    guard session.locked.header.vaultID != there.locked.header.vaultID else {
      throw CommandError(
        .inputRefused, "input_refused", subject: to, "is already the vault of these records",
        hints: ["name another vault with --to; `vault vaults list` shows them"])
    }
    guard global.yes || global.canAsk else {
      for text in record { _ = try await session.resolve(text) }
      throw CommandError.unconfirmed()
    }
    let (opened, destination) = try await KeySource.$readPassphrases.withValue(ReadPassphrases()) {
      let opened = try await session.unlock(unlocking, to: copy ? .reading : .writing, for: record)
      return (opened, try await there.unlock(unlocking, to: .writing))
    }
    var records: [OpenRecord] = []
    for text in record {
      let found = try await session.recordToRemove(text, in: opened)
      if !records.contains(where: { $0.id == found.id }) { records.append(found) }
    }
    let change = AudienceChange(from: opened.header.slots, to: destination.header.slots, isCopy: copy)
    try global.confirm(question(records, session: session, change: change))
    if global.yes { for line in change.lines { global.messages.note(line) } }
    let written = try await taken(records, from: opened, by: destination)
    if !copy { try await takeAway(records, opened) }
    try report(records, written: written, session: session, change: change)
  }

  private var source: VaultOptions {
    var options = vault
    // The set may be named for the other vault alone.
    if options.names.isEmpty { options.vaults = nil }
    return options
  }

  /// The target vault, in the set of the source.
  private var target: VaultOptions {
    var options = VaultOptions.none
    (options.names, options.vaults) = ([to], vault.vaults)
    return options
  }

  private func taken(_ records: [OpenRecord], from source: Vault, by destination: Vault) async throws -> [RecordID] {
    do throws(VaultError) {
      return try await destination.take(records, from: source)
    } catch {
      var failure = CommandError(error)
      if error.mayBeStored {
        failure.hints = [
          "nothing was removed here: run the same command again to finish; it stores nothing twice"
        ]
      }
      throw failure
    }
  }

  private func takeAway(_ records: [OpenRecord], _ source: Vault) async throws {
    do {
      try await source.remove(records.map(\.id))
    } catch {
      var failure = CommandError(any: error)
      switch failure.vaultCode {
      case .mayBeLost?: failure.hints.insert("the records are in \(to), and were removed here", at: 0)
      case .outcomeUnknown?:
        failure.hints = ["the records are in \(to), and may be in both vaults: run the same command again to finish"]
      default: failure.hints.append("the records are in both vaults now: run the same command again to finish")
      }
      throw failure
    }
  }

  private func question(_ records: [OpenRecord], session: Session, change: AudienceChange) -> String {
    let names = records.prefix(5).map { "\"\($0.name)\" (\($0.id.text.prefix(8)))" }.joined(separator: ", ")
    let more = records.count > 5 ? " and \(records.count - 5) more" : ""
    return "\(change.lines.map { $0 + ". " }.joined())\(copy ? "Copy" : "Move") \(names)\(more) to \(to)?"
  }

  private func report(
    _ records: [OpenRecord], written: [RecordID], session: Session, change: AudienceChange
  ) throws {
    let count = counted(records.count, "record")
    let action = "\(count) \(copy ? "copied" : "moved") to \(to)"
    guard global.json else {
      global.messages.note(action)
      if written.count < records.count {
        global.messages.note("\(records.count - written.count) of them were there already")
      }
      if let reminder = change.reminder { global.messages.note(reminder) }
      return
    }
    try Output.afterwards(action) {
      try Output.document([
        "copied": copy, "gained": change.gained, "lost": change.lost, "moved": records.map(\.id), "to": to,
      ])
    }
  }
}

/// The readers of a record before and after a move to another vault.
struct AudienceChange {
  private(set) var gained: [Slot]
  private(set) var lost: [Slot]
  private let knowing: [Slot]
  private let isCopy: Bool

  init(from source: [Slot], to destination: [Slot], isCopy: Bool) {
    func isIn(_ slots: [Slot], _ slot: Slot) -> Bool {
      // Two passphrases are never known to be equal.
      slots.contains { other in slot.recipient.map { $0.text == other.recipient?.text } ?? false }
    }
    gained = destination.filter { !isIn(source, $0) }
    lost = isCopy ? [] : source.filter { !isIn(destination, $0) }
    (knowing, self.isCopy) = (source, isCopy)
  }

  var lines: [String] {
    var lines: [String] = []
    if !lost.isEmpty {
      lines.append("after the move these keys cannot open the records: " + lost.map(\.words).joined(separator: ", "))
    }
    if !gained.isEmpty {
      let then = isCopy ? "after the copy these new keys" : "after the move these new keys"
      lines.append(then + " can open the records: " + gained.map(\.words).joined(separator: ", "))
    }
    return lines.isEmpty ? ["the same keys open both vaults"] : lines
  }

  var reminder: String? {
    guard !lost.isEmpty else { return nil }
    let holders = knowing.count == 1 ? "the holder of 1 old key" : "holders of \(knowing.count) old keys"
    return "\(holders) may still know these secrets: replace the secrets at their source"
  }
}

extension MoveCommand: MistakeExplaining {
  static func hint(for mistake: CommandMistake) -> String? {
    mistake == .missingArgument("--to") ? WordsElsewhere.hints["rename"] : nil
  }
}
