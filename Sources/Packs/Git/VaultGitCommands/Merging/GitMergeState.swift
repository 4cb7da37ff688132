import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultStorage
import VaultTerminal

/// The unmerged records in a vault's work tree, and how git learns that they are merged.
enum GitMergeState {
  /// git waits for the merge.
  case stopped(StoppedMerge)
  /// git waits for nothing, but has settled records that nobody can read.
  case settled(SettledRecords)

  var stopped: StoppedMerge? { if case .stopped(let merge) = self { merge } else { nil } }

  /// The records, in the order of their ids.
  func records() -> [UnmergedRecord] {
    switch self {
    case .stopped(let merge): merge.records()
    case .settled(let settled): settled.records
    }
  }

  /// The commit of the other side, as git names it.
  var theirCommit: String {
    switch self {
    case .stopped(let merge): merge.theirCommit
    case .settled(let settled): settled.commit
    }
  }
}

extension Git {
  /// Tells git the outcome of a merge, as `git add` does.
  func add(_ filled: [StoreLocation], removing emptied: [StoreLocation]) throws {
    for (words, places) in [(["--force-remove"], emptied), (["--add"], filled)] {
      var paths = places.map(\.relativePath)[...]
      while !paths.isEmpty {
        // A command line has a limited length.
        let some = paths.prefix(500)
        paths = paths.dropFirst(500)
        guard output(["update-index"] + words + ["--"] + some) == nil else { continue }
        throw CommandError(
          .inputOutput, "io_failed", subject: some.first, "is merged, but git could not be told so",
          hints: ["run `git add -A -- records trash` in the vault's folder"])
      }
    }
  }
}

/// Records under a replaced root key that an older branch has brought without any conflict.
///
/// All these records are under one root key, and a commit whose header has this root key tells how they verify.
///
/// Records under another root key are left for the next run.
struct SettledRecords {
  /// In the order of ids.
  let records: [UnmergedRecord]
  /// The latest commit in our history whose header has the root key as its own.
  let commit: String

  /// Nil without such records.
  init?(in folder: String, _ header: VaultHeader) {
    guard header.hasReplacedRoots else { return nil }
    let git = Git(at: folder)
    let objects = GitObjects(git)
    let stages = GitStage.all(git).filter { $0.number == 0 }
    var (found, root): ([RecordID: UnmergedRecord], [UInt8]?) = ([:], nil)
    objects.forEachVersion(stages.map(\.blob)) { index, version in
      let path = stages[index].path
      guard let id = StoreLocation(relativePath: path)?.recordID, header.hasReplacedRoot(of: version),
        let file = version.record, root ?? file.envelope.wrappedKey.rootHint == file.envelope.wrappedKey.rootHint,
        // Skip a file that somebody has changed since.
        (try? TextInput.file(System.join(folder, path), limit: StoreLocation.record(id).byteLimit)) == version.bytes
      else { return }
      root = file.envelope.wrappedKey.rootHint
      let place = file.isRemoved ? StoreLocation.trash(id) : .record(id)
      found[id] = UnmergedRecord(id: id, files: [place.relativePath], theirs: version, isMergedUnderOldRoot: true)
    }
    guard let root, let commit = Self.commit(under: root, git, objects) else { return nil }
    (records, self.commit) = (found.values.sorted { $0.id < $1.id }, commit)
  }

  private static func commit(under hint: [UInt8], _ git: Git, _ objects: GitObjects) -> String? {
    let commits = git.lines(["log", "--format=%H", "HEAD", "--", "vault.json"], limit: GitStage.listByteLimit)
    return commits.first { objects.header(in: $0)?.root.id.bytes.starts(with: hint) == true }
  }
}

extension GitStage {
  static let listByteLimit = 256 << 20

  /// The entries of files in git's index, by default of all records.
  static func all(_ git: Git, of paths: [String] = ["records", "trash"]) -> [GitStage] {
    git.parts(["ls-files", "--stage", "-z", "--"] + paths, limit: listByteLimit).compactMap(GitStage.init)
  }
}
