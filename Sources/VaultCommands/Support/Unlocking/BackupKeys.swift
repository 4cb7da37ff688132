import VaultAge
import VaultBackup
import VaultCrypto
import VaultKit
import VaultSystem

/// The keys of a command that opens backups: what opens the backup itself, and what unlocks the vault in it. The same
/// may do both.
struct BackupKeys {
  private let global: GlobalOptions
  private let maximumWorkFactor: Int
  /// What was given, read once: a descriptor gives its passphrase to nobody twice.
  private let given: [(key: VaultKey, subject: String)]
  private let backupPassphrase: SecretBytes?

  init(_ options: UnlockOptions, backupPassphraseFile: String?, _ global: GlobalOptions) throws {
    self.global = global
    let maximum = try options.maximumWorkFactor()
    maximumWorkFactor = maximum
    given = try KeySource.given(options).map { source in
      global.messages.detail("key: \(source.explanation)")
      return (try source.key(maximumWorkFactor: maximum), source.subject)
    }
    backupPassphrase = try backupPassphraseFile.map { try SecretInput.file($0) }
  }

  /// Whether anything was given.
  var isEmpty: Bool { given.isEmpty && backupPassphrase == nil }

  /// What may open a backup: what is given, with the user's own identity; nothing where nobody has a key.
  ///
  /// - Parameter asks: whether a passphrase may be asked for.
  func credentials(for file: BackupFile, asks: Bool) throws -> [AgeCredential] {
    switch file.lock {
    case .recipients: return identities.map { .identity($0) }
    case .passphrase:
      let known = backupPassphrase.map { [$0] } ?? passphrases
      if known.isEmpty, asks, let terminal = Terminal(noInput: global.noInput) {
        return [credential(try terminal.secret("Passphrase of the backup: "))]
      }
      return known.map(credential)
    }
  }

  private func credential(_ passphrase: SecretBytes) -> AgeCredential {
    .passphrase(passphrase, maximumWorkFactor: maximumWorkFactor)
  }

  private var passphrases: [SecretBytes] {
    given.compactMap { if case .passphrase(let passphrase, _) = $0.key { passphrase } else { nil } }
  }

  /// The given identities, and behind them the user's own.
  private var identities: [AgeIdentity] {
    let given = given.flatMap { given -> [AgeIdentity] in
      if case .identities(let identities) = given.key { identities } else { [] }
    }
    return given + (KeySource.standardIdentities ?? [])
  }

  /// Unlocks a vault; nil when no key does and nobody is to be asked.
  ///
  /// - Parameter state: what is remembered of it; nil for the vault in a backup, which lies in no directory.
  func unlock(_ vault: LockedVault, asks: Bool, state: KnownVaults? = nil) async throws -> Vault? {
    let options = try global.vaultOptions(state)
    for key in given.map(\.key) + [.identities(identities)] {
      do throws(VaultError) {
        return try await vault.unlock(with: key, options: options)
      } catch {
        guard error.code == .noMatchingSlot || error.code == .wrongPassphrase else { throw error }
      }
    }
    guard asks, vault.header.slots.contains(where: { $0.kind == .scrypt }),
      let terminal = Terminal(noInput: global.noInput)
    else { return nil }
    let passphrase = try terminal.secret("Passphrase of the vault: ")
    return try await vault.unlock(
      with: .passphrase(passphrase, maximumWorkFactor: maximumWorkFactor), options: options)
  }
}

extension CommandError {
  /// Nothing that was given opens a backup.
  static func backupNotOpened(_ file: BackupFile) -> CommandError {
    let hint =
      switch file.lock {
      case .recipients: "give the identity of one of its recipients with --identity FILE"
      case .passphrase: "give its passphrase with --backup-passphrase-file FILE"
      }
    return CommandError(.cannotUnlock, "no_key", subject: file.path, "no key for the backup is given", hints: [hint])
  }

  /// Nothing that was given unlocks the vault in a backup.
  static func backedUpVaultNotUnlocked(_ file: BackupFile) -> CommandError {
    CommandError(
      .cannotUnlock, "no_key", subject: file.path,
      "it opens, but no key that is given unlocks the vault in it",
      hints: ["give the identity or the passphrase of one of the vault's slots, too: --identity may be repeated"])
  }
}

extension BackupFile {
  /// The backup that an argument names.
  static func argument(_ path: String) throws -> BackupFile {
    guard System.kind(of: path) != .directory else {
      var error = CommandError(
        .inputOutput, "io_failed", subject: path, "is a directory, and a backup is a file",
        hints: ["`vault backup list \(Printable.text(path))` shows the backups in it"])
      error.file = path
      throw error
    }
    guard System.kind(of: path) != nil else { throw CommandError(SystemError.missing(path)) }
    return try BackupFile(at: path)
  }
}
