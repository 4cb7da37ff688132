import VaultDocument
import VaultKit
import VaultMerge
import VaultRecords
import VaultSealing
import VaultStorage

enum RecordState {
  case none
  case record(RecordFile)
  /// Not a record of this format, or unreadable.
  case unreadable

  /// - Parameter bytes: the live file, or the file in the trash.
  init(_ bytes: [UInt8]?) {
    self = bytes.map { RecordFile(parsing: $0).map { .record($0) } ?? .unreadable } ?? .none
  }

  var file: RecordFile? { if case .record(let file) = self { file } else { nil } }

  var isThere: Bool { if case .none = self { false } else { true } }
}

struct HistoryVersion {
  /// Nil for an uncommitted version.
  let commit: GitCommit?
  let state: RecordState
  /// Nil if either version is not a record.
  let comparison: RecordComparison?
  /// Why the version cannot follow the previous one; nil if it can.
  let fault: VersionFault?

  init(_ commit: GitCommit?, state: RecordState, after old: RecordState, kinds: KindCatalog) {
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

  /// The time in the record, or that of the commit.
  var time: Timestamp? { state.file?.envelope.updatedAt ?? commit?.time }
}

/// The versions of one record, the newest first. Uncommitted versions precede those of git.
struct RecordHistory {
  let versions: [HistoryVersion]
  /// Whether the vault is in a work tree with commits.
  let isInGit: Bool
  /// Whether the clone is shallow. Then the oldest commit's additions may be older.
  let isCutOff: Bool

  private static let byteLimit = 16 << 20

  /// - Parameter limit: how many versions to ask git for; nil for all.
  init(of id: RecordID, in vault: LockedVault, at path: String, limit: Int?) {
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

  /// The live file, and an older file in the trash, for a vault without git. The changes of the oldest version are
  /// unknown.
  private static func inFolder(_ states: [RecordState], _ kinds: KindCatalog) -> [HistoryVersion] {
    let there = states.filter(\.isThere)
    return there.indices.map { index in
      HistoryVersion(nil, state: there[index], after: there[min(index + 1, there.count - 1)], kinds: kinds)
    }
  }

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
