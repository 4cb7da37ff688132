import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultStorage

/// The files of a vault in one commit, by their place in the vault rather than by git's pairing of names.
struct VaultBlobs {
  private static let listByteLimit = 256 << 20
  /// The blobs at the places of the vault.
  let blobs: [StoreLocation: String]

  /// Nil if there is no such commit.
  init?(_ commit: String, _ git: Git) {
    let names = ["vault.json", StoreLocation.checkpoint.fileName, "records", "trash"]
    guard let answer = git.output(["ls-tree", "-r", "-z", commit, "--"] + names, limit: Self.listByteLimit) else {
      return nil
    }
    var blobs: [StoreLocation: String] = [:]
    for entry in answer.split(separator: 0) {
      // `100644 blob NAME`, a tab and the path.
      guard let text = String(validating: entry, as: UTF8.self), let tab = text.firstIndex(of: "\t") else { continue }
      let words = text[..<tab].split(separator: " ")
      guard words.count == 3, words[1] == "blob",
        let place = StoreLocation(relativePath: String(text[text.index(after: tab)...]))
      else { continue }
      blobs[place] = String(words[2])
    }
    self.blobs = blobs
  }

  func blob(_ id: RecordID) -> String? { blobs[.record(id)] ?? blobs[.trash(id)] }

  /// The blobs of a record: live, and in the trash.
  struct Files: Equatable {
    let live: String?
    let removed: String?

    var areBoth: Bool { live != nil && removed != nil }
  }

  /// The files of a record; both are nil if there is no such record.
  func files(_ id: RecordID) -> Files { Files(live: blobs[.record(id)], removed: blobs[.trash(id)]) }
}

/// The changes to a vault on two sides since they diverged.
struct GitSides {
  private let objects: GitObjects
  /// The versions that each side had since they diverged.
  let superseded: SupersededVersions
  /// Nil if the sides have nothing in common.
  let base: VaultBlobs?
  let ours: VaultBlobs
  let theirs: VaultBlobs
  /// Whether each side has commits that the other lacks.
  let haveParted: Bool

  /// Nil if one of them is not a commit, or if there are several common ancestors, which git merges itself.
  init?(ours: String, theirs: String, _ git: Git) {
    objects = GitObjects(git)
    superseded = SupersededVersions(git, objects, ours: ours, theirs: theirs)
    let bases = git.lines(["merge-base", "--all", ours, theirs]).filter { !$0.isEmpty }
    let tips = git.lines(["rev-parse", ours + "^{commit}", theirs + "^{commit}"])
    guard bases.count < 2, let one = VaultBlobs(ours, git), let other = VaultBlobs(theirs, git) else { return nil }
    (self.ours, self.theirs) = (one, other)
    haveParted = bases.first.map { !tips.contains($0) } ?? false
    base = bases.first.flatMap { VaultBlobs($0, git) }
  }

  /// The records that both sides have changed differently.
  var changedOnBoth: [RecordID] {
    Set((Array(ours.blobs.keys) + Array(theirs.blobs.keys)).compactMap(\.recordID)).filter { id in
      let (one, other) = (ours.files(id), theirs.files(id))
      let before = baseFiles(id)
      return one != other && one != before && other != before
    }.sorted()
  }

  private func baseFiles(_ id: RecordID) -> VaultBlobs.Files {
    base?.files(id) ?? VaultBlobs.Files(live: nil, removed: nil)
  }

  /// The records that this side alone has changed.
  func changed(by side: MergeSide) -> [RecordID] {
    let (own, other) = side == .ours ? (ours, theirs) : (theirs, ours)
    return Set(own.blobs.keys.compactMap(\.recordID)).filter { id in
      let before = baseFiles(id)
      return own.files(id) != before && other.files(id) == before
    }.sorted()
  }

  /// The records that are newly both live and removed on their side. git puts the second file in place without a
  /// conflict, even if the first file is merged.
  var twinsOfTheirs: [RecordID] {
    Set(theirs.blobs.keys.compactMap(\.recordID)).filter { id in
      theirs.files(id).areBoth && base?.files(id).areBoth != true
    }.sorted()
  }

  func changedOnBoth(_ place: StoreLocation) -> Bool {
    let (one, other, before) = (ours.blobs[place], theirs.blobs[place], base?.blobs[place])
    return one != other && one != before && other != before
  }
}

// The records that a merge of both sides joins.
extension GitSides {
  /// The records and other files that a merge of the two commits would leave unmerged.
  func planned() -> (records: [UnmergedRecord], others: [String]) {
    let others = [StoreLocation.header, .checkpoint].filter(changedOnBoth).map(\.relativePath)
    return (records(Set(changedOnBoth + underReplacedRoot())), others)
  }

  /// The records that one side alone has changed, under a root key that the other has replaced. git reports no conflict
  /// there.
  func underReplacedRoot() -> [RecordID] {
    guard let (side, header) = replacedSide else { return [] }
    let (ids, own) = (changed(by: side), side == .ours ? ours : theirs)
    var replaced: [RecordID] = []
    objects.forEachVersion(ids.map { own.blob($0) ?? "" }) { index, version in
      if header.hasReplacedRoot(of: version) { replaced.append(ids[index]) }
    }
    return replaced
  }

  /// The side whose root key the other has replaced, according to the headers; nil for neither.
  private var replacedSide: (side: MergeSide, header: VaultHeader)? {
    func header(_ blobs: VaultBlobs) -> VaultHeader? {
      let bytes = blobs.blobs[.header].flatMap { objects.blob($0, limit: StoreLocation.header.byteLimit) }
      return bytes.flatMap { try? VaultHeader(parsing: $0) }
    }
    guard let one = header(ours), let other = header(theirs), one.root.id != other.root.id else { return nil }
    if other.replacedRoot(hint: one.root.id.bytes) != nil { return (.ours, other) }
    return one.replacedRoot(hint: other.root.id.bytes) != nil ? (.theirs, one) : nil
  }

  /// The records with these ids, in their order.
  ///
  /// - Parameters:
  ///   - held: blobs that were read already.
  ///   - isStaged: whether git waits for a file.
  func records(
    _ ids: Set<RecordID>, held: [String: StoredVersion] = [:], isStaged: (StoreLocation) -> Bool = { _ in false }
  ) -> [UnmergedRecord] {
    let ids = ids.sorted()
    let trees = [base, ours, theirs]
    let blobs = ids.flatMap { id in trees.compactMap { $0?.blob(id) } }
    let rest = objects.versions(blobs.filter { held[$0] == nil })
    return ids.map { id in
      func version(_ tree: VaultBlobs?) -> StoredVersion? { tree?.blob(id).flatMap { held[$0] ?? rest[$0] } }
      let places = StoreLocation.places(of: id)
      var files = places.filter(isStaged)
      if files.isEmpty { files = places.filter { ours.blobs[$0] ?? theirs.blobs[$0] != nil } }
      var record = UnmergedRecord(
        id: id, files: files.map(\.relativePath).sorted(), base: version(base), ours: version(ours),
        theirs: version(theirs))
      record.note(superseded)
      return record
    }
  }
}
