import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultTerminal
import VaultRepair

/// `vault check`: whether all is well.
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check whether all is well, as far as the keys at hand allow.",
    discussion: """
      What `vault doctor` looks at around the vault, and its contents: with a key as `vault verify` does, without one as \
      `vault lint` does. It asks for nothing. It ends with 13 when anything is damaged, 16 when something went back or is \
      gone, 18 when something could not be read, 14 when there is something else to act on.

      Example:
        vault check
      """)

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let session = try Session(vault, global, refusingOtherVaults: false)
    let checks = try Doctor(session, unlocking).checks()
    let opened = try await session.unlockWithoutAsking(unlocking, with: .ownStrict)
    let contents: any ContentsReport =
      if let opened { try await verification(of: opened, session) } else { try await lint(session) }
    let toActOn = checks.filter { $0.state != .good }
    if global.json {
      try Output.document([
        "checks": .array(checks.map(\.document)), contents.name: .members(contents.members),
      ])
    } else if !(global.quiet && toActOn.isEmpty && contents.status == nil) {
      // A timer that asks quietly mails nothing after a good night.
      try Output.lines((global.verbose ? checks : toActOn).map { $0.line(global.style) } + contents.lines)
      let around = toActOn.isEmpty ? "nothing to act on" : "\(toActOn.count) to act on"
      global.messages.note("\(checks.count) checks around the vault: \(around)")
      if opened == nil { global.messages.note(Messages.unverifiedNote) }
    }
    contents.report(global)
    if let status = contents.status ?? (toActOn.isEmpty ? nil : .findings) { throw Finished(status: status) }
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

/// What was found in a vault's contents.
private protocol ContentsReport {
  var name: String { get }
  var lines: [String] { get }
  var members: KeyValuePairs<String, JSONValue> { get }
  /// What the command ends with; nil when all is well.
  var status: ExitStatus? { get }
  /// Says on stderr what is not on stdout.
  func report(_ global: GlobalOptions)
}

private struct VerificationReport: ContentsReport {
  private let result: Verification
  private let remedies: [Remedy]
  let name = "verification"
  var lines: [String] { result.lines() }
  var members: KeyValuePairs<String, JSONValue> { result.members }
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
