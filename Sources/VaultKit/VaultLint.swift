internal import VaultFileStore
internal import VaultStorage

/// What ``VaultLint`` found.
public struct LintReport: Sendable {
  /// Live records, good and faulty.
  public internal(set) var recordCount = 0
  /// Removed records, good and faulty.
  public internal(set) var trashedCount = 0
  /// Everything that is wrong.
  public internal(set) var findings: [VaultFault] = []
  /// What is nothing wrong but worth knowing, a sentence each.
  public internal(set) var notes: [String] = []
  /// Files that were written again in canonical form, as paths below the vault's directory.
  public internal(set) var rewritten: [String] = []
}

/// The check of a vault that needs no key: shapes, names and spelling, for hooks and continuous integration.
///
/// What only a key can tell, whether anything is authentic, is left to ``Vault/verify(_:progress:)``.
public struct VaultLint: Sendable {
  private let store: any RecordStore
  private let options: Vault.Options

  /// The vault in `directory`; its header may be damaged.
  ///
  /// - Throws: ``VaultError`` `.notAVault`, `.permissionDenied`, `.ioFailed`.
  public init(at directory: String, options: Vault.Options = Vault.Options()) throws(VaultError) {
    self.init(store: try inStore { () throws(StoreError) in try DirectoryStore(at: directory) }, options: options)
  }

  init(store: any RecordStore, options: Vault.Options) {
    self.store = store
    self.options = options
  }

  /// Looks at every file while nobody writes.
  ///
  /// - Parameter progress: called after each record.
  /// - Throws: ``VaultError`` `.lockedByOther`, `.permissionDenied`, `.ioFailed` for the vault as a whole.
  public func check(progress: () -> Void = {}) async throws(VaultError) -> LintReport {
    try await run(.shared, progress) { _ in nil }
  }

  /// The same, and writes what differs from the canonical form in white space, order of members or spelling alone.
  ///
  /// No document changes its meaning: the canonical encoding `T` of each stays (format 1, section 2).
  ///
  /// - Throws: ``VaultError`` as ``check(progress:)``, and `.damaged` for a malformed journal, `.diskFull`.
  public func fix(progress: () -> Void = {}) async throws(VaultError) -> LintReport {
    try await run(.exclusive, progress) { lock in
      { changes throws(VaultError) in try inStore { () throws(StoreError) in try store.apply(changes, under: lock) } }
    }
  }

  private func run(
    _ kind: LockKind, _ progress: () -> Void, _ rewriting: (any StoreLock) -> Linter.Rewriting?
  ) async throws(VaultError) -> LintReport {
    let lock = try await store.waitForLock(kind, timeout: options.lockTimeout, onWait: options.onLockWait)
    defer { lock.release() }
    var linter = try Linter(store, types: options.types, rewriting: rewriting(lock))
    try await linter.run(progress)
    return linter.report
  }
}
