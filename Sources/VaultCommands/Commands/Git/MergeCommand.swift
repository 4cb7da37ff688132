import ArgumentParser
import VaultDocument
import VaultKit
import VaultMerge
import VaultRecords
import VaultStorage

/// `vault merge`: a commit, by record and field, or what git has left unmerged.
struct MergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge a commit by record and field, or finish what git stopped at.",
    discussion: """
      With COMMIT it has git begin a merge and joins what both sides have changed, in one process and with the key: \
      records by their ids, the ways to unlock, kinds. It refuses while something is not committed.

      With --continue it joins each record that a merge, rebase, cherry-pick, revert or stash of git has left unmerged, by \
      field and with the key, and tells git. What stands in the work tree does not count: git keeps both sides. Where both \
      have changed a field it is left, and the command ends with 4; --ours or --theirs says which side wins there, for \
      all records or for those that are named. Committing is left to you. In a rebase, ours is what you rebase onto.

      Example:
        vault merge origin/main --dry-run
        vault merge origin/main
        vault merge --continue --theirs GitHub
        git commit
      """)

  @Argument(
    help: ArgumentHelp(
      "The commit, without --continue; then only these records: ids, or names.", valueName: "commit-or-record"))
  var record: [String] = []

  @Flag(name: .customLong("continue"), help: "Go on with what git has begun.")
  var goesOn = false

  @Flag(help: "Give a merge up that is under way.")
  var abort = false

  @Flag(help: "Where both changed something, ours wins.")
  var ours = false

  @Flag(help: "Where both changed something, theirs wins.")
  var theirs = false

  @Flag(help: "Say what would be merged, and change nothing; of a commit without a key.")
  var dryRun = false

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard !ours || !theirs else { throw CommandError.usage("--ours", "cannot stand with --theirs") }
    guard !goesOn || !abort else { throw CommandError.usage("--continue", "cannot stand with --abort") }
    if abort { return try await giveUp() }
    if goesOn { return try await finish(MergeRun.continuing(vault, global, dryRun: dryRun), record, nil) }
    guard let commit = record.first else {
      throw CommandError.usage(
        "COMMIT", "is needed, or --continue", "`vault merge COMMIT` merges one, `vault merge --continue` goes on")
    }
    let run = try MergeRun.beginning(commit, vault, global, dryRun: dryRun)
    if dryRun { return try plan(run) }
    let opened = try await run.session.unlockToWrite(unlocking, withRootKey: run.joinsHeaders)
    guard try run.begin(commit) else { return }
    do {
      // Where only they have changed the header, git has put theirs in place, and the keys may be others.
      let next = try MergeRun.continuing(vault, global, dryRun: false)
      let isSame = next.session.locked.headerBytes == run.session.locked.headerBytes
      try await finish(next, Array(record.dropFirst()), isSame ? opened : nil)
    } catch  where !(error is Finished) {
      global.messages.note("the merge is begun: `vault merge --continue` goes on, `vault merge --abort` gives it up")
      throw error
    }
  }

  private func giveUp() async throws {
    guard record.isEmpty, !ours, !theirs, !dryRun else {
      throw CommandError.usage("--abort", "takes nothing else")
    }
    try MergeRun.giveUp(vault, global)
    global.messages.note("the merge is given up: everything is as before it")
  }

  /// What two commits would leave, without a key.
  private func plan(_ run: MergeRun) throws {
    guard let planned = run.planned() else {
      global.messages.note(
        "the two sides parted from several commits, which git joins first: nothing can be said before")
      throw Finished(status: .partlyDone)
    }
    let lines = planned.records.map { record in
      Line(record: record, name: record.name(run.session.locked.kinds), conflicts: record.conflictsWithoutKey())
    }
    try report(
      lines.filter(\.conflicts.isEmpty), lines.filter { !$0.conflicts.isEmpty },
      Files(left: planned.others.map { ($0, "both have written it: whether they join is seen with the key") }))
  }

  private func finish(_ run: MergeRun, _ words: [String], _ unlocked: Vault?) async throws {
    guard let unmerged = run.unmerged else {
      if global.json { return try report([], [], Files()) }
      return global.messages.note(
        run.isUnderWay ? "nothing is left unmerged: `git commit` finishes it" : "git waits for no file of the vault")
    }
    var opened = unlocked
    if opened == nil {
      let needsRoot = unmerged.versions(of: .header) != nil
      opened = try await run.unlock(unlocking, withRootKey: needsRoot, toWrite: !dryRun)
    }
    guard let opened else { preconditionFailure("it is unlocked, or an error was thrown") }
    var files = Files()
    let header = try run.header(unmerged, opened, &files)
    // Under which keys the records are is for the header to say.
    let lines = files.left.isEmpty ? try lines(unmerged, words, opened) : []
    let (merged, left) = (lines.filter(\.conflicts.isEmpty), lines.filter { !$0.conflicts.isEmpty })
    let takesAll = !goesOn || words.isEmpty
    let checkpoint = files.left.isEmpty && takesAll ? run.checkpoint(unmerged, opened, &files) : nil
    // First, so that whatever comes between nothing is settled that is not.
    if !dryRun { try unmerged.keep(left.map(\.record.id)) }
    // Where the header is left, nothing can be written.
    if !dryRun, !(merged.isEmpty && files.merged.isEmpty) {
      var places = try await opened.put(merged.map { Vault.MergedRecord($0.record.id, $0.bytes) })
      if let checkpoint {
        try await opened.put(checkpoint: checkpoint)
        places.filled.append(.checkpoint)
      }
      // Last: whoever reads it remembers it, and goes on with it.
      if let header {
        try await opened.put(header: header, replacing: run.session.locked.headerBytes)
        places.filled.append(.header)
      }
      try unmerged.add(places.filled, removing: places.emptied)
    }
    if takesAll { files.addOthers(unmerged.otherFiles) }
    try report(merged, left, files)
  }

  /// What becomes of the records.
  private func lines(_ unmerged: Unmerged, _ words: [String], _ vault: Vault) throws -> [Line] {
    let preference: MergeSide? = ours ? .ours : theirs ? .theirs : nil
    return try chosen(unmerged.records(), words, vault).map { record in
      let name = record.name(vault)
      let isMeant = goesOn || words.isEmpty || words.contains(record.id.text) || words.contains(name)
      switch try record.outcome(vault, preferring: isMeant ? preference : nil) {
      case .merged(let bytes): return Line(record: record, name: name, bytes: bytes)
      case .left(let conflicts): return Line(record: record, name: name, conflicts: conflicts)
      }
    }
  }

  /// Files that are no records.
  struct Files {
    var merged: [String] = []
    /// With what is in the way.
    var left: [(file: String, reason: String)] = []

    fileprivate mutating func addOthers(_ files: [String]) {
      for file in files where !merged.contains(file) && !left.contains(where: { $0.file == file }) {
        left.append((file, "no record"))
      }
    }
  }

  private func chosen(_ records: [UnmergedRecord], _ words: [String], _ vault: Vault) throws -> [UnmergedRecord] {
    guard !words.isEmpty else { return records }
    for word in words where !records.contains(where: { $0.id.text == word || $0.name(vault) == word }) {
      throw CommandError(
        .notFound, "no_such_record", subject: word, "is none of the records that git has left unmerged",
        hints: ["`vault merge --continue --dry-run` lists them"])
    }
    // Of a commit all are merged, and a side wins in those that are named.
    return !goesOn ? records : records.filter { words.contains($0.id.text) || words.contains($0.name(vault)) }
  }

  private func report(_ merged: [Line], _ left: [Line], _ files: Files) throws {
    let isWhole = left.isEmpty && files.left.isEmpty
    if global.json {
      func members(_ file: String) -> JSONValue { .members(["file": .string(file)]) }
      try Output.document([
        "dry_run": .bool(dryRun), "left": .array(left.map(\.document) + files.left.map { members($0.file) }),
        "merged": .array(merged.map(\.document) + files.merged.map(members)),
      ])
    } else {
      try Output.lines(merged.map { Printable.text("merged \($0.title)") } + files.merged.map { "merged \($0)" })
      try Output.lines(left.flatMap(\.lines).map(Printable.text))
      try Output.lines(files.left.map { Printable.text("left \($0.file): \($0.reason)") })
      tell(left, files, isWhole: isWhole && !(merged.isEmpty && files.merged.isEmpty))
    }
    guard isWhole else { throw Finished(status: .partlyDone) }
  }

  private func tell(_ left: [Line], _ files: Files, isWhole: Bool) {
    let reasons = left.flatMap { $0.conflicts.map(\.reason) }
    for hint in Set(reasons.compactMap(\.advice)).sorted() { global.messages.note(hint) }
    if !files.left.isEmpty, !dryRun {
      global.messages.note("`git checkout --ours -- FILE`, or --theirs, and `git add FILE` take one side")
    }
    if (files.left.map(\.file) + files.merged).contains(StoreLocation.checkpoint.relativePath), !dryRun {
      global.messages.note("once it is committed, `vault checkpoint` makes a checkpoint of both sides")
    }
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
