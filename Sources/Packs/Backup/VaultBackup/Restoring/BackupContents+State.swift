internal import VaultDocument
public import VaultKit
public import VaultStorage

extension BackupContents {
  /// Header, slots and records in memory, as a state of the vault to compare with another. They are not verified.
  ///
  /// - Throws: `VaultError` `.damaged`, `.changedUnderneath`, `.ioFailed`.
  public func state() throws(VaultError) -> any RecordStore {
    let store = MemoryStore()
    let lock = try inStore { () throws(StoreError) in
      try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    }
    defer { lock.release() }
    try forEachFile { file throws(VaultError) in
      guard case .document(let place) = file.member else { return }
      try inStore { () throws(StoreError) in
        try store.apply([StoreChange(place, from: nil, to: file.bytes)], under: lock)
      }
    }
    return store
  }
}
