import ArgumentParser
import VaultDocument
import VaultKit
import VaultMerge

/// `vault merge`: what git has left unmerged.
struct MergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Finish what git stopped at: merge records that it left unmerged.",
    discussion: """
      With --continue it joins each record that a merge, rebase, cherry-pick, revert or stash of git has left unmerged, by \
      field and with the key, and tells git. What stands in the work tree does not count: git keeps both sides. Where both \
      have changed a field it is left, and the command ends with 4; --ours or --theirs says which side wins there, for \
      all records or for those that are named. Committing is left to you. In a rebase, ours is what you rebase onto.

      Example:
        vault merge --continue
        vault merge --continue --theirs GitHub
        git commit
      """)

  @Argument(help: "Only these records: ids, or names.")
  var record: [String] = []

  @Flag(name: .customLong("continue"), help: "Go on with what git has begun.")
  var goesOn = false

  @Flag(help: "Where both changed something, ours wins.")
  var ours = false

  @Flag(help: "Where both changed something, theirs wins.")
  var theirs = false

  @Flag(help: "Say what would be merged, and change nothing.")
  var dryRun = false

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard goesOn else {
      throw CommandError.usage(
        "--continue", "is needed", "`git merge` begins a merge, `vault merge --continue` goes on")
    }
    guard !ours || !theirs else { throw CommandError.usage("--ours", "cannot stand with --theirs") }
    let session = try Session(vault, global)
    let opened = try await (dryRun ? session.unlock(unlocking) : session.unlockToWrite(unlocking))
    guard let unmerged = Unmerged(vault: session.location.path) else {
      if global.json { return try report([], [], []) }
      return global.messages.note("git waits for no file of the vault")
    }
    var (merged, left): ([Line], [Line]) = ([], [])
    for record in try chosen(unmerged.records(), opened) {
      let name = record.name(opened)
      switch try record.outcome(opened, preferring: ours ? .ours : theirs ? .theirs : nil) {
      case .merged(let bytes): merged.append(Line(record: record, name: name, bytes: bytes))
      case .left(let conflicts): left.append(Line(record: record, name: name, conflicts: conflicts))
      }
    }
    if !dryRun, !merged.isEmpty {
      let places = try await opened.put(merged.map { Vault.MergedRecord($0.record.id, $0.bytes) })
      try unmerged.add(places.filled, removing: places.emptied)
    }
    try report(merged, left, record.isEmpty ? unmerged.otherFiles : [])
  }

  private func chosen(_ records: [UnmergedRecord], _ vault: Vault) throws -> [UnmergedRecord] {
    guard !record.isEmpty else { return records }
    let words = record
    for word in words where !records.contains(where: { $0.id.text == word || $0.name(vault) == word }) {
      throw CommandError(
        .notFound, "no_such_record", subject: word, "is none of the records that git has left unmerged",
        hints: ["`vault merge --continue --dry-run` lists them"])
    }
    return records.filter { words.contains($0.id.text) || words.contains($0.name(vault)) }
  }

  private func report(_ merged: [Line], _ left: [Line], _ others: [String]) throws {
    let isWhole = left.isEmpty && others.isEmpty
    if global.json {
      try Output.document([
        "dry_run": .bool(dryRun), "left": .array(left.map(\.document) + others.map { .members(["file": .string($0)]) }),
        "merged": .array(merged.map(\.document)),
      ])
    } else {
      try Output.lines(merged.map { Printable.text("merged \($0.title)") } + left.flatMap(\.lines).map(Printable.text))
      try Output.lines(others.map { Printable.text("left \($0): no record") })
      tell(left, others, isWhole: isWhole && !merged.isEmpty)
    }
    guard isWhole else { throw Finished(status: .partlyDone) }
  }

  private func tell(_ left: [Line], _ others: [String], isWhole: Bool) {
    let reasons = left.flatMap { $0.conflicts.map(\.reason) }
    for hint in Set(reasons.compactMap(\.advice)).sorted() { global.messages.note(hint) }
    if !others.isEmpty {
      global.messages.note("`git checkout --ours -- FILE`, or --theirs, and `git add FILE` take one side")
    }
    if others.contains("checkpoint.json") { global.messages.note("then `vault checkpoint` makes a new one") }
    if isWhole, !dryRun { global.messages.note("`git commit`, or `git rebase --continue` and the like, finishes it") }
  }

  /// What became of one record.
  private struct Line {
    let record: UnmergedRecord
    let name: String
    var bytes: [UInt8]?
    var conflicts: [MergeConflict] = []

    var title: String { "\(record.files.first ?? record.id.text) (\(name))" }
    var lines: [String] { conflicts.map { "left \(title): \($0.line)" } }

    var document: JSONValue {
      .members([
        "conflicts": .array(
          conflicts.map {
            .members(["field": .optional($0.path?.description), "reason": .string($0.reason.rawValue)])
          }), "file": .optional(record.files.first), "name": .string(name), "record": .string(record.id.text),
      ])
    }
  }
}
