import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultPackSupport
import VaultRecords
import VaultStorage

/// Checks committed changes without a key: each file by itself, and against its predecessor.
struct GitCheck {
  struct Finding: Hashable {
    /// The path below the vault's folder.
    let file: String
    let reason: String
    /// Nil for the index.
    let commit: String?
    /// Whether this is only a question for a reviewer, and not a fault.
    var isNote = false
  }

  private let git: Git
  private let objects: GitObjects
  private(set) var findings: [Finding] = []
  private var known: Set<Finding> = []

  init(_ git: Git) { (self.git, objects) = (git, GitObjects(git)) }

  private struct Versions {
    var old: [RecordFile] = []
    var new: [(file: String, record: RecordFile)] = []
  }

  /// Checks the changes of one commit against one parent.
  mutating func check(_ changes: GitChanges) throws {
    let header = blob(changes.name(StoreLocation.header.relativePath)).flatMap { try? VaultHeader(parsing: $0) }
    let kinds = KindCatalog.builtIn.declaring(header?.declaredKinds ?? JSONObject())
    var versions: [RecordID: Versions] = [:]
    for file in changes.files {
      let (old, new) = (file.old.flatMap(blob), file.new.flatMap(blob))
      let place = StoreLocation(relativePath: file.path)
      var reasons = try Self.reasons(new, at: place, file: file, kinds: kinds)
      if file.old == nil, file.new != nil, has(Self.twin(place), changes) {
        reasons.append("is among the records and in the trash")
      }
      for reason in reasons { add(Finding(file: file.path, reason: reason, commit: changes.commit)) }
      if place == .header {
        for (reason, isNote) in Self.header(old, new) {
          add(Finding(file: file.path, reason: reason, commit: changes.commit, isNote: isNote))
        }
      }
      guard let id = place?.recordID else { continue }
      if let old = old.flatMap({ StoredVersion($0).record }) { versions[id, default: Versions()].old.append(old) }
      if let new = new.flatMap({ StoredVersion($0).record }) {
        versions[id, default: Versions()].new.append((file.path, new))
      }
    }
    for place in missing(changes, header: header, versions: versions) {
      add(Finding(file: place.relativePath, reason: "is missing", commit: changes.commit))
    }
    for (file, new, old) in versions.values.flatMap({ pair in pair.new.map { ($0.file, $0.record, pair.old) } }) {
      for fault in old.compactMap(new.fault) {
        add(Finding(file: file, reason: fault.sentence, commit: changes.commit))
      }
      for change in old.flatMap(new.attachmentChanges) {
        let line = String(change.line.drop { $0 == " " })
        add(Finding(file: file, reason: line, commit: changes.commit, isNote: true))
      }
    }
  }

  /// Checks for files that the next commit lacks: files of the work tree, and files that its own files name. `git
  /// commit -a` leaves new files out.
  mutating func check(_ index: GitComparison) {
    for path in index.missingSlots + missingAttachments(of: index) {
      add(Finding(file: path, reason: "is missing", commit: nil))
    }
    let named = Set(findings.map(\.file))
    for path in index.absent where !named.contains(path) {
      add(Finding(file: path, reason: "is not in git, so no clone gets it", commit: nil))
    }
    for path in index.ignored where !named.contains(path) {
      add(Finding(file: path, reason: "is ignored by git, so no clone gets it", commit: nil))
    }
    for path in index.removed {
      add(Finding(file: path, reason: "was removed here, and is still in git", commit: nil))
    }
    if index.hasOtherHeader {
      add(Finding(file: StoreLocation.header.relativePath, reason: "differs from the file that git has", commit: nil))
    }
  }

  /// Attachments that records of the next commit name but that the commit lacks.
  private func missingAttachments(of index: GitComparison) -> [String] {
    var missing: Set<AttachmentID> = []
    let member = Array("\"attachments\"".utf8)
    objects.read(index.records.map(index.name), limit: GitObjects.fileByteLimit) { _, answer in
      guard case .object(let object) = answer, object.bytes.contains(member) else { return true }
      let named = StoredVersion(object.bytes).record?.attachmentIDs ?? []
      missing.formUnion(named.filter { !index.has(.attachment($0)) })
      return true
    }
    return missing.map { StoreLocation.attachment($0).relativePath }.sorted()
  }

