import VaultCLI
import VaultDocument
import VaultKit
import VaultMerge
import VaultRecords
import VaultStorage
import VaultTerminal

struct LoggedCommit: DocumentValue {
  let commit: GitCommit
  let comparison: VaultComparison
  let hasNewCheckpoint: Bool

  /// How many records are named for each kind of change.
  private static let namedCount = 20

  init(_ change: GitChanges, commit: GitCommit, objects: GitObjects, kinds: KindCatalog) {
    self.commit = commit
    var places: [(place: StoreLocation, isNew: Bool)] = []
    var names: [String] = []
    for file in change.files {
      guard let place = StoreLocation(relativePath: file.path), place.recordID != nil || place == .header else {
        continue
      }
      for (blob, isNew) in [(file.old, false), (file.new, true)] {
        guard let blob else { continue }
        places.append((place, isNew))
        names.append(blob)
      }
    }
    var (states, headers) = ([RecordID: States](), [Bool: VaultHeader]())
    objects.read(names, limit: GitObjects.fileByteLimit) { index, answer in
      let (place, isNew) = places[index]
      let bytes: [UInt8]? = if case .object(let object) = answer { object.bytes } else { nil }
      if let id = place.recordID {
        states[id, default: States()].take(bytes, at: place, isNew: isNew)
      } else {
        headers[isNew] = bytes.flatMap { try? VaultHeader(parsing: $0) }
      }
      return true
    }
    var comparison = VaultComparison()
    comparison.records = states.sorted { $0.key < $1.key }.compactMap { id, states in
      RecordDelta(id, from: states.old, to: states.new, kinds)
    }
    if let old = headers[false], let new = headers[true] { comparison.header = HeaderComparison(from: old, to: new) }
    self.comparison = comparison
    hasNewCheckpoint = change.files.contains { StoreLocation(relativePath: $0.path) == .checkpoint }
  }

  private init(_ commit: GitCommit, _ comparison: VaultComparison) {
    (self.commit, self.comparison, hasNewCheckpoint) = (commit, comparison, false)
  }

  /// The commit with only the records that changed one of some fields; nil for no records.
  func touching(_ fields: [MemberPath]) -> LoggedCommit? {
    let touching = comparison.touching(fields)
    return touching.isEmpty ? nil : LoggedCommit(commit, touching)
  }

  /// The old and the new state of a record. A live file precedes one in the trash.
  private struct States {
    var old: StoredVersion?
    var new: StoredVersion?

    mutating func take(_ bytes: [UInt8]?, at place: StoreLocation, isNew: Bool) {
      let state = bytes.map { StoredVersion($0) } ?? .unreadable
      let isDecisive = if case .record = place { true } else { false }
      if isNew {
        if isDecisive || new == nil { new = state }
      } else if isDecisive || old == nil {
        old = state
      }
    }
  }

  func lines(_ style: Style) -> [String] {
    let head = [commit.line, commit.time?.text].compactMap { $0 }.joined(separator: "  ")
    let records = Dictionary(grouping: comparison.records, by: \.event).sorted { $0.key < $1.key }
    let lines = records.flatMap { event, records -> [String] in
      // A rotation rewraps all records.
      let named = event == RecordComparison.Event.rewrapped.rawValue && records.count > 1 ? 0 : Self.namedCount
      let rest = records.count - min(named, records.count)
      return records.prefix(named).map(\.line)
        + (rest == 0 ? [] : ["\(event) \(rest)\(named == 0 ? "" : " more") record\(rest == 1 ? "" : "s")"])
    }
    let others = comparison.headerLines + (hasNewCheckpoint ? ["checkpoint"] : [])
    return [style.bold(Printable.text(head))] + (lines + others).map { Printable.text("  " + $0) }
  }

  var document: JSONValue {
    .members([
      "agent": commit.agent, "author": commit.author, "commit": commit.id, "committed_at": commit.time,
      "new_root": comparison.hasNewRoot,
      "records": comparison.records.map { record in
        JSONValue.members(["event": record.event, "id": record.id, "kind": record.kind, "name": record.name])
      },
      "slots": comparison.slots,
    ])
  }
}
