internal import Synchronization
package import VaultSealing

/// The root keys that an open vault accepts: the current one, and older ones while records still use them.
package final class Keyring: Sendable {
  package let current: RootKey
  private let entries: [KeyringEntry]
  private let opened = Mutex<[RootID: RootKey]>([:])
  private let list = Mutex<Checkpoint?>(nil)

  package init(current: RootKey, entries: [KeyringEntry]) {
    self.current = current
    self.entries = entries
  }

  /// The root key whose id begins with `hint` (8 bytes).
  package func root(hint: [UInt8]) throws(SealingError) -> RootKey {
    guard !waitsForReseal(hint: hint) else {
      throw SealingError(.unknownRoot, "must wait until the unfinished reseal is finished")
    }
    return try rootEvenIfWaiting(hint: hint)
  }

  /// Whether documents under this root count only if the checkpoint at the start of a reseal lists them, because a
  /// person who left has this root.
  package func waitsForReseal(hint: [UInt8]) -> Bool {
    guard !current.id.bytes.starts(with: hint), let entry = entry(hint: hint) else { return false }
    return entry.state == .openOnly && entry.reason == .reseal
  }

  /// Like ``root(hint:)``, but also returns a root that waits for a reseal; the caller must check the record against
  /// the checkpoint.
  package func rootEvenIfWaiting(hint: [UInt8]) throws(SealingError) -> RootKey {
    if current.id.bytes.starts(with: hint) { return current }
    guard let entry = entry(hint: hint) else {
      throw SealingError(.unknownRoot, "was written under a root key that this vault does not know")
    }
    guard let wrap = entry.wrap else {
      throw SealingError(.unknownRoot, "was written under a root key that is retired")
    }
    if let root = opened.withLock({ $0[entry.id] }) { return root }
    let root = try current.unwrap(wrap, olderRoot: entry.id)
    guard constantTimeEqual(root.commitment, entry.commitment) else {
      throw SealingError(.authenticationFailed, "the keyring holds a root key other than the one it names")
    }
    opened.withLock { $0[entry.id] = root }
    return root
  }

  private func entry(hint: [UInt8]) -> KeyringEntry? { entries.first { $0.id.bytes.starts(with: hint) } }

  /// The checkpoint at the start of an unfinished reseal, loaded once by `load`.
  package func resealList(_ load: () throws(VaultError) -> Checkpoint) throws(VaultError) -> Checkpoint {
    if let list = list.withLock({ $0 }) { return list }
    let loaded = try load()
    list.withLock { $0 = loaded }
    return loaded
  }
}
