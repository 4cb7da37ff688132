import VaultCLI
import VaultDocument
import VaultKit
import VaultStorage
import VaultSystem
import VaultTerminal

/// The vault in the state of a git commit.
///
/// Anybody who can write to the repository can make a commit. The state is therefore compared with the vault as this
/// machine knows it, before a key is used. Its age is not a fault. Nothing is remembered: no pin, no seen version, no
/// index.
extension EarlierVault {
  init(
    at revision: String, _ location: VaultLocation, required: RequiredFingerprint?, global: GlobalOptions
  ) throws {
    guard !revision.isEmpty else { throw CommandError.usage("--at", "needs a commit") }
    let store = try GitStore.open(vault: location, at: revision)
    try self.init(store, location: location, required: required, global: global)
  }

  private init(
    _ store: GitStore, location: VaultLocation, required: RequiredFingerprint?, global: GlobalOptions
  ) throws {
    let commit = store.commit
    let vault: LockedVault
    do throws(VaultError) {
      vault = try LockedVault(store: store)
    } catch {
      throw error.code == .notAVault ? .noVault(at: commit, location.path) : CommandError(error).at(commit)
    }
    // The present vault may be damaged. Then an earlier state is most useful.
    let live = try? location.open(global)
    let isNamed = try required != nil || live.map { try global.isNamed($0) } ?? false
    let isThis = try required?.isOf(vault) ?? false
    if !isThis, let live { try required?.check(live, at: location.path) }
    if !isThis, live == nil { try required?.check(vault, at: location.path) }
    let comparison = EarlierComparison(vault, live: live, commit: commit, isAccepted: isThis)
    try comparison.check(StateLocation.state(global.messages), location: location, messages: global.messages)
    self.init(vault: vault, commit: commit, isNamed: isNamed)
  }
}

extension GlobalOptions {
  fileprivate func isNamed(_ live: LockedVault) throws -> Bool { PinCheck(live, StateLocation.state(messages)).isNamed }
}

/// Compares the header of a commit with the known vault.
private struct EarlierComparison {
  let vault: LockedVault
  /// The present vault; nil if it cannot be read.
  let live: LockedVault?
  let commit: String
  /// Whether the user has said that it is the right vault.
  let isAccepted: Bool
  private static let file = StoreLocation.header.fileName
  private var header: VaultHeader { vault.header }

  init(_ vault: LockedVault, live: LockedVault?, commit: String, isAccepted: Bool) {
    (self.vault, self.live, self.commit, self.isAccepted) = (vault, live, commit, isAccepted)
  }

  /// Refuses another vault, and a root key that is not known to have been the vault's. Notes an older state.
  func check(_ state: KnownVaults?, location: VaultLocation, messages: Messages) throws {
    if let live, live.header.vaultID != header.vaultID, !isAccepted {
      throw refused(
        "is from another vault than \(location.path)", expected: live.header.vaultID.text, found: header.vaultID.text)
    }
    let known = try state?.known(header, in: location.path)
    switch known?.state {
    case .pinned: return
    case .differs(.otherVault(let expected, let found)) where !isAccepted:
      throw refused(
        "is from another vault than this machine knows at this path", expected: expected.text, found: found.text)
    case .differs(.otherRoot(let expected, let found)):
      try checkRoot(known?.pin, expected: expected, found: found, messages: messages)
    case .differs(.olderHeader(let expected, let found, _)):
      messages.note(
        "at commit \(commit.prefix(12)) \(Self.file) is older than the one that this machine has seen: "
          + "it has revision \(found.revision), and revision \(expected.revision) was seen")
    case .differs(.otherHeader(let expected, _)):
      messages.note(
        "at commit \(commit.prefix(12)) \(Self.file) differs from the one that this machine has seen with the same "
          + "revision \(expected.revision)")
    case .differs, .new, nil:
      guard let live, live.header.root.commitment != header.root.commitment else { return }
      try checkRoot(nil, expected: live.fingerprint(), found: vault.fingerprint(), messages: messages)
    }
  }

  /// Checks a replaced root key. The present header names it, and counts if this machine has verified it.
  private func checkRoot(_ pin: Pin?, expected: String, found: String, messages: Messages) throws {
    if isAccepted { return }
    let entry = live?.header.keyring.first { $0.id == header.root.id && $0.commitment == header.root.commitment }
    guard let entry, let live, let pin = pin?.header, try pin.hash == live.header.hash() else {
      throw refused("has another root key than this machine knows of this vault", expected: expected, found: found)
    }
    messages.note(
      "commit \(commit.prefix(12)) is under a root key that was replaced at \(entry.replacedAt.text): somebody who had "
        + "that key could have made the commit, even later than it says")
  }

  private func refused(_ reason: String, expected: String, found: String) -> CommandError {
    var error = CommandError(
      .unexpectedVault, "unexpected_vault", subject: Self.file, reason,
      hints: [
        "expected \(expected), found \(found) at commit \(commit.prefix(12))",
        "if the keys were changed, `vault verify` tells this machine which keys the vault had before",
        "or say which vault you expect there with --require-fingerprint HEX",
      ])
    error.file = Self.file
    return error
  }
}

extension GitObjects {
  /// The full hash of a commit.
  func commit(_ revision: String, vault path: String) throws -> String {
    switch object(revision + "^{commit}", limit: 16 << 20) {
    case .object(let object): return object.id
    case .failed: throw CommandError.noGit(path)
    case .missing, .tooLarge:
      throw CommandError.noCommit(revision)
    }
  }
}

extension GitStore {
  /// The vault's folder in a commit.
  static func open(vault location: VaultLocation, at revision: String) throws -> GitStore {
    guard !location.isDatabase else { throw CommandError.inDatabase(location.path) }
    let kind = System.kind(of: location.path)
    guard kind == .directory else { throw location.holdsNoVault(kind) }
    let objects = GitObjects(Git(at: location.path))
    let commit = try objects.commit(revision, vault: location.path)
    do throws(StoreError) {
      return try GitStore(objects, commit: commit)
    } catch {
      guard error.code != .notAVault else { throw CommandError.noVault(at: commit, location.path) }
      throw CommandError(
        .inputOutput, "no_git", subject: location.path,
        "cannot be read at commit \(commit.prefix(12)): it is not in a work tree of git, or that work tree is damaged")
    }
  }
}

extension CommandError {
  fileprivate func at(_ commit: String) -> CommandError {
    var error = self
    error.hints.insert("the file is from commit \(commit.prefix(12))", at: 0)
    return error
  }

  fileprivate static func noVault(at commit: String, _ path: String) -> CommandError {
    CommandError(
      .noVault, "not_a_vault", subject: path, "was not yet a vault, or no longer one, at commit \(commit.prefix(12))",
      hints: ["`git log -- vault.json` in that folder shows when it was a vault"])
  }
}
