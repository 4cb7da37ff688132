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
      abstract: "Check backups as far as the keys that are given allow; nothing is restored.",
      discussion: """
        Without a key: that it is an age file of a possible size, and the recorded SHA-256, when backups.json beside it \
        has one. With the identity of the backup: every byte, every rule of the archive, and that it holds what its list \
        says. With a key of the vault in it, too: that somebody with that key made the list; with --deep every MAC and \
        every sealed field of every record. What it passed is noted in backups.json; a good backup that is not recorded \
        there is recorded, when its list or every record was verified with a key of the vault.

        Example:
          vault backup verify team-20261121T014028Z.cvault.age
          vault backup verify *.cvault.age --deep --identity backup-identity.txt --identity identity.txt
          vault backup verify /mnt/backups --oldest 2
        """)

    @Argument(help: ArgumentHelp("The backups, or a directory of backups: those recorded there.", valueName: "file"))
    var files: [String]

    @Option(
      help: ArgumentHelp("Of a directory only the n backups that were checked the longest ago.", valueName: "n"))
    var oldest: Int?

    @Flag(help: "Verify every record, which takes a key of the vault.")
    var deep = false

    @Option(
      help: ArgumentHelp("With --deep, only the n-th of t parts of the records, for scheduled runs.", valueName: "n/t"))
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
      if let oldest, oldest < 1 { throw CommandError.usage("--oldest", "takes a whole number from 1") }
      let isDirectory = files.map { System.kind(of: $0) == .directory }
      guard oldest == nil || isDirectory.allSatisfy({ $0 }) else {
        throw CommandError.usage("--oldest", "chooses from a directory, and a file was named")
      }
      return try zip(files, isDirectory).flatMap { path, isDirectory in
        guard isDirectory else { return [path] }
        let rows = try BackupDirectory(at: path).listing().leastRecentlyChecked()
        guard !rows.isEmpty else {
          throw CommandError(
            .inputOutput, "io_failed", subject: path, "has no recorded backup whose file is there",
            hints: ["`vault backup list \(Printable.text(path))` shows the backups in it"])
        }
        return rows.prefix(oldest ?? rows.count).map { System.join(path, $0.name.fileName) }
      }
    }
  }
}
