package import VaultDocument

/// A store that also keeps deposits: sealed files from people without a key, which wait for a key holder (format 1,
/// section 16, Deposits). Other stores cannot take a deposit.
///
/// `read` and `apply` work on the places ``StoreLocation/inbox(_:)`` as on any other. Such a place never changes
/// together with another one.
package protocol InboxStore: RecordStore {
  /// The ids of all deposits, ascending.
  func deposits() throws(StoreError) -> [DepositID]

  /// Adds a deposit durably. An existing one is never replaced. A store may do so without its lock, for users who must
  /// not change anything else.
  ///
  /// - Throws: `StoreError` `.alreadyExists`, `.tooLarge`, and like `apply`.
  func deposit(_ bytes: [UInt8], as id: DepositID, timeout: Duration) throws(StoreError)

  /// Removes deposits durably, even if they cannot be read. Missing deposits are ignored.
  ///
  /// - Precondition: `lock` is an exclusive lock of this store and not released.
  func removeDeposits(_ ids: [DepositID], under lock: any StoreLock) throws(StoreError)
}

extension InboxStore {
  package func deposit(_ bytes: [UInt8], as id: DepositID, timeout: Duration) throws(StoreError) {
    do throws(StoreError) {
      try apply([.put(.inbox(id), bytes)], timeout: timeout)
    } catch {
      guard error.code == .changedUnderneath, error.path == StoreLocation.inbox(id).relativePath else { throw error }
      throw StoreError(.alreadyExists, reason: "is already there", path: error.path)
    }
  }
}

extension StoreError {
  /// Whether only this file cannot be read, because it is too large, a link, or not readable for this user. Such a file
  /// in an inbox is not a deposit.
  package var isOfOneFile: Bool { [.tooLarge, .notARegularFile, .symbolicLink, .permissionDenied].contains(code) }
}

extension RecordStore {
  /// The ids of the deposits; empty for a store that cannot keep any.
  ///
  /// - Throws: like `read`.
  package func heldDeposits() throws(StoreError) -> [DepositID] {
    guard let store = self as? any InboxStore else { return [] }
    return try store.deposits()
  }
}
