import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTerminal

/// A record that git has left unmerged: its versions on both sides, wherever git has put them.
struct UnmergedRecord {
  let id: RecordID
  /// The paths below the vault's folder, sorted.
  let files: [String]
  var base: [UInt8]?
  /// Nil if that side has deleted the record for good.
  var ours: [UInt8]?
  var theirs: [UInt8]?
  /// The side whose version the other side has already replaced.
  var passed: MergeSide?
  /// The MACs of a resealed side.
  var resealedMAC: (from: [UInt8], to: [UInt8])?
  var replayed: ReplayedBranch?
  /// Whether git has merged the record, but under a replaced root key.
  var isMergedUnderOldRoot = false

  /// The possible places below the vault's folder.
  var places: [String] { [StoreLocation.record(id), .trash(id)].map(\.relativePath) }

  subscript(side: MergeSide) -> [UInt8]? {
    get { side == .ours ? ours : theirs }
    set { if side == .ours { ours = newValue } else { theirs = newValue } }
  }

  enum Outcome {
    /// Nil bytes delete the record for good.
    case merged([UInt8]?)
    case left([MergeConflict])
  }

  /// Merges by field. If that is impossible, the preference decides about the record as a whole.
  func outcome(_ vault: Vault, preferring preference: MergePreference) throws -> Outcome {
    let outcome = try merged(vault, preferring: preference)
    guard case .left(let conflicts) = outcome, conflicts.map(\.reason) == [.unverified],
      replacedSide(in: vault.header) != nil
    else { return outcome }
    return .left([MergeConflict(.oldRoot)])
  }

  /// The side under a replaced root key, or one of them; nil for none.
  func replacedSide(in header: VaultHeader) -> MergeSide? {
    [MergeSide.ours, .theirs].first { side in
      let hint = self[side].flatMap { RecordFile(parsing: $0) }?.envelope.wrappedKey.rootHint
      return hint.map { header.replacedRoot(hint: $0) != nil } ?? false
    }
  }

  private func merged(_ vault: Vault, preferring preference: MergePreference) throws -> Outcome {
    // Somebody who has put an old file back must not get its content resealed.
    if isMergedUnderOldRoot, let seen = try vault.seenVersion(of: id), let resealedMAC, seen.mac != resealedMAC.from {
      return .left([MergeConflict(.seen)])
    }
    // git may have paired the file with another record. By its id only one side has changed it.
    if theirs == base || ours == theirs { return taken(ours, vault) }
    if ours == base { return taken(theirs, vault) }
    guard let ours, let theirs else { return try oneSided(vault, preferring: preference) }
    // If the sides differ, the later or preferred side decides whether the record is live.
    let deciding: MergeSide? = passed.map { $0 == .ours ? .theirs : .ours } ?? preference.side
    let decisive = deciding.map { [$0 == .ours ? ours : theirs] } ?? [ours, theirs]
    let isRemoved = decisive.contains { RecordFile(parsing: $0)?.envelope.deletedAt != nil }
    var merge = FileMerge(place: isRemoved ? .trash(id) : .record(id), base: base ?? [], ours: ours, theirs: theirs)
    (merge.resealedMAC, merge.passed, merge.replayed) = (resealedMAC, passed, replayed)
    switch try merge.keyed(vault, preferring: preference) {
    case .merged(let bytes): return .merged(bytes)
    case .conflict(let conflicts, _):
      guard let preferred = preference.side, !conflicts.contains(where: { $0.reason == .seen }) else {
        return .left(conflicts)
      }
      let (side, other) = preferred == .ours ? (ours, theirs) : (theirs, ours)
      return Outcome(try merge.taking(side, after: other, vault))
    }
  }

  private func taken(_ side: [UInt8]?, _ vault: Vault) -> Outcome {
    side.map { vault.verifies($0, of: id) } ?? true ? .merged(side) : .left([MergeConflict(.unverified)])
  }

  /// The conflicts that are known without a key; empty if the record merges, at the latest with a key.
  func conflictsWithoutKey() -> [MergeConflict] {
    // Only one side has changed the record, so the conflict is about its root key.
    if ours == base || theirs == base { return [MergeConflict(.oldRoot)] }
    guard let ours, let theirs else { return [MergeConflict(.removed)] }
    if passed != nil { return [] }
    let isRemoved = [ours, theirs].contains { RecordFile(parsing: $0)?.envelope.deletedAt != nil }
    let merge = FileMerge(place: isRemoved ? .trash(id) : .record(id), base: base ?? [], ours: ours, theirs: theirs)
    guard case .conflict(let conflicts, _) = merge.keyless(currentRoot: nil) else { return [] }
    return conflicts.filter { $0.reason != .needsKey }
  }

