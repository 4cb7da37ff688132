package import VaultDocument
package import VaultGit
package import VaultKit
package import VaultMerge
package import VaultRecords
import VaultSealing
import VaultStorage

/// One version of a record, and what it changed.
package struct HistoryVersion {
  /// Nil for what was not committed.
  package let commit: GitCommit?
  /// What the live file holds, else the one in the trash; nil for no file.
  package let state: StoredVersion?
  /// Nil where one of the two is no record.
  package let comparison: RecordComparison?
  /// Why it cannot follow what was before; nil for a good one.
  package let fault: VersionFault?

  package init(_ commit: GitCommit?, state: StoredVersion?, after old: StoredVersion?, kinds: KindCatalog) {
    (self.commit, self.state) = (commit, state)
    guard [state, old].allSatisfy({ $0 == nil || $0?.record != nil }) else {
      (comparison, fault) = (nil, nil)
      return
    }
    comparison = RecordComparison(from: old?.record, to: state?.record, kinds: kinds)
    fault = state?.record.flatMap { new in old?.record.flatMap { new.fault(after: $0) } }
  }

  /// When it was made, by its own word, else by that of git.
  package var time: Timestamp? { state?.envelope?.updatedAt ?? commit?.time }
}

/// The versions of one record, the newest first: those of git's commits, before them what the folder holds otherwise.
package struct RecordHistory {
  package let versions: [HistoryVersion]
  /// Whether the vault lies in a work tree with commits.
  package let isInGit: Bool
  /// Whether the commit before the oldest was left where the repository comes from: what it adds may have been there.
  package let isCutOff: Bool

  private static let byteLimit = 16 << 20

  /// - Parameter limit: so many versions at most are asked of git; nil for all.
  package init(of id: RecordID, in vault: LockedVault, at path: String, limit: Int?) {
    let git = Git(at: path)
    let objects = GitObjects(git)
    objects.start()
    let places = [StoreLocation.record(id), .trash(id)]
    let folder = places.map { Self.state($0, vault.store) }
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

  private static func state(_ place: StoreLocation, _ store: any RecordStore) -> StoredVersion? {
    do throws(StoreError) { return try store.read(place).map { StoredVersion($0) } } catch { return .unreadable }
  }

  /// Without git there is the live file, and an older one in the trash; of the oldest nobody knows what it changed.
  private static func inFolder(_ states: [StoredVersion?], _ kinds: KindCatalog) -> [HistoryVersion] {
    let there = states.compactMap { $0 }
    return there.indices.map { index in
      HistoryVersion(nil, state: there[index], after: there[min(index + 1, there.count - 1)], kinds: kinds)
    }
  }

  /// What each of the commits has of a record.
  private static func states(of id: RecordID, in commits: [String], _ objects: GitObjects) -> [String: StoredVersion] {
    let places = [StoreLocation.record(id), .trash(id)].map(\.relativePath)
    let names = commits.flatMap { commit in places.map { "\(commit):./\($0)" } }
    var states: [String: StoredVersion] = [:]
    objects.read(names, limit: byteLimit) { index, answer in
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
