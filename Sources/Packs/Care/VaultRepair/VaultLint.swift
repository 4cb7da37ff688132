package import VaultKit
package import VaultStorage
package import VaultTrust

package struct LintReport: Sendable {
  /// The number of live records, good and faulty.
  package internal(set) var recordCount = 0
  /// The number of removed records, good and faulty.
  package internal(set) var trashedCount = 0
  package internal(set) var findings: [VaultFault] = []
  /// Notes that are not faults, a sentence each.
  package internal(set) var notes: [String] = []
  /// Files that were rewritten in canonical form, as paths below the vault's directory.
  package internal(set) var rewritten: [String] = []
}

/// The check of a vault without a key: shapes, names and spelling, for hooks and continuous integration.
///
/// Only a key can tell whether data is authentic; ``Vault/verify(_:progress:)`` checks that.
package struct VaultLint: Sendable {
  private let store: any RecordStore
  private let options: Vault.Options

  /// The vault at a place; its header may be damaged.
  package init(at place: VaultPlace, options: Vault.Options = Vault.Options(state: nil)) throws(VaultError) {
    self.init(store: try inStore { () throws(StoreError) in try place.store() }, options: options)
  }

  /// The vault in a store; its header may be damaged.
  package init(store: any RecordStore, options: Vault.Options = Vault.Options(state: nil)) {
    self.store = store
    self.options = options
  }

  /// Checks every file at one moment.
  package nonisolated(nonsending) func check(progress: () -> Void = {}) async throws(VaultError) -> LintReport {
    try await reporting(to: progress) { report throws(VaultError) in
      try await run(.snapshot, progress: { report(()) }, rewriting: { _ in nil })
    }
  }

  /// Checks every file, and rewrites those that differ from the canonical form only in white space, order of members or
  /// spelling.
  ///
  /// No document changes its meaning: the canonical encoding `T` of each stays (format 1, section 1.2, Trees).
  package nonisolated(nonsending) func fix(progress: () -> Void = {}) async throws(VaultError) -> LintReport {
    try await reporting(to: progress) { report throws(VaultError) in
      try await run(
        .exclusive, progress: { report(()) },
        rewriting: { lock in
          { changes throws(VaultError) in
            try inStore { () throws(StoreError) in try store.apply(changes, under: lock) }
          }
        })
    }
  }

  private func run(
    _ kind: LockKind, progress: () -> Void, rewriting: (any StoreLock) -> Linter.Rewriting?
  ) async throws(VaultError) -> LintReport {
    guard let lock = try await lock(kind) else {
      // A wrong file in the place of the lock is reported with the rest, and nothing is written.
      var linter = try Linter(store, types: options.types, rewriting: nil)
      try await linter.run(progress)
      return linter.report
    }
    defer { lock.release() }
    var linter = try Linter(lock.view ?? store, types: options.types, rewriting: rewriting(lock))
    do throws(VaultError) {
      try await linter.run(progress)
    } catch {
      let count = linter.report.rewritten.count
      guard error.code == .cancelled, count > 0 else { throw error }
      throw VaultError(
        .cancelled,
        "the command was cancelled after \(count) file\(count == 1 ? " was" : "s were") rewritten, and before the others",
        remedies: ["run it again for the others; no document has changed its meaning"])
    }
    return linter.report
  }

  /// Nil if there can be no lock: then no other program with locks can write either.
  private func lock(_ kind: LockKind) async throws(VaultError) -> (any StoreLock)? {
    do throws(VaultError) {
      return try await store.waitForLock(kind, timeout: options.lockTimeout, onWait: options.onLockWait)
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }
}
