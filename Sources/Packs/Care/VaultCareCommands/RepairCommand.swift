import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultSystem
import VaultTerminal
import VaultRepair

/// `vault repair`: undoes damage if a verified copy exists.
struct RepairCommand: AsyncParsableCommand, ManyRecordsNaming {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Restore damaged or missing records from versions that verify.",
    discussion: """
      Example:
        vault repair --dry-run
        vault repair --yes

      The command first prints a plan, one line for each step, and asks. Without a terminal it needs --yes. It takes \
      versions from the vault itself, its trash, and git if the vault is in a work tree. It uses only versions that \
      verify with the key. Replaced files are kept in a new folder beside the vault. If a record has no good version, \
      its sealed fields that still open are written there, in clear text and marked as unverified.

      A record that was removed, and then deleted from the trash, looks like a missing record if git still has it. \
      Read the plan, or name the records that you want.
      """)

  @Argument(help: "Only these records: ids or beginnings of ids; at a terminal also parts of names.")
  var record: [String] = []

  @Flag(help: "Print the plan and change nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp("A new folder for replaced files (default: beside the vault).", valueName: "dir"))
  var aside: String?

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard !global.json || dryRun || global.yes else {
      throw CommandError(
        .declined, "declined", subject: "--json", "cannot ask", hints: ["add --dry-run or --yes"])
    }
    let session = try Session(vault, global)
    let folder = try AsideLocation.path(aside, session.location)
    let opened = try await session.unlock(unlocking, to: dryRun ? .reading : .writing, withRootKey: true)
    let plan = try await plan(session, opened)
    if plan.hasUnmergedCopies { Remedy.mergeCopies.sentences.forEach(global.messages.note) }
    guard !dryRun, plan.hasWork else { return try finish(plan, nil) }
    if !global.json { try Output.lines(plan.steps.map(\.line)) }
    if plan.steps.contains(where: { $0.action == .salvage }) {
      _ = try global.revealing("repair", way: "name the other records, which are repaired without clear text")
    }
    try global.confirm("Carry out this plan?")
    try finish(plan, try await opened.repair(plan, asideFolder: folder))
  }

  private func plan(_ session: Session, _ opened: Vault) async throws -> RepairPlan {
    let history = Packs.keptStates?.fileHistory(ofVaultAt: session.location.path)
    global.messages.detail(history == nil ? "git has no version of this vault" : "git is searched for older versions")
    let plan = try await opened.repairPlan(history.map { [$0] } ?? [])
    guard !record.isEmpty else { return plan }
    let known = Set(plan.steps.compactMap(\.record))
    return plan.limited(to: Set(try record.map { try named($0, among: known, session) }))
  }

  private func named(_ text: String, among known: Set<RecordID>, _ session: Session) throws -> RecordID {
    let found = known.filter { text.utf8.count >= 4 && $0.text.hasPrefix(text) }
    guard let id = found.first, found.count == 1 else {
      let failure = CommandError(
        .notFound, found.isEmpty ? "no_such_record" : "ambiguous_record", subject: text,
        found.isEmpty
          ? "no step of the plan concerns this record" : "\(found.count) records match this: use the id of one",
        hints: ["`vault repair --dry-run` shows the plan"])
      // A damaged record may still have its name. A missing record does not.
      guard found.isEmpty, !global.yes else { throw failure }
      return try session.choice(of: text, among: session.locked.summaries(of: known), after: failure).id
    }
    return id
  }

  /// Reports and ends: 0 if nothing is left to do, 4 if a part was done, 13 if nothing was done.
  private func finish(_ plan: RepairPlan, _ result: RepairResult?) throws {
    if global.json {
      try Output.document(members(plan, result))
    } else if result == nil {
      try Output.lines(plan.steps.map(\.line))
    }
    if plan.steps.isEmpty { return global.messages.note("there is nothing to repair") }
    guard let result else { throw Finished(status: .damaged) }
    for failure in result.failures.compactMap(\.self) { global.messages.report(failure) }
    tell(plan, result)
    let isWhole = plan.steps.allSatisfy(\.isRepair) && result.failures.allSatisfy { $0 == nil }
    if !isWhole { throw Finished(status: .partlyDone) }
  }

  private func tell(_ plan: RepairPlan, _ result: RepairResult) {
    let done = zip(plan.steps, result.failures).filter { $1 == nil }.map(\.0)
    let repaired = done.count(where: \.isRepair)
    let left = plan.steps.count - repaired
    global.messages.note("\(counted(repaired, "file")) repaired" + (left > 0 ? ", \(left) still damaged" : ""))
    guard let folder = result.asideFolder else { return }
    global.messages.note("the replaced files are kept in \(folder)")
    if done.contains(where: { $0.action == .salvage }) {
      global.messages.note(
        "WARNING: \(folder) contains unverified secrets in clear text: copy them by hand, then delete it")
    }
  }

  private func members(_ plan: RepairPlan, _ result: RepairResult?) -> KeyValuePairs<String, any DocumentValue> {
    let steps = plan.steps.enumerated().map { index, step in
      step.document(isDone: result != nil && step.action != .leave && result?.failures[index] == nil)
    }
    return ["aside": result?.asideFolder, "dry_run": dryRun, "steps": steps]
  }
}

extension RepairStep {
  fileprivate var isRepair: Bool { action != .leave && action != .salvage }

  /// Such as `restore records/ab/….json from git commit 1a2b3c4d5e6f, revision 3: the file does not authenticate`.
  fileprivate var line: String {
    let isPlace = !detail.isEmpty && (action == .restore || action == .move)
    let step = "\(action.rawValue) \(file)" + (isPlace ? " \(detail)" : "")
    let rest = Self.joined((isPlace ? [] : [detail]) + remedies.flatMap(\.sentences))
    return Printable.text(
      "\(step): \(Sentence.whole(reason, subject: "the file"))" + (rest.isEmpty ? "" : "; \(rest)"))
  }

  private var explanation: String { Self.joined([detail] + remedies.flatMap(\.sentences)) }

  private static func joined(_ parts: [String]) -> String {
    parts.filter { !$0.isEmpty }.joined(separator: "; ")
  }

  fileprivate func document(isDone: Bool) -> JSONValue {
    .members([
      "action": action.rawValue, "detail": explanation, "done": isDone, "file": file, "reason": reason,
      "record": record?.text, "revision": revision,
    ])
  }
}

private enum AsideLocation {
  /// The given folder, or `<vault>.repair-<time>`. It is never inside the vault, where it would be damage itself.
  static func path(_ named: String?, _ vault: VaultLocation) throws -> String {
    guard let named else {
      return "\(ProcessEnvironment.realPath(vault.path) ?? vault.path).repair-\(Timestamp.now().compactText)"
    }
    let trimmed = System.withoutLastSlashes(named)
    guard ProcessEnvironment.realPath(System.parent(of: trimmed)) != nil else {
      throw CommandError.usage("--aside", "must be in a folder that exists")
    }
    try vault.checkOutside(trimmed)
    return trimmed
  }
}
