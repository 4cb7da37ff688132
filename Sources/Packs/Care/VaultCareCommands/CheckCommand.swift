import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultTerminal
import VaultRepair

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the vault and everything around it, as far as keys allow.",
    discussion: """
      Example:
        vault check
        vault check --deep

      The command checks everything around the vault, as `vault doctor` does. With an available key it verifies \
      the contents, as `vault verify` does. Without a key it checks their form, as `vault lint` does. Only --deep asks \
      for a key.

      The command exits with 13 if anything is damaged, and with 16 if something went back to an older state or is \
      missing. It exits with 18 if something could not be read, and with 14 if something else needs action.
      """)

  @Flag(help: "Ask for a key if none is available, and verify every record.")
  var deep = false

  @Flag(help: "Use no key, even if one is available.")
  var noKey = false

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard !deep || !noKey else { throw CommandError.usage("--deep", "cannot be combined with --no-key") }
    let session = try Session(vault, global, refusingOtherVaults: false)
    let checks = try Doctor(session, unlocking).checks()
    let opened = try await openedVault(session)
    let contents: any ContentsReport =
      if let opened { try await verification(of: opened, session) } else { try await lint(session) }
    let toActOn = checks.filter { $0.state != .good }
    if global.json {
      try Output.document(["checks": checks, contents.name: JSONValue.members(contents.members)])
    } else if !(global.quiet && toActOn.isEmpty && contents.status == nil) {
      // With `--quiet`, a timer sends no mail if all is well.
      try Output.lines((global.verbose ? checks : toActOn).map { $0.line(global.style) } + contents.lines)
      let count = toActOn.count
      let around = count == 0 ? "nothing needs action" : "\(count) \(count == 1 ? "needs" : "need") action"
      global.messages.note("\(checks.count) checks of the surroundings: \(around)")
      if opened == nil { global.messages.note(Messages.unverifiedNote) }
    }
    contents.report(global)
    if let status = contents.status ?? (toActOn.isEmpty ? nil : .findings) { throw Finished(status: status) }
  }

  private func openedVault(_ session: Session) async throws -> Vault? {
    if noKey { return nil }
    if deep { return try await session.unlock(unlocking, withRootKey: true) }
    return try await session.unlockWithoutAsking(unlocking, with: .ownStrict)
  }

  private func verification(of opened: Vault, _ session: Session) async throws -> VerificationReport {
    let progress = Progress("verified", global) { [locked = session.locked] in try? locked.recordCount() }
    defer { progress.end() }
    let result = try await opened.verify(VerificationScope(part: nil, sinceCheckpoint: false)) { progress.advance() }
    return VerificationReport(result, try opened.remedies(for: result.faults))
  }

  private func lint(_ session: Session) async throws -> LintReport {
    let lint = try VaultLint(at: session.location.place(global), options: global.vaultOptions(nil))
    let progress = Progress("checked", global) { [locked = session.locked] in try? locked.recordCount() }
    defer { progress.end() }
    return try await lint.check { progress.advance() }
  }
}

private protocol ContentsReport {
  var name: String { get }
  var lines: [String] { get }
  var members: KeyValuePairs<String, any DocumentValue> { get }
  /// The exit code; nil if all is well.
  var status: ExitStatus? { get }
  /// Prints findings on stderr that are not on stdout.
  func report(_ global: GlobalOptions)
}

private struct VerificationReport: ContentsReport {
  private let result: Verification
  private let remedies: [Remedy]
  let name = "verification"
  var lines: [String] { result.lines() }
  var members: KeyValuePairs<String, any DocumentValue> { result.members }
  var status: ExitStatus? { result.faults.status }

  init(_ result: Verification, _ remedies: [Remedy]) { (self.result, self.remedies) = (result, remedies) }

  func report(_ global: GlobalOptions) {
    for note in result.notes { global.messages.note(note) }
    result.faults.report(global, remedies)
  }
}

extension LintReport: ContentsReport {
  fileprivate var name: String { "lint" }
  fileprivate var lines: [String] { findings.map { Printable.text($0.description) } }
  fileprivate var status: ExitStatus? { findings.isEmpty ? nil : .findings }

  fileprivate func report(_ global: GlobalOptions) { tell(global, isFixed: false) }
}
