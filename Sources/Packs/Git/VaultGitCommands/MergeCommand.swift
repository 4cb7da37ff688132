import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultMerge
import VaultRecords
import VaultStorage
import VaultTerminal

/// `vault merge`: joins conflict copies, a whole copy of the vault or a commit by record and field, or finishes an
/// unmerged state of git.
struct MergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Join two versions of the vault by record and field: conflict copies, another folder, or a commit.",
    discussion: """
      Example:
        vault merge
        vault merge ~/old-laptop/vault --dry-run
        vault merge origin/main
        vault merge --continue --theirs GitHub
        git commit

      Without arguments it joins the conflict copies that a service for synced folders has put into the vault. With \
      FILE or FOLDER it joins these files, or a whole copy of the vault. Each version is verified with the key. Of two \
      sealed values, the one sealed later counts. Of two readable values, the one in the later version counts. The \
      joined copies move to merged/ in this machine's state. A FOLDER stays as it is.

      With COMMIT it lets git begin a merge, and joins what both sides have changed, in one process and with the key: \
      records by their ids, ways to unlock, and kinds. It refuses to begin while something is not committed.

      With --continue it goes on with a merge, rebase, cherry-pick, revert or stash. It joins each record that git has \
      left unmerged, by field and with the key, and tells git. It ignores the work tree, because git keeps both sides. \
      You commit the result.

      If both sides have changed a field, the command asks at a terminal. Without a terminal, a merge in git leaves \
      the record (exit status 4), and a merge of copies takes the later value. --ours, --theirs or --newest says \
      which side wins, for all records or for the named ones. In a rebase, ours is what you rebase onto.

      Before it begins, it checks what only the other side has changed, as `vault git check` does, and verifies these \
      records with the key. It ends with 14 or 13 if a record went back, was changed without a key or does not verify.

      A branch that began before a rekey has records under the old root key. --adopt-old-root verifies these \
      changes with the key that you had then, shows them, asks, and seals them under the present keys.
      """)

  @Argument(
    help: ArgumentHelp(
      "A commit, files or a folder; after a commit or --continue only these records, by id or name.",
      valueName: "commit-or-path"))
  var record: [String] = []

  @Flag(name: .customLong("continue"), help: "Go on with what git has begun and stopped.")
  var goesOn = false

  @Flag(help: "Abort the merge that is under way.")
  var abort = false

  @Flag(help: "If both sides changed something, ours wins.")
  var ours = false

  @Flag(help: "If both sides changed something, theirs wins.")
  var theirs = false

  @Flag(help: "If both sides changed something, the later change wins, by the times in the records.")
  var newest = false

  @Flag(help: "Adopt changes under a replaced root key; after a reseal, name the ids or answer for each.")
  var adoptOldRoot = false

  @Flag(help: "Show what would be merged, and change nothing; for a commit only --adopt-old-root needs a key.")
  var dryRun = false

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  /// The records in which a side wins, or the only ones to merge; empty for all.
  private var words: [String] { goesOn ? record : Array(record.dropFirst()) }

  func run() async throws {
    let sides = [(ours, "--ours"), (theirs, "--theirs"), (newest, "--newest")].filter(\.0).map(\.1)
    guard sides.count < 2 else { throw CommandError.usage(sides[0], "cannot be combined with \(sides[1])") }
    guard !goesOn || !abort else { throw CommandError.usage("--continue", "cannot be combined with --abort") }
    if abort { return try giveUp(sides) }
    if !goesOn, let merge = try FolderMerge(record, vault, global, isDryRun: dryRun) {
      return try await merge.run(
        unlocking, preferring: ours ? .ours : theirs ? .theirs : nil,
        adoption: adoptOldRoot
          ? { Adoption(session: $0, vault: vault, unlocking: unlocking, global: global, opened: $1) } : nil,
        by: folderRule)
    }
    if goesOn { return try await finish(MergeRun.continuing(vault, global, dryRun: dryRun)) }
    guard let commit = record.first else {
      throw CommandError.usage(
        "COMMIT", "is needed: this vault is in git and has no conflict copies",
        "`vault merge COMMIT` merges a commit, `vault merge --continue` goes on")
    }
    let run = try MergeRun.beginning(commit, vault: vault, global: global, dryRun: dryRun)
    if dryRun { return try await plan(run, commit) }
    let opened = try await run.session.unlock(unlocking, to: .writing, withRootKey: run.joinsHeaders || adoptOldRoot)
    try run.examine(commit, with: opened)
    // Ask before git begins, so that a refusal changes nothing. If our side is the old one, the merge must bring their
    // keys first.
    let old =
      adoptOldRoot ? run.sides?.planned().records.filter { $0.replacedSide(in: opened.header) != nil } ?? [] : []
    let adopted = old.isEmpty ? nil : try await adopted(old, from: commit, session: run.session, opened: opened)
    guard let operation = try run.begin(commit) else { return }
    do {
      // If only they changed the header, git has put their header in place, which may have other keys.
      let next = try MergeRun.continuing(vault, global, dryRun: false, (run, operation))
      let isSame = next.session.locked.headerBytes == run.session.locked.headerBytes
      try await finish(next, isSame ? opened : nil, isSame ? adopted : nil)
    } catch  where !(error is Finished) {
      let going = "vault merge --continue" + (adoptOldRoot ? " --adopt-old-root" : "")
      global.messages.note("the merge has begun: `\(going)` goes on, `vault merge --abort` aborts it")
      throw error
    }
  }

  private func giveUp(_ sides: [String]) throws {
    guard record.isEmpty, sides.isEmpty, !dryRun, !adoptOldRoot else {
      throw CommandError.usage("--abort", "cannot be combined with anything else")
    }
    try MergeRun.giveUp(vault, global)
    global.messages.note("the merge is aborted: everything is as it was before")
  }

  /// Prints the result of merging two commits, without a key unless an old root key must open a record.
  private func plan(_ run: MergeRun, _ commit: String) async throws {
    try run.examine(commit, with: nil)
    guard let planned = run.sides?.planned() else {
      global.messages.note(
        "the two sides have several common ancestors, which git joins first: the result cannot be shown before")
      throw Finished(status: .partlyDone)
    }
    var report = MergeReport()
    if adoptOldRoot {
      let opened = try await run.session.unlock(unlocking, withRootKey: true)
      let adopted = try await adopted(planned.records, from: commit, session: run.session, opened: opened)
      report.records = try planned.records.map { try Self.result(of: adopted[$0.id] ?? $0, opened, .nobody) }
    } else {
      report.records = planned.records.map { record in
        MergeReport.Record(
          record: record, name: record.name(run.session.locked.kinds), conflicts: record.conflictsWithoutKey())
      }
    }
    report.left = planned.others.map {
      ($0, "both sides have changed it: only the key shows whether they can be joined")
    }
    try report.print(nil, global)
  }

  private func finish(
    _ run: MergeRun, _ unlocked: Vault? = nil, _ adopted: [RecordID: UnmergedRecord]? = nil
  ) async throws {
    guard let state = run.state else {
      if global.json { return try MergeReport().print(dryRun ? nil : "", global) }
      return global.messages.note(
        run.ending.map { "nothing is left unmerged: \($0)" } ?? "no file of the vault is left unmerged")
    }
    var opened = unlocked
    if opened == nil {
      let needsRoot =
        adoptOldRoot || [StoreLocation.header, .checkpoint].contains { state.stopped?.versions(of: $0) != nil }
      opened = try await run.openVault(unlocking, to: dryRun ? .reading : .writing, withRootKey: needsRoot)
    }
    guard let opened else { preconditionFailure("it is unlocked, or an error was thrown") }
    var report = MergeReport()
    report.fingerprint = try? opened.header.fingerprint()
    let header = try run.header(state, vault: opened, report: &report, adopts: adoptOldRoot)
    // The header decides which keys the records have.
    if report.left.isEmpty {
      report.records = try await decidedRecords(state, session: run.session, vault: opened, alreadyAdopted: adopted)
    }
    let takesAll = !goesOn || record.isEmpty
    let isForAll = report.left.isEmpty && takesAll
    let checkpoint = isForAll ? run.checkpoint(state, vault: opened, report: &report, adopts: adoptOldRoot) : nil
    if !dryRun {
      // This comes first, so that an interruption does not leave unmerged records as merged.
      try state.stopped?.keep(report.leftRecords.map(\.record.id))
      try await run.write(report, header: header, checkpoint: checkpoint, opened)
    }
    if takesAll { report.addOthers(state.stopped?.otherFiles ?? []) }
    try report.print(dryRun ? nil : run.ending ?? "`git commit` keeps what was adopted", global)
  }

  /// Merges the chosen records, and asks if both sides changed a field. Nothing is written.
  private func decidedRecords(
    _ state: GitMergeState, session: Session, vault: Vault, alreadyAdopted: [RecordID: UnmergedRecord]?
  ) async throws -> [MergeReport.Record] {
    let records = try chosen(state.records(), vault)
    var adopted = alreadyAdopted ?? [:]
    if adoptOldRoot, alreadyAdopted == nil {
      adopted = try await self.adopted(records, from: state.theirCommit, session: session, opened: vault)
    }
    let rule = rule(vault)
    return try records.map { record in
      let isMeant = goesOn || words.isEmpty || words.contains(record.id.text) || words.contains(record.name(vault))
      return try Self.result(of: adopted[record.id] ?? record, vault, isMeant ? rule : .nobody)
    }
  }

  private static func result(
    of record: UnmergedRecord, _ vault: Vault, _ rule: MergeRule
  ) throws -> MergeReport.Record {
    let name = record.name(vault)
    return switch try record.outcome(vault, by: rule) {
    case .merged(let bytes): MergeReport.Record(record: record, name: name, bytes: bytes)
    case .left(let conflicts): MergeReport.Record(record: record, name: name, conflicts: conflicts)
    }
  }

  private func rule(_ vault: Vault) -> MergeRule {
    if ours { return .side(.ours) }
    if theirs { return .side(.theirs) }
    if newest { return .newer }
    return mayAsk ? .asking(MergeQuestions(vault, global)) : .nobody
  }

  private var mayAsk: Bool { global.isAtTerminal && !global.yes && !dryRun }

  private func folderRule(_ vault: Vault) -> FolderRule {
    if ours { return .side(.ours) }
    if theirs { return .side(.theirs) }
    return mayAsk && !newest ? .asking(MergeQuestions(vault, global)) : .newest
  }

  /// Records from before a rotation, after the user has confirmed them.
  private func adopted(
    _ records: [UnmergedRecord], from commit: String, session: Session, opened: Vault
  ) async throws -> [RecordID: UnmergedRecord] {
    let adoption = Adoption(
      session: session, vault: vault, unlocking: unlocking, global: global, opened: opened, theirCommit: commit)
    return try await adoption.records(of: records, named: words, asks: !dryRun)
  }

  private func chosen(_ records: [UnmergedRecord], _ vault: Vault) throws -> [UnmergedRecord] {
    for word in words where !records.contains(where: { $0.id.text == word || $0.name(vault) == word }) {
      throw CommandError(
        .notFound, "no_such_record", subject: word, "is not one of the records that git has left unmerged",
        hints: ["`vault merge --continue --dry-run` lists them"])
    }
    // A commit is merged as a whole. A side wins only in the named records.
    guard goesOn, !words.isEmpty else { return records }
    return records.filter { words.contains($0.id.text) || words.contains($0.name(vault)) }
  }
}

extension MergeCommand: LeavingCommits {}
