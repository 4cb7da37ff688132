internal import Synchronization
internal import VaultSealing

/// The root keys that an open vault takes: the current one, and older ones while records still use them.
final class Keyring: Sendable {
  let current: RootKey
  private let entries: [KeyringEntry]
  private let opened = Mutex<[RootID: RootKey]>([:])

  init(current: RootKey, entries: [KeyringEntry]) {
    self.current = current
    self.entries = entries
  }

  /// The root key whose id begins with `hint` (8 bytes).
  ///
  /// - Throws: ``SealingError`` `.unknownRoot` when there is none or it is retired.
  func root(hint: [UInt8]) throws(SealingError) -> RootKey {
    if current.id.bytes.starts(with: hint) { return current }
    guard let entry = entries.first(where: { $0.id.bytes.starts(with: hint) }) else {
      throw SealingError(.unknownRoot, "was written under a root key that this vault does not know")
    }
    guard let wrap = entry.wrap else {
      throw SealingError(.unknownRoot, "was written under a root key that is retired")
    }
    // Until its reseal is finished, records under such a root are authentic only by the checkpoint it began with.
    guard entry.reason == .rewrap else {
      throw SealingError(.unknownRoot, "waits for a reseal that was not finished")
    }
    if let root = opened.withLock({ $0[entry.id] }) { return root }
    let root = try current.unwrap(wrap, olderRoot: entry.id)
    guard constantTimeEqual(root.commitment, entry.commitment) else {
      throw SealingError(.authenticationFailed, "the keyring holds another root key than it names")
    }
    opened.withLock { $0[entry.id] = root }
    return root
  }
}
