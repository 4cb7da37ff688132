import ArgumentParser
import VaultAge
import VaultBackup
import VaultDocument
import VaultKit

extension BackupCommand {
  /// `vault backup verify`.
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Check backups as far as the keys that are given allow.",
      discussion: """
        Example:
          vault backup verify team-20261121T014028Z.cvault.age --deep --identity identity.txt
        """)

    @Argument(help: ArgumentHelp("The backups.", valueName: "file"))
    var files: [String]

    @Flag(help: "Verify every record with the vault's key, restored to nowhere.")
    var deep = false

    @OptionGroup(title: "Key") var unlocking: UnlockOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      let identities = try unlocking.identity.flatMap(IdentityFile.read)
      for path in files {
        let contents = try BackupContents(of: BackupFile(at: path), with: identities.map { .identity($0) })
        let opened = try await contents.vault.unlock(with: .identities(identities))
        try contents.authenticate(with: opened)
        let found = try await contents.verify(with: opened)
        try Output.line("\(path): \(found.counts)")
        found.faults.report(global)
        if let status = found.faults.status { throw Finished(status: status) }
      }
    }
  }
}
