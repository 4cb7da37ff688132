import ArgumentParser
import VaultAge
import VaultBackup
import VaultDocument
import VaultKit

extension BackupCommand {
  /// `vault backup create`.
  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Back the whole vault up into one new file.",
      discussion: """
        It is sealed to the recipients that are named, whose identity can lie in a safe, else to the recipients of the \
        vault's own slots. With a key of the vault the backup is attested: it holds an authenticated list of its files. \
        Without one it is not, and restoring it needs --unattested. --prove-with opens what was written before it gets \
        its name and compares it with the vault.

        Example:
          vault backup create --to /mnt/backups --recipient age1… --prove-with backup-identity.txt
        """)

    @Option(help: ArgumentHelp("The directory of the backups, or - for standard output.", valueName: "dir"))
    var to = "."

    @Option(help: ArgumentHelp("Who can open the backup; may be repeated.", valueName: "age1…"))
    var recipient: [String] = []

    @Option(help: ArgumentHelp("A file of recipients, one in a line.", valueName: "file"))
    var recipientsFile: [String] = []

    @Option(help: ArgumentHelp("Seal with a passphrase from a file instead.", valueName: "file"))
    var newPassphraseFile: String?

    @Option(
      help: ArgumentHelp("What the file's name begins with; else the name of the vault's folder.", valueName: "name"))
    var label: String?

    @Option(help: ArgumentHelp("Open what was written with an age identity and compare it.", valueName: "file"))
    var proveWith: String?

    @OptionGroup(title: "Vault") var vault: VaultOptions
    @OptionGroup(title: "Key") var unlocking: UnlockOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      let session = try Session(vault, global)
      let opened = try await session.unlockWhereItHelps(unlocking)
      let source: Backup.Source = opened.map { .unlocked($0) } ?? .locked(session.locked)
      var options = Backup.Options(key: try key(session))
      if let proveWith { options.proof = try IdentityFile.read(proveWith).map { .identity($0) } }
      let progress = Progress("backed up", global)
      let made = try Backup.create(of: source, in: to, stem: label ?? "vault", options: options) { progress.advance() }
      progress.end()
      try Output.line(System.join(to, made.name.fileName))
    }

    private func key(_ session: Session) throws -> BackupKey {
      let recipients = try recipient.map { try AgeRecipient.argument($0) }
      return .recipients(recipients.isEmpty ? session.locked.header.slots.compactMap(\.recipient) : recipients)
    }
  }
}
