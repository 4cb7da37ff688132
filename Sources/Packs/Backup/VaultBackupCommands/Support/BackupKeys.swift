import VaultAge
import VaultBackup
import VaultCLI
import VaultCrypto
import VaultKit
import VaultSystem
import VaultTerminal

/// The keys of a command that opens backups: keys for the backup, and keys for the vault in it. One key may be for
/// both.
struct BackupKeys {
  private let global: GlobalOptions
  private let maximumWorkFactor: Int
  /// The given keys, read once, because a descriptor returns its passphrase only once.
  private let given: [(key: VaultKey, subject: String)]
  private let backupPassphrase: SecretBytes?

  init(_ options: UnlockOptions, backupPassphraseFile: String?, _ global: GlobalOptions) throws {
    self.global = global
    maximumWorkFactor = try options.maximumWorkFactor()
    let keys = try KeyReader(options, global)
    var given: [(key: VaultKey, subject: String)] = []
    while let source = keys.next() {
      global.messages.detail("key: \(source.explanation)")
      given.append((try keys.key(of: source), source.subject))
    }
    self.given = given
    backupPassphrase = try backupPassphraseFile.map { try SecretInput.file($0).passphrase() }
  }

  var isEmpty: Bool { given.isEmpty && backupPassphrase == nil }

  struct Opened {
    let contents: BackupContents
    /// Whether a given key opened it, rather than the user's own identity.
    let isByGiven: Bool
  }

  /// Opens a backup with a given key, or with the user's own identity; nil if no key is given and none fits.
  ///
  /// - Parameter asks: whether to ask for a passphrase, and to require that the backup opens.
  func open(_ file: BackupFile, asks: Bool) async throws -> Opened? {
    let isNeeded = asks || !isEmpty
    let own: [AgeIdentity] = file.lock.isForRecipients ? KeySource.standardIdentities ?? [] : []
    let given = try credentials(for: file, asks: asks)
    do throws(VaultError) {
      if !given.isEmpty { return Opened(contents: try await BackupContents(of: file, with: given), isByGiven: true) }
    } catch {
      guard error.code == .noMatchingSlot, !own.isEmpty else { throw error }
    }
    guard !own.isEmpty else {
      if isNeeded { throw CommandError.backupNotOpened(file, isGiven: !isEmpty) }
      return nil
    }
    do throws(VaultError) {
      let contents = try await BackupContents(of: file, with: own.map { .identity($0) })
      return Opened(contents: contents, isByGiven: false)
    } catch {
      // A key that was not given need not fit.
      guard error.code == .noMatchingSlot, !isNeeded else { throw error }
      return nil
    }
  }

