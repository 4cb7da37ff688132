import ArgumentParser
import VaultAge
import VaultBackup
import VaultCLI
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultSystem
import VaultTerminal

extension BackupCommand {
  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Back up the whole vault into one new file.",
      discussion: """
        Example:
          vault backup create --to /mnt/backups \\
            --recipient age1… --prove-with backup-identity.txt

        The backup is sealed to the recipients that you name, and you can keep their identities in a safe. \
        Without them it is sealed to the recipients of the vault's own slots.

        With a key of the vault the backup is attested: it contains an authenticated list of its files. Without a key \
        it is not attested, and restoring it needs --unattested.

        At a terminal the command asks for a passphrase of the vault. If the vault has no recipient, it also asks for \
        a passphrase for the backup. With --prove-with the command opens the new file and compares its contents with \
        the vault. Only then does the file get its name.

        --after runs a command once the backup is good, such as a copy to another place. BACKUP_FILE in its \
        environment is the path of the backup. If the command fails, the backup stays, and the exit status is 21.
        """)

    @Option(
      help: ArgumentHelp(
        "The folder for the backup; - is standard output.", valueName: "dir"))
    var to = "."

    @OptionGroup var target: BackupKeyOptions

    @Option(
      help: ArgumentHelp(
        "The beginning of the file name: letters, digits, . _ - (default: the vault's name).", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("A name for the backup in backups.json.", valueName: "text"))
    var label: String?

    @Option(help: ArgumentHelp("Prove the new backup by opening it with this identity file.", valueName: "identity"))
    var proveWith: String?

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("Run this command after a good backup; BACKUP_FILE is its path.", valueName: "command"))
    var after: String?

    @OptionGroup var everywhere: EverywhereOptions
    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      try check()
      let after = try AfterCommand(after)
      var session = try Session(vault, global).confirmingUse(.writing)
      session.keepsPassphrase = true
      let opening = try IdentityOpening(unlocking, global)
      let proof = try proveWith.map { try IdentityFile.read($0, of: "--prove-with", opening) }
      let opened = try await vaultToAttest(session)
      let chosen = try target.key(session, proof: proof, opened: opened)
      var options = Backup.Options(key: chosen.key)
      let vaultOptions = try global.vaultOptions(nil)
      (options.lockTimeout, options.onLockWait) = (vaultOptions.lockTimeout, vaultOptions.onLockWait)
      options.label = label
      options.proof = (proof ?? []).map { .identity($0) }
      if opened == nil {
        global.messages.note(
          "the backup is not attested, because the vault was not unlocked: restoring it needs --unattested")
      }
      if session.locked.isReplica {
        global.messages.note("the server is a replica: the backup contains only what has arrived there")
      }
      let source: Backup.Source = opened.map { .unlocked($0) } ?? .locked(session.locked)
      if to == "-" {
        try await stream(source, options)
        if let note = chosen.note { global.messages.note(note) }
      } else {
        try await store(source, options, stem: stem(session), after, note: chosen.note)
      }
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
        throw CommandError.usage("--label", "must be at most \(BackupCatalog.labelByteLimit) bytes long")
      }
      guard to == "-" else { return }
      guard !global.json else { throw CommandError.usage("--json", "cannot be combined with --to -") }
      guard label == nil else { throw CommandError.usage("--label", "cannot be combined with --to -") }
      guard after == nil else { throw CommandError.usage("--after", "cannot be combined with --to -") }
      guard name == nil else { throw CommandError.usage("--name", "cannot be combined with --to -") }
      guard !Output.isTerminal else {
        throw CommandError.usage(
          "--to", "a backup cannot be written to a terminal", "pipe it to a program: `vault backup create --to - | …`")
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

    private func store(
      _ source: Backup.Source, _ options: Backup.Options, stem: String, _ after: AfterCommand?, note: String?
    ) async throws {
      let directory = try BackupDirectory(at: to)
      let progress = Progress("backed up", global)
      defer { progress.end() }
      let made = try await Backup.create(of: source, in: directory, stem: stem, options: options) { progress.advance() }
      progress.end()
      BackupPlaces().remember(to, of: made.vaultID, global.messages)
      if let ahead = made.fromTheFuture {
        global.messages.note(
          "\(ahead.fileName) has a later time than this backup: check the clock; "
            + "if it was wrong then, move that file away"
        )
      }
      let path = System.join(to, made.name.fileName)
      if let note { global.messages.note(note) }
      let afterExit = try after?.run(made, at: path, global)
      try Output.afterwards("the backup \(path) was made", hint: "`vault backup list DIR` shows it") {
        global.json ? try Output.document(made.members(path, afterExit: afterExit)) : try Output.line(path)
      }
      if let afterExit, afterExit != 0 { throw AfterCommand.failed(afterExit, after: path) }
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
  fileprivate func members(
    _ path: String, afterExit: Int32?
  ) -> KeyValuePairs<String, any DocumentValue> {
    [
      "after_exit": afterExit.map { Int($0) }, "attachments": attachmentCount, "attested": isAttested,
      "created_at": createdAt, "file": path, "from_the_future": fromTheFuture?.fileName, "label": label,
      "name": name.fileName, "proven_at": provenAt?.text,
      "records": recordCount, "sha256": Hex.encode(sha256), "size": byteCount, "vault": vaultID,
    ]
  }
}

extension BackupCommand.Create: RunsOverSet {
  func prepared(_ run: any SetRun) async throws -> Self {
    guard to != "-" else {
      throw CommandError.usage("--everywhere", "cannot be combined with --to -: it makes one file for each vault")
    }
    return self
  }
}
