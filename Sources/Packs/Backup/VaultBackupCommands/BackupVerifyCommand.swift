import ArgumentParser
import VaultAge
import VaultBackup
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultSystem
import VaultTerminal

extension BackupCommand {
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Check backups as far as the given keys allow; restore nothing.",
      discussion: """
        Example:
          vault backup verify team-20261121T014028Z.cvault.age
          vault backup verify *.cvault.age --deep \\
            --identity backup-identity.txt --identity identity.txt
          vault backup verify /mnt/backups --oldest 2

        Without a key, the command checks that each file is an age file of a possible size. It also checks the \
        SHA-256, if backups.json beside the file records one.

        With the identity of the backup, the command checks every byte, every rule of the archive, and that the \
        archive contains what its list says. With a key of the vault as well, the command checks that a holder of that \
        key made the list. With --deep it checks every MAC and every sealed field of every record.

        The result is noted in backups.json. A verified backup that backups.json does not list is added to it, if its \
        list or every record was verified with a key of the vault.
        """)

    @Argument(help: ArgumentHelp("Backup files, or a folder: the backups recorded there.", valueName: "file"))
    var files: [String]

    @Option(
      help: ArgumentHelp("In a folder, only the n backups that were checked longest ago.", valueName: "n"))
    var oldest: Int?

    @Flag(help: "Verify every record; this needs a key of the vault.")
    var deep = false

    @Option(
      help: ArgumentHelp("With --deep, verify only part n of t of the records, for scheduled runs.", valueName: "n/t"))
    var subset: String?

    @Option(help: ArgumentHelp("Read the passphrase of the backup from a file.", valueName: "file"))
    var backupPassphraseFile: String?

    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      guard deep || subset == nil else { throw CommandError.usage("--subset", "needs --deep") }
      let part = try subset.map { try VerificationScope.Part.argument($0) }
      let keys = try BackupKeys(unlocking, backupPassphraseFile: backupPassphraseFile, global)
      var reports: [BackupReport] = []
      for path in try backups() {
        let report = await BackupCheck(keys: keys, isDeep: deep, part: part, global: global).report(path)
        report.tell(global)
        reports.append(report)
      }
      if global.json { try Output.document(["backups": reports]) }
      if let status = reports.status { throw Finished(status: status) }
    }

    /// The files of the arguments. For a directory, its recorded backups, the least recently checked first.
    private func backups() throws -> [String] {
      if let oldest, oldest < 1 { throw CommandError.usage("--oldest", "must be a whole number, 1 or more") }
      let isDirectory = files.map { System.kind(of: $0) == .directory }
      guard oldest == nil || isDirectory.allSatisfy({ $0 }) else {
        throw CommandError.usage("--oldest", "needs a folder, but a file was named")
      }
      return try zip(files, isDirectory).flatMap { path, isDirectory in
        guard isDirectory else { return [path] }
        let rows = try BackupDirectory(at: path).listing().leastRecentlyChecked()
        guard !rows.isEmpty else {
          throw CommandError(
            .inputOutput, "io_failed", subject: path, "has no recorded backup whose file exists",
            hints: ["`vault backup list \(Printable.text(path))` shows the backups in it"])
        }
        return rows.prefix(oldest ?? rows.count).map { System.join(path, $0.name.fileName) }
      }
    }
  }
}
