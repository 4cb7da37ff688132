import ArgumentParser
import VaultAge
import VaultBackup
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultTerminal

extension BackupCommand {
  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Restore a backup after all of it was verified.",
      discussion: """
        Example:
          vault backup restore team-20261121T014028Z.cvault.age \\
            --to restored --identity identity.txt
          vault backup restore team-20261121T014028Z.cvault.age \\
            --to my-vault --records 4e8c2f1a

        The command needs the key of the backup and a key of the vault in it. It opens everything, unpacks it beside \
        the target and verifies it. Only then does it touch what exists. An existing vault is replaced in one step \
        and kept beside the new one. In a folder with other things, such as a git repository, the vault's files are \
        changed, and a copy is kept. If the backup is older than what this machine or the folder knows, the command \
        exits with 16, unless you give --accept-rollback.

        With --records, only these records come back into the existing vault. Each becomes its next revision, with \
        its attachments.
        """)

    @Argument(help: ArgumentHelp("The backup file.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("The folder of the vault; it need not exist.", valueName: "dir"))
    var to: String

    @Option(
      parsing: .upToNextOption, help: ArgumentHelp("Only these records, by their ids in the backup.", valueName: "id"))
    var records: [String] = []

    @Flag(help: "Accept a backup without an authenticated list of its files.")
    var unattested = false

    @Flag(help: "Accept a backup that is older than the known state of the vault.")
    var acceptRollback = false

    @Flag(help: "Open and verify all of it; show what would come back; change nothing.")
    var dryRun = false

    @Option(help: ArgumentHelp("Accept only the vault with this fingerprint.", valueName: "hex"))
    var requireFingerprint: String?

    @Option(help: ArgumentHelp("Read the passphrase of the backup from a file.", valueName: "file"))
    var backupPassphraseFile: String?

    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      guard !to.isEmpty else { throw CommandError.usage("--to", "must name a folder") }
      guard !records.isEmpty || !VaultPlace.isDatabase(to) else {
        throw CommandError.usage(
          "--to", "a whole vault can be restored only into a folder, not into a database",
          "restore it into a folder, then run `vault store copy FOLDER ADDRESS`")
      }
      let keys = try BackupKeys(unlocking, backupPassphraseFile: backupPassphraseFile, global)
      let backup = try BackupFile.argument(file)
      try keys.requireUse(of: backup)
      guard let opened = try await keys.open(backup, asks: true) else {
        throw CommandError.backupNotOpened(backup, isGiven: !keys.isEmpty)
      }
      let contents = opened.contents
      try requireFingerprint(of: contents.vault)
      var vault = try await keys.openByGivenKeys(contents.vault)
      // Single records go to a vault that a given key may open.
      guard vault != nil || opened.isByGiven || keys.isEmpty || !records.isEmpty else {
        throw CommandError.keyOpensNothing(backup)
      }
      if vault == nil { vault = try await keys.openByOtherKeys(contents.vault, asks: true) }
      guard let vault else { throw CommandError.backedUpVaultNotUnlocked(backup) }
      try contents.authenticate(with: vault)
      if records.isEmpty {
        try await restore(contents, vault)
      } else {
        try await bringBack(contents, backedUp: vault, keys: keys)
      }
    }

    private var requiredFingerprint: String? { requireFingerprint ?? System.variable("CVAULT_FINGERPRINT") }

    private func requireFingerprint(of vault: LockedVault) throws {
      guard let requiredFingerprint else { return }
      let option = requireFingerprint == nil ? "CVAULT_FINGERPRINT" : "--require-fingerprint"
      try RequiredFingerprint(requiredFingerprint, option: option).check(vault, at: file)
    }

    private func restore(_ contents: BackupContents, _ vault: Vault) async throws {
      var options = RestoreOptions()
      let common = try global.vaultOptions(StateLocation.state(global.messages))
      (options.state, options.lockTimeout, options.onLockWait) = (common.state, common.lockTimeout, common.onLockWait)
      options.acceptsUnattested = unattested
      options.acceptsRollback = acceptRollback
      options.acceptsIdentity = requiredFingerprint != nil
      let progress = Progress("verified", global)
      defer { progress.end() }
      let staged = try await contents.stage(with: vault, for: to, options: options) { progress.advance() }
      progress.end()
      try refuse(staged)
      for fault in staged.rollbacks.faults { global.messages.note("accepted: \(fault.description)") }
      guard !dryRun else { return try tell(nil, contents: contents, found: staged.verification) }
      let restored = try staged.putInPlace()
      WrittenFiles.current?.note(.newVault(mayCommit: false), at: restored.path, global.messages)
      if let kept = restored.keptPath { global.messages.note("the previous vault is kept in \(kept)") }
      try Output.afterwards("the vault was restored to \(restored.path)") {
        try tell(restored, contents: contents, found: staged.verification)
      }
    }

    private func refuse(_ staged: StagedRestore) throws {
      staged.faults.report(global, ["nothing was changed: use another backup"])
      if let status = staged.faults.status { throw Finished(status: status) }
      guard !staged.rollbacks.isEmpty, !acceptRollback else { return }
      let faults = staged.rollbacks.faults
      Array(faults.prefix(10)).report(
        global,
        [
          faults.count > 10
            ? "\(faults.count - 10) more would go back; nothing was changed" : "nothing was changed",
          "--accept-rollback restores the backup anyway; the present vault is kept beside it",
        ])
      throw Finished(status: .unexpectedVault)
    }

    /// - Parameter restored: nil for a trial.
    private func tell(_ restored: RestoredVault?, contents: BackupContents, found: Verification) throws {
      if !contents.isAttested {
        global.messages.note("the backup is not attested: nobody can tell whether something in it is missing or older")
      }
      guard global.json else {
        let end = restored == nil ? "would be restored" : "restored"
        return try Output.line("\(to): \(found.counts)\(contents.attachmentWords) \(end)")
      }
      try Output.document([
        "attachments": contents.attachmentCount, "attested": contents.isAttested, "created_at": contents.createdAt,
        "dry_run": dryRun, "kept": restored?.keptPath, "records": found.recordCount, "trashed": found.trashedCount,
        "vault": restored?.path,
      ])
    }
  }
}