  private func oneSided(_ vault: Vault, preferring preference: MergePreference) throws -> Outcome {
    guard let preferred = preference.side else { return .left([MergeConflict(.removed)]) }
    guard let side = self[preferred] else { return .merged(nil) }
    var merge = FileMerge(place: .record(id), base: [], ours: side, theirs: side)
    merge.replayed = replayed
    return Outcome(try merge.taking(side, after: nil, vault))
  }

  func name(_ vault: Vault) -> String { name(vault.kinds) }

  func name(_ kinds: KindCatalog) -> String {
    for bytes in [ours, theirs] {
      if let file = bytes.flatMap({ RecordFile(parsing: $0) }), let kind = kinds[file.envelope.kind] {
        return kind.title(of: file.fields)
      }
    }
    return id.text
  }
}

extension UnmergedRecord.Outcome {
  fileprivate init(_ outcome: MergeOutcome) {
    switch outcome {
    case .merged(let bytes): self = .merged(bytes)
    case .conflict(let conflicts, _): self = .left(conflicts)
    }
  }
}

/// The unmerged files of a vault, and how git is told about the result.
struct Unmerged {
  private static let byteLimit = 16 << 20
  private static let listByteLimit = 256 << 20
  private let git: Git
  private let objects: GitObjects
  private let stages: [GitStage]
  private let stagesByPath: [String: [GitStage]]
  /// The sides of a merge with one common ancestor. Records that git has paired by similarity are then found by id.
  private let sides: GitSides?
  /// The commit of the other side, as git names it.
  let theirCommit: String
  /// Records that only one side has changed, under a root key that the other side has replaced. git sees no conflict
  /// there.
  private var replaced: [RecordID] = []
  /// Records under a replaced root key that git has merged.
  private var settled: [RecordID: [UInt8]] = [:]
  /// Nil unless this is a merge of two commits.
  private let versions: SupersededVersions?
  /// Nil unless git replays a branch.
  private var replayed: ReplayedBranch?

  /// The command that finishes the operation.
  private(set) var ending: String?

  /// Nil if git waits for nothing.
  ///
  /// - Parameter begun: the operation that this process has begun, and its sides; nil to find the present operation.
  init?(vault folder: String, begun: (operation: GitOperation, sides: GitSides?)? = nil) {
    git = Git(at: folder)
    objects = GitObjects(git)
    guard let operation = begun?.operation ?? GitOperation(git) else { return nil }
    ending = operation.ending
    stages = operation.unmerged
    stagesByPath = Dictionary(grouping: stages, by: \.path)
    // An operation without a name is an applied stash.
    theirCommit = operation.heads.first ?? "refs/stash"
    let isMerge = operation.heads == ["MERGE_HEAD"]
    sides = isMerge ? begun?.sides ?? GitSides(ours: "HEAD", theirs: "MERGE_HEAD", git) : nil
    versions = isMerge ? SupersededVersions(git, objects, theirs: "MERGE_HEAD", of: ["records", "trash"]) : nil
    replayed = isMerge ? nil : ReplayedBranch(git, objects)
    replaced = underReplacedRoot()
    if !replaced.isEmpty {
      // A record with a changed index entry is already merged.
      let held = Set(Self.indexed(git).map(\.blob))
      replaced.removeAll { id in [sides?.ours, sides?.theirs].allSatisfy { $0?.blob(id).map(held.contains) != true } }
    }
    if stages.isEmpty && replaced.isEmpty { return nil }
  }

  /// Records under a replaced root key that git has merged without a conflict, from a branch before a rotation. Nobody
  /// can read them. Nil without such records.
  ///
  /// Only one root key is handled at a time. A commit that still had it as its own verifies them.
  init?(settledIn folder: String, _ header: VaultHeader) {
    (git, sides, versions) = (Git(at: folder), nil, nil)
    (objects, self.stages, stagesByPath) = (GitObjects(git), [], [:])
    guard header.hasReplacedRoots else { return nil }
    let stages = Self.indexed(git)
    let held = objects.blobs(stages.map(\.blob), limit: Self.byteLimit)
    var (found, root): ([RecordID: [UInt8]], [UInt8]?) = ([:], nil)
    for stage in stages {
      guard stage.number == 0, let id = StoreLocation(relativePath: stage.path)?.recordID, let bytes = held[stage.blob],
        let hint = RecordFile(parsing: bytes)?.envelope.wrappedKey.rootHint, header.replacedRoot(hint: hint) != nil,
        root ?? hint == hint,
        // A file that the user has changed since then is not replaced.
        (try? TextInput.file(System.join(folder, stage.path), limit: Self.byteLimit)) == bytes
      else { continue }
      root = hint
      found[id] = bytes
    }
    guard let root, let commit = Self.commit(under: root, git, objects) else { return nil }
    (settled, theirCommit) = (found, commit)
  }

