import VaultCLI
import VaultCare
import VaultDocument
import VaultGit
import VaultKit
import VaultMerge
import VaultSealing
import VaultTerminal

/// What verifies versions of records: the vault's keys, and for versions under a root key that was replaced those that
/// the vault had in the version's commit.
struct HistoryKeys {
  /// What the keys say of a version.
  enum Verdict {
    case authentic
    /// Under a root key that was replaced: whoever had that one could have made it, also later.
    case underReplacedRoot
    case refused
    case unknownRoot
  }

  /// So many states of the vault are unlocked at most: each may take a passphrase's time.
  private static let earlierLimit = 8

  private let session: Session
  private let vault: VaultOptions
  private let unlocking: UnlockOptions
  private let current: RecordMergeKey
  /// By the hints of root keys; nil where none could be had.
  private var earlier: [[UInt8]: RecordMergeKey?] = [:]

  /// Nil, and a note, where no key is at hand that takes no asking.
  init?(_ session: Session, vault: VaultOptions, unlocking: UnlockOptions) async throws {
    guard let opened = try await session.vaultToLookBack(unlocking) else { return nil }
    (self.session, self.vault, self.unlocking) = (session, vault, unlocking)
    current = Self.key(of: opened)
  }

  /// What the keys say of a version that is to be one of this record.
  mutating func verdict(on version: HistoryVersion, of id: RecordID) async -> Verdict? {
    guard let file = version.state?.record else { return nil }
    // One of another record is authentic, and does not belong here.
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

  /// That of the vault in a commit, which is refused unless this machine knows that the vault had that root key.
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
