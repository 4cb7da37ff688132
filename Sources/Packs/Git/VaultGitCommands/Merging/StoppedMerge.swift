import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultStorage
import VaultTerminal

/// An operation of git in a vault, such as a merge, that has stopped and waits for the user.
struct StoppedMerge {
  private let git: Git
  private let objects: GitObjects
  private let stages: [GitStage]
  private let stagesByPath: [String: [GitStage]]
  /// The sides of a merge of two commits that diverged once; nil for any other operation.
  private let sides: GitSides?
  /// Nil unless git merges two commits.
  private let superseded: SupersededVersions?
  /// Nil unless git replays a branch.
  private let replayed: ReplayedBranch?
  /// Records that one side alone has changed, under a root key that the other has replaced.
  private let replaced: [RecordID]
  /// The commit of the other side, as git names it.
  let theirCommit: String
  private let operation: GitOperation
  /// The command that finishes the operation, as the index is now.
  var ending: String { operation.ending(git) }

  /// Nil if git waits for nothing.
  ///
  /// - Parameter begun: the operation that this process has just begun, and its sides; nil looks for one under way.
  init?(vault folder: String, begun: (operation: GitOperation, sides: GitSides?)? = nil) {
    let git = Git(at: folder)
    let objects = GitObjects(git)
    guard let operation = begun?.operation ?? GitOperation(git) else { return nil }
    (self.git, self.objects, self.operation, stages) = (git, objects, operation, operation.unmerged)
    stagesByPath = Dictionary(grouping: stages, by: \.path)
    // An operation without a head is a stash that was applied.
    theirCommit = operation.heads.first ?? "refs/stash"
    if operation.heads == ["MERGE_HEAD"] {
      sides = begun?.sides ?? GitSides(ours: "HEAD", theirs: "MERGE_HEAD", git)
      superseded = sides?.superseded ?? SupersededVersions(git, objects, theirs: "MERGE_HEAD")
      replayed = nil
    } else {
      (sides, superseded, replayed) = (nil, nil, ReplayedBranch(git, objects))
    }
    replaced = sides?.heldUnderReplacedRoot(git) ?? []
    if stages.isEmpty && replaced.isEmpty { return nil }
  }

  /// The records, in the order of their ids.
  func records() -> [UnmergedRecord] {
    let held = objects.versions(stages.filter { recordID($0) != nil }.map(\.blob))
    let staged = stages.compactMap(recordID)
    guard let sides else { return Set(staged).sorted().map { record($0, held) } }
    // If a file holds versions of two records, both records are unmerged.
    let ids = held.values.compactMap(\.envelope?.id)
    return sides.records(Set(staged + replaced + ids), held: held) { stagesByPath[$0.relativePath] != nil }
  }

  /// One record, read from git's stages alone.
  private func record(_ id: RecordID, _ held: [String: StoredVersion]) -> UnmergedRecord {
    let places = StoreLocation.places(of: id).map(\.relativePath)
    let own = places.flatMap { stagesByPath[$0] ?? [] }
    func version(_ number: Int) -> StoredVersion? { own.first { $0.number == number }.flatMap { held[$0.blob] } }
    var record = UnmergedRecord(
      id: id, files: Set(own.map(\.path)).sorted(), base: version(1), ours: version(2), theirs: version(3),
      replayed: replayed)
    // If git saw no renaming, the side that removed the record has it in the trash, without any conflict there.
    if (record.ours == nil) != (record.theirs == nil), let merged = merged(at: places) {
      record[record.ours == nil ? .ours : .theirs] = merged
    }
    if let superseded { record.note(superseded) }
    return record
  }

  /// The version that the index holds without a conflict at one of these places.
  private func merged(at paths: [String]) -> StoredVersion? {
    GitStage.all(git, of: paths).first { $0.number == 0 }.flatMap { objects.version($0.blob) }
  }

  /// The three versions of a file that is not a record; nil if git does not wait for the file, or a side is missing.
  func versions(of place: StoreLocation) -> FileMerge? {
    let own = stagesByPath[place.relativePath] ?? []
    func version(_ number: Int) -> StoredVersion? {
      let stage = own.first { $0.number == number }
      return stage.flatMap { objects.blob($0.blob, limit: place.byteLimit) }.map { StoredVersion($0) }
    }
    guard let ours = version(2), let theirs = version(3) else { return nil }
    return FileMerge(place: place, base: version(1), ours: ours, theirs: theirs)
  }

  /// Files that are not records, sorted.
  var otherFiles: [String] { Set(stages.filter { recordID($0) == nil }.map(\.path)).sorted() }

  private func recordID(_ stage: GitStage) -> RecordID? { StoreLocation(relativePath: stage.path)?.recordID }

  /// Makes git wait for records that are left to a person, if git has settled them with another record.
  func keep(_ left: [RecordID]) throws {
    guard let sides, let prefix = git.lines(["rev-parse", "--show-prefix"]).first else { return }
    var lines = ""
    for id in left {
      let places = StoreLocation.places(of: id)
      guard places.allSatisfy({ stagesByPath[$0.relativePath] == nil }) else { continue }
      let trees = [(1, sides.base), (2, sides.ours), (3, sides.theirs)]
      let blobs = trees.compactMap { number, tree in tree?.blob(id).map { (number, $0) } }
      guard let (_, some) = blobs.first else { continue }
      // Remove the settled entries.
      let none = String(repeating: "0", count: some.count)
      for place in places { lines += "0 \(none)\t\(prefix)\(place.relativePath)\0" }
      for (number, blob) in blobs { lines += "100644 \(blob) \(number)\t\(prefix)\(places[0].relativePath)\0" }
    }
    guard !lines.isEmpty, git.asPerson(["update-index", "-z", "--index-info"], lines)?.code != 0 else { return }
    throw CommandError(
      .inputOutput, "io_failed", subject: left.first?.text, "is left unmerged, but git could not be told so",
      hints: ["`git merge --abort` undoes the merge"])
  }
}

extension GitSides {
  /// The records of ``underReplacedRoot()`` whose version in git's index is still that of a side. Others are settled.
  fileprivate func heldUnderReplacedRoot(_ git: Git) -> [RecordID] {
    let ids = underReplacedRoot()
    guard !ids.isEmpty else { return [] }
    let held = Set(GitStage.all(git).map(\.blob))
    return ids.filter { id in [ours, theirs].contains { $0.blob(id).map(held.contains) == true } }
  }
}