  private static func indexed(_ git: Git) -> [GitStage] {
    git.parts(["ls-files", "--stage", "-z", "--", "records", "trash"], limit: listByteLimit).compactMap(GitStage.init)
  }

  /// The latest commit of our history whose header has a root key as its own.
  private static func commit(under hint: [UInt8], _ git: Git, _ objects: GitObjects) -> String? {
    let commits = git.lines(["log", "--format=%H", "HEAD", "--", "vault.json"], limit: listByteLimit)
    return commits.first { objects.header(in: $0)?.root.id.bytes.starts(with: hint) == true }
  }

  /// The unmerged state that merging two commits would leave.
  init(_ git: Git, _ sides: GitSides, theirs commit: String) {
    (self.git, self.sides, theirCommit) = (git, sides, commit)
    (objects, stages, stagesByPath) = (GitObjects(git), [], [:])
    versions = SupersededVersions(git, objects, theirs: commit, of: ["records", "trash"])
    replaced = underReplacedRoot()
  }

  /// The side whose root key the other side has replaced, according to the headers; nil for none.
  private var replacedSide: (side: MergeSide, header: VaultHeader)? {
    func header(_ blobs: VaultBlobs?) -> VaultHeader? {
      blobs?.blobs[.header].flatMap(blob).flatMap { try? VaultHeader(parsing: $0) }
    }
    guard let sides, let one = header(sides.ours), let other = header(sides.theirs), one.root.id != other.root.id
    else { return nil }
    if other.replacedRoot(hint: one.root.id.bytes) != nil { return (.ours, other) }
    return one.replacedRoot(hint: other.root.id.bytes) != nil ? (.theirs, one) : nil
  }

  private func underReplacedRoot() -> [RecordID] {
    guard let sides, let (side, header) = replacedSide else { return [] }
    let own = side == .ours ? sides.ours : sides.theirs
    let changed = sides.changed(by: side)
    let held = objects.blobs(changed.compactMap(own.blob), limit: Self.byteLimit)
    return changed.filter { id in
      let file = own.blob(id).flatMap { held[$0] }.flatMap { RecordFile(parsing: $0) }
      return file.map { header.replacedRoot(hint: $0.envelope.wrappedKey.rootHint) != nil } ?? false
    }
  }

  /// The records, in the order of their ids.
  func records() -> [UnmergedRecord] {
    guard settled.isEmpty else {
      return sorted(Set(settled.keys)).map { id in
        let place: StoreLocation =
          settled[id].flatMap { RecordFile(parsing: $0) }?.envelope.deletedAt == nil
          ? .record(id) : .trash(id)
        return UnmergedRecord(id: id, files: [place.relativePath], theirs: settled[id], isMergedUnderOldRoot: true)
      }
    }
    let staged = stages.filter { recordID($0) != nil }
    let held = objects.blobs(staged.map(\.blob), limit: Self.byteLimit)
    guard let sides else {
      return sorted(Set(staged.compactMap(recordID))).map { marked(record($0, held)) }
    }
    // A file may hold versions of two records. Then both are unmerged.
    let ids = staged.compactMap { held[$0.blob] }.compactMap { RecordFile(parsing: $0)?.envelope.id }
    return records(Set(staged.compactMap(recordID) + replaced + ids), sides: sides, held: held)
  }

  /// The records that both commits have changed, and other files.
  func planned() -> (records: [UnmergedRecord], others: [String]) {
    guard let sides else { return ([], []) }
    let others = [StoreLocation.header, .checkpoint].filter(sides.changedOnBoth).map(\.relativePath)
    return (records(Set(sides.changedOnBoth + replaced), sides: sides, held: [:]), others)
  }

  private func sorted(_ ids: Set<RecordID>) -> [RecordID] { ids.sorted { $0.text < $1.text } }

  /// - Parameter held: blobs that were already read.
  private func records(_ ids: Set<RecordID>, sides: GitSides, held: [String: [UInt8]]) -> [UnmergedRecord] {
    let ids = sorted(ids)
    let blobs = ids.flatMap { id in [sides.base, sides.ours, sides.theirs].compactMap { $0?.blob(id) } }
    let rest = objects.blobs(blobs.filter { held[$0] == nil }, limit: Self.byteLimit)
    return ids.map { id in
      func bytes(_ tree: VaultBlobs?) -> [UInt8]? { tree?.blob(id).flatMap { held[$0] ?? rest[$0] } }
      let places = [StoreLocation.record(id), .trash(id)]
      var files = places.map(\.relativePath).filter { stagesByPath[$0] != nil }
      if files.isEmpty {
        files = places.filter { sides.ours.blobs[$0] ?? sides.theirs.blobs[$0] != nil }.map(\.relativePath)
      }
      return marked(
        UnmergedRecord(
          id: id, files: files.sorted(), base: bytes(sides.base), ours: bytes(sides.ours),
          theirs: bytes(sides.theirs)))
    }
  }