  private func credentials(for file: BackupFile, asks: Bool) throws -> [AgeCredential] {
    switch file.lock {
    case .recipients: return givenIdentities.map { .identity($0) }
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

  private var givenIdentities: [AgeIdentity] {
    given.flatMap { given -> [AgeIdentity] in
      if case .identities(let identities) = given.key { identities } else { [] }
    }
  }

  /// Refuses a passphrase for a backup without one. Otherwise nobody would notice that the backup was exchanged.
  func requireUse(of file: BackupFile) throws {
    guard backupPassphrase != nil, file.lock.isForRecipients else { return }
    throw CommandError.backupNotOpened(file, isGiven: true)
  }

  /// Unlocks a vault; nil if no key fits and nobody should be asked.
  ///
  /// - Parameter state: the remembered state; nil for the vault in a backup.
  func unlock(_ vault: LockedVault, asks: Bool, state: KnownVaults? = nil) async throws -> Vault? {
    if let opened = try await openByGivenKeys(vault, state: state) { return opened }
    return try await openByOtherKeys(vault, asks: asks, state: state)
  }

  /// Unlocks a vault with a given key; nil if none fits.
  func openByGivenKeys(_ vault: LockedVault, state: KnownVaults? = nil) async throws -> Vault? {
    try await open(vault, with: given.map(\.key), global.vaultOptions(state))
  }

  private func open(_ vault: LockedVault, with keys: [VaultKey], _ options: Vault.Options) async throws -> Vault? {
    for key in keys {
      do throws(VaultError) {
        return try await vault.unlock(with: key, options: options)
      } catch {
        guard error.code == .noMatchingSlot || error.code == .wrongPassphrase else { throw error }
      }
    }
    return nil
  }

  /// Unlocks a vault with the user's own identity, or with a passphrase that the user types.
  func openByOtherKeys(_ vault: LockedVault, asks: Bool, state: KnownVaults? = nil) async throws -> Vault? {
    let options = try global.vaultOptions(state)
    let own = KeySource.standardIdentities ?? []
    if let opened = try await open(vault, with: [.identities(givenIdentities + own)], options) { return opened }
    guard asks, vault.header.slots.contains(where: { $0.kind == .scrypt }),
      let terminal = Terminal(noInput: global.noInput)
    else { return nil }
    let passphrase = try terminal.secret("Passphrase of the vault: ")
    return try await vault.unlock(
      with: .passphrase(passphrase, maximumWorkFactor: maximumWorkFactor), options: options)
  }
}

extension CommandError {
  static func backupNotOpened(_ file: BackupFile, isGiven: Bool) -> CommandError {
    let hint =
      switch file.lock {
      case .recipients: "give the identity of one of its recipients with --identity FILE"
      case .passphrase: "give its passphrase with --backup-passphrase-file FILE"
      }
    let reason =
      switch (isGiven, file.lock) {
      case (false, _): "no key for the backup is given"
      case (true, .recipients): "the given key does not open the backup, which is sealed to recipients"
      case (true, .passphrase): "the given key does not open the backup, which is sealed with a passphrase"
      }
    return CommandError(.cannotUnlock, "no_key", subject: file.path, reason, hints: [hint])
  }

  /// The error if a given key opens neither a backup nor the vault in it, although another key does.
  static func keyOpensNothing(_ file: BackupFile) -> CommandError {
    CommandError(
      .cannotUnlock, "no_key", subject: file.path, "the given key opens neither the backup nor the vault in it",
      hints: ["leave out the key: your own identity opens the backup"])
  }

  static func backedUpVaultNotUnlocked(_ file: BackupFile) -> CommandError {
    CommandError(
      .cannotUnlock, "no_key", subject: file.path,
      "the backup opens, but no given key unlocks the vault",
      hints: ["also give the identity or passphrase of one of the vault's slots; --identity may be repeated"])
  }
}

extension BackupFile {
  static func argument(_ path: String) throws -> BackupFile {
    guard System.kind(of: path) != .directory else {
      var error = CommandError(
        .inputOutput, "io_failed", subject: path, "is a folder, not a backup file",
        hints: ["`vault backup list \(Printable.text(path))` shows the backups in it"])
      error.file = path
      throw error
    }
    guard System.kind(of: path) != nil else { throw CommandError(SystemError.missing(path)) }
    return try BackupFile(at: path)
  }
}

extension BackupFile.Lock {
  fileprivate var isForRecipients: Bool {
    switch self {
    case .recipients: true
    case .passphrase: false
    }
  }
}

/// Backups as states of a vault. The keys are read once, for the first backup, because a descriptor returns its
/// passphrase only once.
final class BackupStates: StateFiles {
  private let makeKeys: () throws -> BackupKeys
  private var keys: BackupKeys?

  init(_ options: UnlockOptions, passphraseFile: String?, _ global: GlobalOptions) {
    makeKeys = { try BackupKeys(options, backupPassphraseFile: passphraseFile, global) }
  }

  func open(_ path: String) async throws -> OpenedState {
    let file = try BackupFile.argument(path)
    let known = try keys ?? makeKeys()
    keys = known
    try known.requireUse(of: file)
    guard let opened = try await known.open(file, asks: true) else {
      throw CommandError.backupNotOpened(file, isGiven: !known.isEmpty)
    }
    return OpenedState(vault: opened.contents.vault, store: try opened.contents.state())
  }
}
