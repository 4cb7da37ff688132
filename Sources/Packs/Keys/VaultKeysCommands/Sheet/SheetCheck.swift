import VaultAge
import VaultCLI
import VaultCrypto
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultSystem
import VaultTerminal

/// Proves what the identity of a sheet opens.
struct SheetCheck {
  let session: Session
  let folders: [String]

  private var global: GlobalOptions { session.global }

  func run(_ identity: AgeIdentity) async throws {
    let vault = try await opened(identity)
    let backup = await newestBackup(identity)
    var memory = SheetMemory(of: vault.header.vaultID)
    let recipient = try identity.recipient
    if memory.entry(of: recipient) == nil, !vault.slot.label.hasPrefix("sheet") {
      global.messages.note("this machine does not know slot \(vault.slot.words) as a sheet: it may be another key")
    } else if backup.failure == nil {
      memory.note(recipient, \.checkedAt, global.messages)
    }
    try [
      Fact("slot", vault.slot.words, value: vault.slot.document),
      Fact("vault", "opened: \(session.location.path)", value: vault.header.vaultID.text),
      Fact("fingerprint", try vault.header.fingerprint()),
      Fact("backup", backup.line, value: backup.document),
    ].print(global)
    guard let failure = backup.failure else { return }
    global.messages.report(failure)
    throw Finished(status: .findings)
  }

  private func opened(_ identity: AgeIdentity) async throws -> Vault {
    let options = try session.vaultOptions()
    do throws(VaultError) {
      return try await session.locked.unlock(with: .identities([identity]), options: options)
    } catch {
      guard error.code == .noMatchingSlot else { throw error }
      throw CommandError(
        .cannotUnlock, "no_matching_slot", subject: session.location.path, "has no slot that this sheet opens",
        hints: [
          "it is the sheet of another vault, or its slot was removed: compare the vault id on the page",
          "`vault key sheet` makes a new one",
        ])
    }
  }

  private struct BackupOutcome {
    var path: String?
    var proven: ProvenBackup?
    var failure: CommandError?

    var line: String {
      guard let path else { return "none is known on this machine; --backups DIR names the folder" }
      guard let proven else { return "not opened: \(path)" }
      let attested = proven.isAttested ? "attested" : "not attested"
      return "opened: \(path), \(counted(proven.recordCount, "record")), \(attested)"
    }

    var document: JSONValue {
      .members(["attested": proven?.isAttested, "file": path, "opened": proven != nil, "records": proven?.recordCount])
    }
  }

  private func newestBackup(_ identity: AgeIdentity) async -> BackupOutcome {
    guard let backups = Packs.first(\.backups) else { return BackupOutcome() }
    var outcome = BackupOutcome()
    do {
      guard let newest = try KnownBackups(session, folders).newest else { return outcome }
      outcome.path = newest.path
      outcome.proven = try await backups.prove(newest.path, with: identity, global)
    } catch {
      outcome.failure = explained(CommandError(any: error))
    }
    return outcome
  }

  private func explained(_ error: CommandError) -> CommandError {
    guard error.vaultCode == .noMatchingSlot else { return error }
    var error = error
    error.reason = "the sheet does not open the newest backup: it is older than the sheet, or sealed to others"
    error.hints = [
      "`vault backup create` without --recipient seals to each slot of the vault, and so to the sheet",
      "with --recipient, also name the recipient that the sheet shows",
    ]
    return error
  }
}

/// The backups of a vault that this machine knows of, or that the user names.
struct KnownBackups {
  let folders: [String]
  /// The newest backup in the folders that can be read now; nil for none.
  let newest: KeptBackup?

  /// - Parameter named: folders that must be readable.
  init(_ session: Session, _ named: [String]) throws {
    let named = named.map { ProcessEnvironment.realPath($0) ?? $0 }
    let vault = session.locked.header.vaultID
    guard let backups = Packs.first(\.backups) else {
      (folders, newest) = (named, nil)
      return
    }
    let known = backups.folders(of: vault).filter { !named.contains($0) }
    var found = try named.compactMap { try backups.newest(of: vault, in: $0) }
    for folder in known {
      do {
        if let backup = try backups.newest(of: vault, in: folder) { found.append(backup) }
      } catch {
        session.messages.note("the backups in \(folder) cannot be read now: \(CommandError(any: error).reason)")
      }
    }
    folders = named + known
    newest = found.max { $0.time < $1.time }
  }
}