  private func marked(_ record: UnmergedRecord) -> UnmergedRecord {
    var record = record
    record.replayed = replayed
    guard let versions, let ours = record.ours, let theirs = record.theirs else { return record }
    record.passed = versions.passed(ours, theirs, at: record.places)
    return record
  }

  /// The three versions of a file other than a record; nil if git does not wait for it, or if a version is missing.
  func versions(of place: StoreLocation) -> FileMerge? {
    let own = stagesByPath[place.relativePath] ?? []
    func bytes(_ number: Int) -> [UInt8]? {
      own.first { $0.number == number }.flatMap { git.output(["cat-file", "blob", $0.blob], limit: place.byteLimit) }
    }
    guard let ours = bytes(2), let theirs = bytes(3) else { return nil }
    return FileMerge(place: place, base: bytes(1) ?? [], ours: ours, theirs: theirs)
  }

  /// The unmerged files other than records, sorted.
  var otherFiles: [String] { Set(stages.filter { recordID($0) == nil }.map(\.path)).sorted() }

  private func recordID(_ stage: GitStage) -> RecordID? { StoreLocation(relativePath: stage.path)?.recordID }

  private func record(_ id: RecordID, _ held: [String: [UInt8]]) -> UnmergedRecord {
    let places = [StoreLocation.record(id), .trash(id)].map(\.relativePath)
    let own = places.flatMap { stagesByPath[$0] ?? [] }
    func bytes(_ number: Int) -> [UInt8]? { own.first { $0.number == number }.flatMap { held[$0.blob] } }
    var (ours, theirs) = (bytes(2), bytes(3))
    // If git saw no renaming, the side that removed the record has it in the trash without a conflict.
    if (ours == nil) != (theirs == nil), let merged = merged(at: places) {
      if ours == nil { ours = merged } else { theirs = merged }
    }
    return UnmergedRecord(id: id, files: Set(own.map(\.path)).sorted(), base: bytes(1), ours: ours, theirs: theirs)
  }

  /// The content of the index without a conflict at one of these places.
  private func merged(at paths: [String]) -> [UInt8]? {
    let entries = git.parts(["ls-files", "--stage", "-z", "--"] + paths).compactMap(GitStage.init)
    return entries.first { $0.number == 0 }.flatMap { blob($0.blob) }
  }

  private func blob(_ name: String) -> [UInt8]? { objects.blob(name, limit: Self.byteLimit) }

  /// Marks records as unmerged in git that the user must decide, because git may have paired and merged them wrongly.
  func keep(_ left: [RecordID]) throws {
    guard let sides, let prefix = git.lines(["rev-parse", "--show-prefix"]).first else { return }
    var lines = ""
    for id in left {
      let places = [StoreLocation.record(id), .trash(id)]
      guard places.allSatisfy({ stagesByPath[$0.relativePath] == nil }) else { continue }
      let trees = [(1, sides.base), (2, sides.ours), (3, sides.theirs)]
      let blobs = trees.compactMap { number, tree in tree?.blob(id).map { (number, $0) } }
      guard let (_, some) = blobs.first else { continue }
      // Any merged entry there is replaced.
      let none = String(repeating: "0", count: some.count)
      for place in places { lines += "0 \(none)\t\(prefix)\(place.relativePath)\0" }
      for (number, blob) in blobs { lines += "100644 \(blob) \(number)\t\(prefix)\(places[0].relativePath)\0" }
    }
    guard !lines.isEmpty, git.asPerson(["update-index", "-z", "--index-info"], lines)?.code != 0 else { return }
    throw CommandError(
      .inputOutput, "io_failed", subject: left.first?.text, "is left, and git could not be told so",
      hints: ["`git merge --abort` takes you back"])
  }

  /// Tells git about merged records, as `git add` does.
  func add(_ filled: [StoreLocation], removing emptied: [StoreLocation]) throws {
    for (words, places) in [(["--force-remove"], emptied), (["--add"], filled)] {
      var paths = places.map(\.relativePath)[...]
      while !paths.isEmpty {
        // The length of a command line is limited.
        let some = paths.prefix(500)
        paths = paths.dropFirst(500)
        guard git.output(["update-index"] + words + ["--"] + some) == nil else { continue }
        throw CommandError(
          .inputOutput, "io_failed", subject: some.first, "is merged, and git could not be told so",
          hints: ["`git add -A -- records trash` in the vault's folder tells it"])
      }
    }
  }
}
