import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultTerminal

/// The keys that verify versions of records: the present keys, and for versions under a replaced root key, the keys of
/// the version's commit.
struct HistoryKeys {
  enum Verdict {
    case authentic
    /// Verified under a replaced root key. Anybody who had that key could have made the version, also later.
    case underReplacedRoot
    case refused
    case unknownRoot
  }

  /// The maximum number of unlocked states, because each may take the time of a passphrase.
  private static let earlierLimit = 8

  private let session: Session
  private let vault: VaultOptions
  private let unlocking: UnlockOptions
  private let current: RecordMergeKey
  /// Earlier keys by the hints of their root keys; nil for unavailable keys.
  private var earlier: [[UInt8]: RecordMergeKey?] = [:]

  /// Nil, with a note, if no key is available without a question.
  init?(_ session: Session, vault: VaultOptions, unlocking: UnlockOptions) async throws {
    guard let opened = try await session.vaultToLookBack(unlocking) else { return nil }
    (self.session, self.vault, self.unlocking) = (session, vault, unlocking)
    current = Self.key(of: opened)
  }

  mutating func verdict(on version: HistoryVersion, of id: RecordID) async -> Verdict? {
    guard let file = version.state?.record else { return nil }
    // A version of another record is authentic, but in the wrong place.
    guard file.envelope.id == id else { return .refused }
    switch current.verdict(on: file) {
    case .authentic: return .authentic
    case .refused: return .refused
    case .unknownRoot: break
    }
    guard let commit = version.commit else { return .unknownRoot }
    let hint = file.envelope.wrappedKey.rootHint
    if earlier[hint] == nil, earlier.count < Self.earlierLimit {
      earlier[hint] = .some(await key(at: commit.id))
    }
    switch (earlier[hint] ?? nil)?.verdict(on: file) {
    case .authentic?: return .underReplacedRoot
    case .refused?: return .refused
    case .unknownRoot?, nil: return .unknownRoot
    }
  }

  /// The key of the vault in a commit. It is refused unless this machine knows that the vault had that root key.
  private func key(at commit: String) async -> RecordMergeKey? {
    var global = session.global
    (global.quiet, global.noInput) = (true, true)
    let (vault, unlocking, location) = (vault, unlocking, session.location)
    do {
      let earlier = try EarlierVault(at: commit, location, required: RequiredFingerprint(vault), global: global)
      return try await Session(earlier, location: location, global: global).unlockWithoutAsking(unlocking, with: .own)
        .map(Self.key)
    } catch {
      session.messages.detail("commit \(commit.prefix(12)) is not unlocked: \(CommandError(any: error).reason)")
      return nil
    }
  }

  private static func key(of vault: Vault) -> RecordMergeKey {
    RecordMergeKey(root: { hint throws(SealingError) in try vault.recordRoot(hint: hint) })
  }
}
