import ArgumentParser
import VaultAge
import VaultBackup
import VaultDocument
import VaultKit

extension BackupCommand {
  /// `vault backup restore`.
  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Restore a backup, after all of it was verified.",
      discussion: """
        Example:
          vault backup restore team-20261121T014028Z.cvault.age --to restored --identity identity.txt
        """)

    @Argument(help: ArgumentHelp("The backup.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("The folder of the restored vault.", valueName: "dir"))
    var to: String

    @OptionGroup(title: "Key") var unlocking: UnlockOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      let identities = try unlocking.identity.flatMap(IdentityFile.read)
      let contents = try BackupContents(of: BackupFile(at: file), with: identities.map { .identity($0) })
      let opened = try await contents.vault.unlock(with: .identities(identities))
      try contents.authenticate(with: opened)
      let found = try await contents.restore(with: opened, to: to)
      found.faults.report(global)
      if let status = found.faults.status { throw Finished(status: status) }
      try Output.line("\(to): \(found.counts)")
    }
  }
}