  /// Files that the new state names but lacks: slots if the header or a slot has changed, and new attachments. git does
  /// not add new files by itself.
  private func missing(
    _ changes: GitChanges, header: VaultHeader?, versions: [RecordID: Versions]
  ) -> [StoreLocation] {
    let concernsSlots = changes.files.contains { file in
      file.path == StoreLocation.header.relativePath || file.path.hasPrefix("slots/")
    }
    let slots = concernsSlots ? header?.slots.map { StoreLocation.slot($0.id) } ?? [] : []
    let attachments = versions.values.flatMap { pair in
      let known = Set(pair.old.flatMap(\.attachmentIDs))
      let named = pair.new.flatMap(\.record.attachmentIDs)
      return named.filter { !known.contains($0) }.map { StoreLocation.attachment($0) }
    }
    return (slots + attachments).filter { !has($0, changes) }
  }

  private static func reasons(
    _ new: [UInt8]?, at place: StoreLocation?, file: GitChanges.File, kinds: KindCatalog
  ) throws -> [String] {
    if file.isUnmerged { return ["is left unmerged"] }
    guard file.new != nil else { return [] }
    guard let new else {
      // Only a checkpoint of many records or an attachment can be larger than the limit here.
      return place?.isLarge ?? true ? [] : ["is larger than any such file of a vault, or cannot be read"]
    }
    var reasons = Surroundings.holdsKey(new) ? [Surroundings.keyReason] : []
    guard let place else { return reasons + (stray(file.path).map { [$0] } ?? []) }
    for fault in try FileCheck.faults(in: new, at: place, kinds: kinds) {
      reasons.append(Sentence.about(fault.field, fault.reason))
    }
    return reasons
  }

  /// A merge shows most of its files once for each parent.
  private mutating func add(_ finding: Finding) {
    if known.insert(finding).inserted { findings.append(finding) }
  }

  private func blob(_ name: String) -> [UInt8]? { objects.blob(name, limit: GitObjects.fileByteLimit) }

  private func has(_ place: StoreLocation?, _ changes: GitChanges) -> Bool {
    place.map { git.output(["cat-file", "-e", changes.name($0.relativePath)]) != nil } ?? false
  }

  private static func twin(_ place: StoreLocation?) -> StoreLocation? {
    switch place {
    case .record(let id): .trash(id)
    case .trash(let id): .record(id)
    default: nil
    }
  }

  /// The description of a file outside the places of a vault; nil for a file that may be beside a vault.
  private static func stray(_ path: String) -> String? {
    if path == ".lock" || path == ".journal.json" || path.hasPrefix(".staging/") {
      return "is part of an unfinished write, and must not be committed"
    }
    let isInside = ["records/", "trash/", "slots/", "attachments/", "inbox/"].contains { path.hasPrefix($0) }
    return isInside ? "does not belong in the vault" : nil
  }

  private static func header(_ old: [UInt8]?, _ new: [UInt8]?) -> [(String, isNote: Bool)] {
    guard let old = old.flatMap({ try? VaultHeader(parsing: $0) }) else { return [] }
    guard let bytes = new else { return [("was removed", false)] }
    guard let new = try? VaultHeader(parsing: bytes) else { return [] }
    let comparison = HeaderComparison(from: old, to: new)
    var said: [(String, isNote: Bool)] = []
    if comparison.isOtherVault { said.append(("is from another vault", false)) }
    if let fault = comparison.fault { said.append((fault.sentence, false)) }
    return said + comparison.notes.map { ($0, true) }
  }
}

extension VersionFault {
  var name: String {
    switch self {
    case .unauthenticated: "unauthenticated"
    case .notLater: "not_later"
    case .otherRecord: "other_record"
    }
  }

  var sentence: String {
    switch self {
    case .unauthenticated: "was changed without a key: `vault accept` authenticates it"
    case .notLater(let revision, let other):
      "has revision \(revision), not above the \(other) before it: the file went back, or a merge lost a version"
    case .otherRecord: "has another id, kind or creation time than before, but these never change"
    }
  }
}
