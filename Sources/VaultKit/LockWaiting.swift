internal import Dispatch
package import VaultStorage

extension RecordStore {
  /// Takes the vault's lock, and blocks no thread that tasks run on where others have to be waited for.
  ///
  /// Whoever holds the lock may need those threads to get done: with all of them waiting, none would ever end.
  ///
  /// - Throws: ``VaultError`` `.lockedByOther` after `timeout`, and as the store's own `lock`.
  package func waitForLock(
    _ kind: LockKind, timeout: Duration, onWait: @escaping @Sendable (Int32?) -> Void
  ) async throws(VaultError) -> any StoreLock {
    do throws(StoreError) {
      return try lock(kind, timeout: .zero) { _ in }
    } catch {
      guard error.code == .locked, timeout > .zero else { throw VaultError(store: error) }
    }
    let result = await withCheckedContinuation { continuation in
      // A queue of its own has a thread of its own, however many wait.
      DispatchQueue(label: "vault.lock").async {
        continuation.resume(
          returning: Result { () throws(StoreError) in try lock(kind, timeout: timeout, onWait: onWait) })
      }
    }
    return try inStore { () throws(StoreError) in try result.get() }
  }
}
