import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultStorage
import VaultTerminal

/// What git waits for in a vault, after a merge or something like it has stopped.
struct StoppedMerge {
  private let git: Git
  private let objects: GitObjects
  private let stages: [GitStage]
  private let stagesByPath: [String: [GitStage]]
  /// Of a merge of two commits that parted once; nil for anything else.
  private let sides: GitSides?
  /// Nil for what is no merge of two commits.
  private let superseded: SupersededVersions?
  /// Nil where git makes no branch again.
  private let replayed: ReplayedBranch?
  /// Records that one side alone has changed, under a root key that the other has replaced.
  private let replaced: [RecordID]
  /// What the other side brings in, as git calls it.
  let theirCommit: String
  /// What finishes what git waits for.
  let ending: String

  /// Nil where git waits for nothing.
  ///
  /// - Parameter begun: what this process has just had git begin, and its sides; nil looks for what is under way.
  init?(vault folder: String, begun: (operation: GitOperation, sides: GitSides?)? = nil) {
    let git = Git(at: folder)
    let objects = GitObjects(git)
    guard let operation = begun?.operation ?? GitOperation(git) else { return nil }
    (self.git, self.objects, stages, ending) = (git, objects, operation.unmerged, operation.ending)
    stagesByPath = Dictionary(grouping: stages, by: \.path)
    // What is under way without a name is a stash that came back.
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
    // A file may hold versions of two records; each of them is unmerged then.
    let ids = held.values.compactMap(\.envelope?.id)
    return sides.records(Set(staged + replaced + ids), held: held) { stagesByPath[$0.relativePath] != nil }
  }

  /// One record, where git's stages are all that is known of the sides.
  private func record(_ id: RecordID, _ held: [String: StoredVersion]) -> UnmergedRecord {
    let places = [StoreLocation.record(id), .trash(id)].map(\.relativePath)
    let own = places.flatMap { stagesByPath[$0] ?? [] }
    func version(_ number: Int) -> StoredVersion? { own.first { $0.number == number }.flatMap { held[$0.blob] } }
    var record = UnmergedRecord(
      id: id, files: Set(own.map(\.path)).sorted(), base: version(1), ours: version(2), theirs: version(3),
      replayed: replayed)
    // Where git saw no renaming, the side that removed the record has it in the trash, without any conflict there.
    if (record.ours == nil) != (record.theirs == nil), let merged = merged(at: places) {
      record[record.ours == nil ? .ours : .theirs] = merged
    }
    if let superseded { record.note(superseded) }
    return record
  }

  /// What the index holds without a conflict at one of these places.
  private func merged(at paths: [String]) -> StoredVersion? {
    GitStage.all(git, of: paths).first { $0.number == 0 }.flatMap { objects.version($0.blob) }
  }

  /// The three versions of a file that is no record; nil where git does not wait for it, or one is missing.
  func versions(of place: StoreLocation) -> FileMerge? {
    let own = stagesByPath[place.relativePath] ?? []
    func version(_ number: Int) -> StoredVersion? {
      let stage = own.first { $0.number == number }
      return stage.flatMap { git.output(["cat-file", "blob", $0.blob], limit: place.byteLimit) }.map { .init($0) }
    }
    guard let ours = version(2), let theirs = version(3) else { return nil }
    return FileMerge(place: place, base: version(1), ours: ours, theirs: theirs)
  }

  /// Files that are no records, sorted.
  var otherFiles: [String] { Set(stages.filter { recordID($0) == nil }.map(\.path)).sorted() }

  private func recordID(_ stage: GitStage) -> RecordID? { StoreLocation(relativePath: stage.path)?.recordID }

  /// Has git wait for records that are left to a person, where it takes them for another one that is settled.
  func keep(_ left: [RecordID]) throws {
    guard let sides, let prefix = git.lines(["rev-parse", "--show-prefix"]).first else { return }
    var lines = ""
    for id in left {
      let places = [StoreLocation.record(id), .trash(id)]
      guard places.allSatisfy({ stagesByPath[$0.relativePath] == nil }) else { continue }
      let trees = [(1, sides.base), (2, sides.ours), (3, sides.theirs)]
      let blobs = trees.compactMap { number, tree in tree?.blob(id).map { (number, $0) } }
      guard let (_, some) = blobs.first else { continue }
      // What stands there as settled gives way.
      let none = String(repeating: "0", count: some.count)
      for place in places { lines += "0 \(none)\t\(prefix)\(place.relativePath)\0" }
      for (number, blob) in blobs { lines += "100644 \(blob) \(number)\t\(prefix)\(places[0].relativePath)\0" }
    }
    guard !lines.isEmpty, git.asPerson(["update-index", "-z", "--index-info"], lines)?.code != 0 else { return }
    throw CommandError(
      .inputOutput, "io_failed", subject: left.first?.text, "is left, and git could not be told so",
      hints: ["`git merge --abort` takes you back"])
  }
}

extension GitSides {
  /// Those of ``underReplacedRoot()`` that git's index still holds as one of the sides has them: others are settled.
  fileprivate func heldUnderReplacedRoot(_ git: Git) -> [RecordID] {
    let ids = underReplacedRoot()
    guard !ids.isEmpty else { return [] }
    let held = Set(GitStage.all(git).map(\.blob))
    return ids.filter { id in [ours, theirs].contains { $0.blob(id).map(held.contains) == true } }
  }
}
