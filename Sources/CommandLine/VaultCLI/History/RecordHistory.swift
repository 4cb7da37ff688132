package import VaultDocument
package import VaultGit
package import VaultKit
package import VaultMerge
package import VaultRecords
import VaultSealing
import VaultStorage

/// What stands for a record at its two places, among the records and in the trash.
package enum RecordState {
  case none
  case record(RecordFile)
  /// Something that is no record of this format, or cannot be read.
  case unreadable

  /// - Parameter bytes: of the live file, else of that in the trash.
  package init(_ bytes: [UInt8]?) {
    self = bytes.map { StoredVersion($0).record.map { .record($0) } ?? .unreadable } ?? .none
  }

  package var file: RecordFile? { if case .record(let file) = self { file } else { nil } }

  package var isThere: Bool { if case .none = self { false } else { true } }
}

/// One version of a record, and what it changed.
package struct HistoryVersion {
  /// Nil for what was not committed.
  package let commit: GitCommit?
  package let state: RecordState
  /// Nil where one of the two is no record.
  package let comparison: RecordComparison?
  /// Why it cannot follow what was before; nil for a good one.
  package let fault: VersionFault?

  package init(_ commit: GitCommit?, state: RecordState, after old: RecordState, kinds: KindCatalog) {
    (self.commit, self.state) = (commit, state)
    if case .unreadable = state {
      (comparison, fault) = (nil, nil)
    } else if case .unreadable = old {
      (comparison, fault) = (nil, nil)
    } else {
      comparison = RecordComparison(from: old.file, to: state.file, kinds: kinds)
      fault = state.file.flatMap { new in old.file.flatMap { new.fault(after: $0) } }
    }
  }

  /// When it was made, by its own word, else by that of git.
  package var time: Timestamp? { state.file?.envelope.updatedAt ?? commit?.time }
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
    let head = states["HEAD"] ?? .none
    let present = HistoryVersion(nil, state: folder[0].isThere ? folder[0] : folder[1], after: head, kinds: vault.kinds)
    let isCommitted = present.comparison?.event == .unchanged
    isInGit = true
    isCutOff = commits.last.map { objects.isCutOff(before: $0.id) } ?? false
    versions =
      (isCommitted ? [] : [present])
      + commits.map { commit in
        HistoryVersion(
          commit, state: states[commit.id] ?? .none, after: commit.parents.first.flatMap { states[$0] } ?? .none,
          kinds: vault.kinds)
      }
  }

  private static func state(_ place: StoreLocation, _ store: any RecordStore) -> RecordState {
    do throws(StoreError) { return RecordState(try store.read(place)) } catch { return .unreadable }
  }

  /// Without git there is the live file, and an older one in the trash; of the oldest nobody knows what it changed.
  private static func inFolder(_ states: [RecordState], _ kinds: KindCatalog) -> [HistoryVersion] {
    let there = states.filter(\.isThere)
    return there.indices.map { index in
      HistoryVersion(nil, state: there[index], after: there[min(index + 1, there.count - 1)], kinds: kinds)
    }
  }

  /// What each of the commits has of a record.
  private static func states(of id: RecordID, in commits: [String], _ objects: GitObjects) -> [String: RecordState] {
    let places = [StoreLocation.record(id), .trash(id)].map(\.relativePath)
    let names = commits.flatMap { commit in places.map { "\(commit):./\($0)" } }
    var states: [String: RecordState] = [:]
    objects.read(names, limit: byteLimit) { index, answer in
      let commit = commits[index / places.count]
      guard states[commit]?.isThere != true else { return true }
      switch answer {
      case .object(let object) where object.kind == .blob: states[commit] = RecordState(object.bytes)
      case .missing: break
      case .object, .tooLarge, .failed: states[commit] = .unreadable
      }
      return true
    }
    return states
  }
}
