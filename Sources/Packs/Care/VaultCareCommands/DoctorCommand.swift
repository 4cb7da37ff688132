import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultTerminal

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check keys, slots, memory, permissions and leftovers, and say what to do.",
    discussion: """
      Example:
        vault doctor

      The command prints one line for each check: ok, warn or fault, and what to do about it. It needs no key, asks \
      nothing and changes nothing. It exits with 14 if there is something to do. `vault lint` and `vault verify` \
      check the records.
      """)

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    _ = try unlocking.maximumWorkFactor()
    let checks = try Doctor(Session(vault, global, refusingOtherVaults: false), unlocking).checks()
    if global.json {
      try Output.document(["checks": checks])
    } else {
      try Output.lines(checks.map { $0.line(global.style) })
    }
    if checks.contains(where: { $0.state != .good }) { throw Finished(status: .findings) }
  }
}
