import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultTerminal
import VaultRepair

struct LintCommand: AsyncParsableCommand, RunsOverSet {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Check the form of every file without a key.",
    discussion: """
      Example:
        vault lint --fix

      As a git hook, in .git/hooks/pre-commit:
        vault lint --vault .

      The command checks strict JSON, the members and places of records, slot files, and the canonical form. It finds \
      clear text in sealed fields, sealed values that belong to different keys or appear twice, and files that do not \
      belong there.

      It cannot tell whether anything is authentic: `vault verify` does that. It exits with 14 if it finds something.
      """)

  @Flag(help: "Rewrite files that differ from the canonical form only in white space, member order or spelling.")
  var fix = false

  @OptionGroup var revision: RevisionOptions
  @OptionGroup var everywhere: EverywhereOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard let commit = revision.at else { return try await runInPlace() }
    guard !fix else { throw CommandError.usage("--fix", "cannot be combined with --at: a commit does not change") }
    let location = try VaultLocation.find(vault)
    let store = try Packs.requiredKeptStates().store(of: location, at: commit)
    try await run(VaultLint(store: store, options: global.vaultOptions(nil)), try? LockedVault(store: store))
  }

  private func runInPlace() async throws {
    let location = try VaultLocation.find(vault)
    var locked: LockedVault?
    do {
      let session = try Session(vault, global)
      locked = try fix ? session.confirmingUse(.writing).locked : session.locked
    } catch let error as CommandError where error.status == .damaged && !(fix && location.origin == .parent) {
      // An unreadable header is only one finding among others, if no confirmation is needed.
    }
    try await run(VaultLint(at: location.place(global), options: global.vaultOptions(nil)), locked)
  }

  private func run(_ lint: VaultLint, _ locked: LockedVault?) async throws {
    let progress = Progress("checked", global) { [locked] in try? locked?.recordCount() }
    let report = try await fix ? lint.fix { progress.advance() } : lint.check { progress.advance() }
    progress.end()
    try print(report)
    if !report.findings.isEmpty { throw Finished(status: .findings) }
  }

  private func print(_ report: LintReport) throws {
    guard !global.json else { return try Output.document(report.members) }
    // A user gets a summary. A program uses the exit code.
    let (isShown, style) = (Output.isTerminal, global.style)
    try Output.lines(
      report.findings.map { (isShown ? style.bad("fault") + "  " : "") + Printable.text($0.description) })
    if isShown, report.findings.isEmpty {
      try Output.line(style.good("ok") + "     \(report.recordCount) records, \(report.trashedCount) in the trash")
    }
    report.tell(global, isFixed: fix)
  }
}

extension LintReport {
  func tell(_ global: GlobalOptions, isFixed: Bool) {
    let conflicts = findings.filter { [.conflicted, .unmergedCopy, .equalRevisions].contains($0.code) }
    for hint in conflicts.remedies().flatMap(\.sentences) { global.messages.note(hint) }
    for file in rewritten { global.messages.note("rewritten: \(file)") }
    for note in notes { global.messages.note(note) }
    if findings.contains(where: { $0.code == .notCanonical }), !isFixed {
      global.messages.note("`vault lint --fix` writes the canonical form")
    }
  }

  /// The document of `--json`.
  var members: KeyValuePairs<String, any DocumentValue> {
    ["findings": findings, "notes": notes, "records": recordCount, "rewritten": rewritten, "trashed": trashedCount]
  }
}
