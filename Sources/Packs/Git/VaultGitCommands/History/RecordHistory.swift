import VaultDocument
import VaultKit
import VaultMerge
import VaultRecords
import VaultSealing
import VaultStorage

struct HistoryVersion {
  /// Nil for an uncommitted version.
  let commit: GitCommit?
  /// The version in the live file, else in the trash; nil for no file.
  let state: StoredVersion?
  /// Nil if either version is not a record.
  let comparison: RecordComparison?
  /// Why the version cannot follow the previous one; nil if it can.
  let fault: VersionFault?

  init(_ commit: GitCommit?, state: StoredVersion?, after old: StoredVersion?, kinds: KindCatalog) {
    (self.commit, self.state) = (commit, state)
    guard [state, old].allSatisfy({ $0 == nil || $0?.record != nil }) else {
      (comparison, fault) = (nil, nil)
      return
    }
    comparison = RecordComparison(from: old?.record, to: state?.record, kinds: kinds)
    fault = state?.record.flatMap { new in old?.record.flatMap { new.fault(after: $0) } }
  }

  /// The time in the record, or that of the commit.
  var time: Timestamp? { state?.envelope?.updatedAt ?? commit?.time }
}

/// The versions of one record, the newest first. Uncommitted versions precede those of git.
struct RecordHistory {
  let versions: [HistoryVersion]
  /// Whether the vault is in a work tree with commits.
  let isInGit: Bool
  /// Whether the clone is shallow. Then the oldest commit's additions may be older.
  let isCutOff: Bool

  /// - Parameter limit: how many versions to ask git for; nil for all.
  init(of id: RecordID, in vault: LockedVault, at path: String, limit: Int?) {
    let git = Git(at: path)
    let objects = GitObjects(git)
    objects.start()
    let places = StoreLocation.places(of: id)
    let folder = places.map { vault.store.version(at: $0) }
    guard let commits = GitCommit.list(git, limit: limit, of: places.map(\.relativePath)) else {
      (isInGit, isCutOff, versions) = (false, false, Self.inFolder(folder, vault.kinds))
      return
    }
    let older = commits.compactMap(\.parents.first)
    let states = Self.states(of: id, in: Set(commits.map(\.id) + older + ["HEAD"]).sorted(), objects)
    let present = HistoryVersion(nil, state: folder[0] ?? folder[1], after: states["HEAD"], kinds: vault.kinds)
    let isCommitted = present.comparison?.event == .unchanged
    isInGit = true
    isCutOff = commits.last.map { objects.isCutOff(before: $0.id) } ?? false
    versions =
      (isCommitted ? [] : [present])
      + commits.map { commit in
        HistoryVersion(
          commit, state: states[commit.id], after: commit.parents.first.flatMap { states[$0] }, kinds: vault.kinds)
      }
  }

  /// The live file, and an older file in the trash, for a vault without git. The changes of the oldest version are
  /// unknown.
  private static func inFolder(_ states: [StoredVersion?], _ kinds: KindCatalog) -> [HistoryVersion] {
    let there = states.compactMap { $0 }
    return there.indices.map { index in
      HistoryVersion(nil, state: there[index], after: there[min(index + 1, there.count - 1)], kinds: kinds)
    }
  }

  private static func states(of id: RecordID, in commits: [String], _ objects: GitObjects) -> [String: StoredVersion] {
    let places = StoreLocation.places(of: id).map(\.relativePath)
    let names = commits.flatMap { commit in places.map { "\(commit):./\($0)" } }
    var states: [String: StoredVersion] = [:]
    objects.read(names, limit: GitObjects.fileByteLimit) { index, answer in
      let commit = commits[index / places.count]
      guard states[commit] == nil else { return true }
      switch answer {
      case .object(let object) where object.kind == .blob: states[commit] = StoredVersion(object.bytes)
      case .missing: break
      case .object, .tooLarge, .failed: states[commit] = .unreadable
      }
      return true
    }
    return states
  }
}
