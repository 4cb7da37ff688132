import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultStorage
import VaultTerminal

extension StoreCommand {
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Look at how a database keeps a vault.",
      discussion: """
        Encryption of the connection, durability, what the role may do beyond its needs, triggers, leftovers, the clock, \
        and whether records are found by the key of the table. It ends with 14 when there is something to act on.

        Example:
          vault store check 'postgresql://db.example/app?vault=ops'
        """)

    @Argument(help: ArgumentHelp("The address; else the vault that every command takes.", valueName: "address"))
    var address: String?

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let session = try Session(
        address.map { .named($0, fingerprint: vault.requireFingerprint) } ?? vault, global, refusingOtherVaults: false)
      guard let store = session.locked.store as? any RemoteStore else {
        throw CommandError.usage(
          address == nil ? "--vault" : "ADDRESS", "is a folder: there is no database to look at",
          "`vault doctor` looks at what is around a folder")
      }
      let checks: [DoctorCheck]
      do throws(StoreError) {
        checks = try store.inspection().map(DoctorCheck.init)
      } catch {
        throw session.location.explained(VaultError(store: error))
      }
      if global.json {
        try Output.document(["checks": checks])
      } else {
        try Output.lines(checks.map { $0.line(global.style) })
      }
      if checks.contains(where: { $0.state != .good }) { throw Finished(status: .findings) }
    }
  }
}

extension DoctorCheck {
  init(_ finding: RemoteFinding) {
    let state: State =
      switch finding.state {
      case .good: .good
      case .doubtful: .warning
      case .bad: .fault
      }
    self.init(name: finding.name, state: state, text: finding.text)
  }
}
