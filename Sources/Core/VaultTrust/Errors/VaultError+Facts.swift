public import VaultDocument
internal import VaultStorage

// What programs decide by, where the code alone does not say it.

extension VaultError {
  /// What the store has said.
  var storeError: StoreError? { underlying as? StoreError }

  /// Whether the change that failed is stored all the same, or may be: nobody should make it again before looking.
  public var mayBeStored: Bool { code == .mayBeLost || code == .outcomeUnknown }

  /// With `.lockedByOther`: the process that holds the lock, where that is known; it may be this one.
  public var holder: Int32? { storeError?.holder }

  /// The number of the system's error (`errno`), where a call of the system failed.
  public var systemErrorNumber: Int32? { storeError?.errno }

  /// The slot whose file it is about; nil for any other file.
  public var slot: SlotID? {
    if let file, case .slot(let id)? = StoreLocation(relativePath: file) { id } else { nil }
  }
}
