import ArgumentParser
import VaultAge
import VaultBackup
import VaultCLI
import VaultDocument
import VaultKit
import VaultSystem
import VaultTerminal

extension BackupCommand {
  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Back the whole vault up into one new file.",
      discussion: """
        It is sealed to the recipients that are named, whose identity can lie in a safe, else to the recipients of the \
        vault's own slots. With a key of the vault the backup is attested: it holds an authenticated list of its files. \
        Without one it is not, and restoring it needs --unattested. At a terminal a passphrase of the vault is asked for, \
        and one for the backup if the vault has no recipient. --prove-with opens what was written before it gets \
        its name and compares it with what was read.

        Example:
          vault backup create --to /mnt/backups --recipient age1… --prove-with backup-identity.txt
        """)

    @Option(
      help: ArgumentHelp(
        "The directory of the backups, else the working directory; - is standard output.", valueName: "dir"))
    var to = "."

    @OptionGroup var target: BackupKeyOptions

    @Option(
      help: ArgumentHelp(
        "What the file's name begins with, else the name of the vault: letters, digits, . _ -", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("What the backup is called in backups.json.", valueName: "text"))
    var label: String?

    @Option(help: ArgumentHelp("Open what was written with a file of age identities.", valueName: "identity"))
    var proveWith: String?

    @OptionGroup var everywhere: EverywhereOptions
    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      try check()
      var session = try Session(vault, global).confirmingUse(.writing)
      session.keepsPassphrase = true
      let proof = try proveWith.map { try IdentityFile.read($0, of: "--prove-with") }
      let opened = try await vaultToAttest(session)
      var options = Backup.Options(key: try target.key(session, proof: proof, opened: opened))
      let vaultOptions = try global.vaultOptions(nil)
      (options.lockTimeout, options.onLockWait) = (vaultOptions.lockTimeout, vaultOptions.onLockWait)
      options.label = label
      options.proof = (proof ?? []).map { .identity($0) }
      if opened == nil {
        global.messages.note("not attested, since the vault was not unlocked: restoring it needs --unattested")
      }
      if session.locked.isReplica {
        global.messages.note("the server is a replica: the backup holds what had arrived there")
      }
      let source: Backup.Source = opened.map { .unlocked($0) } ?? .locked(session.locked)
      if to == "-" { return try await stream(source, options) }
      try await store(source, options, stem: stem(session))
    }

    /// The vault, to attest the backup: with a given key, or with a passphrase that the user types.
    private func vaultToAttest(_ session: Session) async throws -> Vault? {
      if let opened = try await session.unlockWithoutAsking(unlocking, with: .own) { return opened }
      let takesPassphrase = session.locked.header.slots.contains { $0.kind == .scrypt }
      guard takesPassphrase, global.isAtTerminal else { return nil }
      return try await session.unlock(unlocking, withRootKey: true)
    }

    private func check() throws {
      if let label, label.utf8.count > BackupCatalog.labelByteLimit {
        throw CommandError.usage("--label", "has at most \(BackupCatalog.labelByteLimit) bytes")
      }
      guard to == "-" else { return }
      guard !global.json else { throw CommandError.usage("--json", "has no place beside a backup on standard output") }
      guard label == nil else { throw CommandError.usage("--label", "is recorded in a directory, and --to - has none") }
      guard name == nil else { throw CommandError.usage("--name", "names a file in a directory, and --to - has none") }
      guard !Output.isTerminal else {
        throw CommandError.usage(
          "--to", "a backup is not for a terminal", "pipe it on: `vault backup create --to - | …`")
      }
    }

    /// The beginning of the file name: the given name, the vault's name in its set or database, or the name of its
    /// folder if a file name can begin so.
    private func stem(_ session: Session) -> String {
      if let name { return name }
      let location = session.location
      let path = ProcessEnvironment.realPath(location.path) ?? location.path
      let own =
        location.member?.name ?? location.nameInDatabase
        ?? path.split(separator: "/").last.map(String.init) ?? ""
      return BackupName(stem: own, time: .now()) == nil ? "vault" : own
    }

    private func store(_ source: Backup.Source, _ options: Backup.Options, stem: String) async throws {
      let directory = try BackupDirectory(at: to)
      let progress = Progress("backed up", global)
      defer { progress.end() }
      let made = try await Backup.create(of: source, in: directory, stem: stem, options: options) { progress.advance() }
      progress.end()
      if let ahead = made.fromTheFuture {
        global.messages.note(
          "\(ahead.fileName) is of a later time than this backup. Check the clock; if it was wrong then, move that file away"
        )
      }
      let path = System.join(to, made.name.fileName)
      try Output.afterwards("the backup \(path) is made", hint: "`vault backup list DIR` shows it") {
        global.json ? try Output.document(made.members(path)) : try Output.line(path)
      }
    }

    private func stream(_ source: Backup.Source, _ options: Backup.Options) async throws {
      let progress = Progress("backed up", global)
      defer { progress.end() }
      let spooled = try await Backup.spool(of: source, in: ProcessEnvironment.temporaryDirectory, options: options) {
        progress.advance()
      }
      progress.end()
      try spooled.forEachPiece { try Output.writeWhole($0) }
    }
  }
}

extension CreatedBackup {
  fileprivate func members(_ path: String) -> KeyValuePairs<String, any DocumentValue> {
    [
      "attachments": attachmentCount, "attested": isAttested, "created_at": createdAt, "file": path,
      "from_the_future": fromTheFuture?.fileName, "label": label, "name": name.fileName, "proven_at": provenAt?.text,
      "records": recordCount, "sha256": Hex.encode(sha256), "size": byteCount, "vault": vaultID,
    ]
  }
}

extension BackupCommand.Create: RunsOverSet {
  func prepared(_ run: any SetRun) async throws -> Self {
    guard to != "-" else { throw CommandError.usage("--everywhere", "makes a file for each vault, and --to - is one") }
    return self
  }
}