extension BackupCommand.Restore {
  private func bringBack(_ contents: BackupContents, backedUp: Vault, keys: BackupKeys) async throws {
    guard !acceptRollback else {
      throw CommandError.usage(
        "--accept-rollback", "cannot be combined with --records: single records come back as new revisions")
    }
    if !unattested { try contents.requireAttestation() }
    let found = try contents.records(named: records, with: backedUp)
    let session = try Session(.named(to), global)
    guard let vault = try await keys.unlock(session.locked, asks: true, state: session.pin.state) else {
      throw CommandError.backedUpVaultNotUnlocked(contents.file).about(to)
    }
    let outcomes = try vault.outcome(ofRestoring: found)
    if dryRun { return try tell(zip(found, outcomes).filter { $1 != .unchanged }.map(\.0.id), of: found) }
    let replaced = zip(found, outcomes).filter { $1 == .replacing }.map(\.0)
    if !replaced.isEmpty {
      let names = replaced.prefix(3).map { $0.name.isEmpty ? $0.id.text : $0.name }.joined(separator: ", ")
      let count = counted(replaced.count, "record")
      try global.confirm(
        "The backup of \(contents.createdAt.text) has other content for \(count) in \(to) (\(names)). "
          + "Replace the present content?"
      )
    }
    let written = try await contents.bringBack(found, into: vault)
    try Output.afterwards(written.count == 1 ? "1 record was restored" : "\(written.count) records were restored") {
      try tell(written, of: found)
    }
  }

  private func tell(_ written: [RecordID], of found: [RestorableRecord]) throws {
    if global.json {
      return try Output.document([
        "attachments": found.reduce(0) { $0 + $1.attachmentCount }, "dry_run": dryRun, "restored": written,
        "unchanged": found.map(\.id).filter { !written.contains($0) },
      ])
    }
    for record in found where !written.contains(record.id) { global.messages.note("\(record.id.text) is unchanged") }
    try Output.lines(written.map(\.text))
  }
}
