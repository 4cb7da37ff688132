public import VaultDocument
package import VaultStorage

// Facts for decisions of programs that the code alone does not tell.

extension VaultError {
  var storeError: StoreError? { underlying as? StoreError }

  /// Whether the failed change is stored nevertheless, or may be: look before you repeat it.
  public var mayBeStored: Bool { code == .mayBeLost || code == .outcomeUnknown }

  /// Whether the failed change is stored in this store, may be, or may still be stored, because a server that does not
  /// answer may be working. If so, nothing that the change names may be removed; a repair tells later.
  package func mayBeStored(in store: any RecordStore) -> Bool {
    mayBeStored || code == .ioFailed && store is any RemoteStore
  }

  /// With `.lockedByOther`: the process that holds the lock, if known; it may be this one.
  public var holder: Int32? { storeError?.holder }

  /// The system's error number (`errno`) if a system call failed.
  public var systemErrorNumber: Int32? { storeError?.errno }

  /// The slot whose file the error is about; nil for any other file.
  public var slot: SlotID? {
    if let file, case .slot(let id)? = StoreLocation(relativePath: file) { id } else { nil }
  }
}
