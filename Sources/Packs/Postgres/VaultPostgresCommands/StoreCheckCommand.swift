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
      abstract: "Check how a database keeps a vault.",
      discussion: """
        Example:
          vault store check 'postgresql://db.example/app?vault=ops'

        The command checks the encryption of the connection, durability, rights that the role does not need, triggers, \
        leftovers and the clock. It also checks whether records are found by the key of the table. The exit status is \
        14 if something needs action.
        """)

    @Argument(help: ArgumentHelp("The address; by default the vault of all commands.", valueName: "address"))
    var address: String?

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let session = try Session(
        address.map { .named($0, fingerprint: vault.requireFingerprint) } ?? vault, global, refusingOtherVaults: false)
      guard let store = session.locked.store as? any RemoteStore else {
        throw CommandError.usage(
          address == nil ? "--vault" : "ADDRESS", "is a folder, but this command checks a database",
          "run `vault doctor` to check a vault in a folder")
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
