public import VaultKit
internal import VaultCare
internal import VaultSealing
internal import VaultStorage

extension Vault {
  /// Lets the vault take deposits, which needs the root key in this process.
  ///
  /// - Returns: whether it did not take them before.
  /// - Throws: ``VaultError`` `.noKey`, `.lockedByOther`, `.rotationUnfinished`, and like `add`.
  @discardableResult
  public func enableDeposits() async throws(VaultError) -> Bool {
    try await writing { lock throws(VaultError) in
      guard header.deposit == nil else { return false }
      try put(.make(under: requiredRoot(), like: header.slots, now: currentTime()), lock)
      return true
    }
  }

  /// The people whose signatures of deposits count, in the form of the file `allowed_signers` of ssh-keygen; nil for
  /// nobody. The list is in the header, under its MAC.
  ///
  /// - Throws: ``VaultError`` `.inputRefused` for a vault without deposits or a list over 64 KiB, and like
  ///   ``enableDeposits()``.
  public func setDepositSigners(_ signers: String?) async throws(VaultError) {
    guard signers.map({ (1...DepositKeys.maximumSignersByteCount).contains($0.utf8.count) }) ?? true else {
      throw VaultError(.inputRefused, "the list of signers must have 1 byte to 64 KiB")
    }
    try await writing { lock throws(VaultError) in
      guard let keys = header.deposit else {
        throw VaultError(.inputRefused, "the vault does not take deposits yet", remedies: [.enableDeposits])
      }
      guard keys.signers != signers else { return }
      _ = try requiredRoot()
      try put(keys.signed(by: signers), lock)
    }
  }

  /// The root key, unless an unfinished rotation is about to replace the header again.
  private func requiredRoot() throws(VaultError) -> RootKey {
    guard header.unfinishedRotation == nil else {
      throw VaultError(.rotationUnfinished, "a rekey of the vault was not finished", file: VaultHeader.fileName)
    }
    let root = keyring.current
    try inSealing { () throws(SealingError) in try root.requireHere() }
    return root
  }

  private func put(_ keys: DepositKeys, _ lock: any StoreLock) throws(VaultError) {
    let root = keyring.current
    try replaceHeader(by: header.changed(deposit: keys, root: root), root: root, lock)
  }
}
