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
      abstract: "Restore a backup, after all of it was verified.",
      discussion: """
        It takes the key of the backup and a key of the vault in it. All of it is opened, unpacked beside its place and \
        verified before anything that is there is touched. A vault that is there is exchanged in one step and kept \
        beside it; in a folder with other things, such as a git repository, its files are changed, and a copy is kept. \
        What is older than this machine or the folder knows ends with 16, unless --accept-rollback is given.

        With --records only these come back into the vault that is there, each as its next revision, with their \
        attachments.

        Example:
          vault backup restore team-20261121T014028Z.cvault.age --to restored --identity identity.txt
          vault backup restore team-20261121T014028Z.cvault.age --to my-vault --records 4e8c2f1a
        """)

    @Argument(help: ArgumentHelp("The backup.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("The folder of the vault, which need not be there.", valueName: "dir"))
    var to: String

    @Option(
      parsing: .upToNextOption, help: ArgumentHelp("Only these records, by their ids in the backup.", valueName: "id"))
    var records: [String] = []

    @Flag(help: "Also a backup without an authenticated list of its files.")
    var unattested = false

    @Flag(help: "Also a backup that is older than what is known of the vault.")
    var acceptRollback = false

    @Flag(help: "Open and verify all of it, say what would come back, and change nothing.")
    var dryRun = false

    @Option(help: ArgumentHelp("Refuse every vault but the one with this fingerprint.", valueName: "hex"))
    var requireFingerprint: String?

    @Option(help: ArgumentHelp("Read the passphrase of the backup from a file.", valueName: "file"))
    var backupPassphraseFile: String?

    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      guard !to.isEmpty else { throw CommandError.usage("--to", "names no folder") }
      guard !records.isEmpty || !VaultPlace.isDatabase(to) else {
        throw CommandError.usage(
          "--to", "is a database, and a whole vault is restored into a folder",
          "restore it into one, then `vault store copy FOLDER ADDRESS`")
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
      WrittenFiles.current?.note(.newVault, at: restored.path, global.messages)
      if let kept = restored.keptPath { global.messages.note("the vault that was there before is kept in \(kept)") }
      try Output.afterwards("the vault is restored to \(restored.path)") {
        try tell(restored, contents: contents, found: staged.verification)
      }
    }

    private func refuse(_ staged: StagedRestore) throws {
      staged.faults.report(global, ["nothing was changed: take another backup"])
      if let status = staged.faults.status { throw Finished(status: status) }
      guard !staged.rollbacks.isEmpty, !acceptRollback else { return }
      let faults = staged.rollbacks.faults
      Array(faults.prefix(10)).report(
        global,
        [
          faults.count > 10
            ? "and \(faults.count - 10) more would go back; nothing was changed" : "nothing was changed",
          "--accept-rollback restores it all the same; the vault of now is kept beside it",
        ])
      throw Finished(status: .unexpectedVault)
    }

    /// - Parameter restored: nil for a trial.
    private func tell(_ restored: RestoredVault?, contents: BackupContents, found: Verification) throws {
      if !contents.isAttested {
        global.messages.note("not attested: what was left out of the backup, or older in it, shows to nobody")
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
      throw CommandError.usage("--accept-rollback", "is not for single records: they come back as new revisions")
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
        "\(count) in \(to) differ from the backup (\(names)). Replace their content by that of \(contents.createdAt.text)?"
      )
    }
    let written = try await contents.bringBack(found, into: vault)
    try Output.afterwards(written.count == 1 ? "1 record is back" : "\(written.count) records are back") {
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
    for record in found where !written.contains(record.id) { global.messages.note("\(record.id.text) is as it was") }
    try Output.lines(written.map(\.text))
  }
}
