import VaultCrypto
import VaultDocument
import VaultExchange
import VaultKit
import VaultRecords

/// An entry that differs from its record.
struct PendingUpdate {
  let record: ImportedRecord
  let members: JSONObject
  let id: RecordID
  let name: EntryName
  let files: [FileToAttach]
}

extension ForeignImport {
  /// How often a record is read again after concurrent changes.
  private static let maximumAttemptCount = 10
  private static let unsure =
    "no value identifies the record of this entry, so no record is changed: --name NAME imports the entry as a new record"

  /// Compares an entry with its record, and plans an update if they differ.
  mutating func compare(
    _ record: ImportedRecord, members: JSONObject, with id: RecordID, name: EntryName, files: [FileToAttach]
  ) async throws {
    let old = try await vault.record(id)
    guard let kind = old.kind, kind.name.utf8.elementsEqual(record.kind.utf8) else {
      return try report.refuse(record, "the record in the vault has another kind")
    }
    var edits = try Self.edits(from: .object(old.revealed()), to: .object(members), at: .root, kind)
    if !mode.isUpdating { edits.removeAll { Self.addsFolder($0, of: members, to: old) } }
    let missing = try await missing(files, in: old)
    var isThere = edits.isEmpty && missing.isEmpty
    if missing.isEmpty, !isThere, !known.isUnique(name) {
      isThere = try await known.match(record.members, kind, in: vault)
    }
    if isThere {
      report.keep()
      return try report.add(record.lines)
    }
    guard mode.isUpdating else {
      report.differ()
      let reason = known.isUnique(name) ? "the vault has another value: --update stores this one" : Self.unsure
      let paths = edits.map(\.path.description) + (missing.isEmpty ? [] : [Self.filesMember])
      // The report already has the lines of an entry that was found under the lock.
      if record.lines.isEmpty { for path in paths { try report.refuse(record.place, field: path, reason) } }
      return try report.add(try lines(of: record, refusing: paths, reason))
    }
    pending.append(PendingUpdate(record: record, members: members, id: id, name: name, files: files))
  }

  /// Updates the records that differ. An entry with an ambiguous name changes no record.
  mutating func update() async throws {
    for entry in pending {
      guard known.isUnique(entry.name) else {
        try report.refuse(entry.record, Self.unsure)
        continue
      }
      // Another import of the same file may do the same now.
      for attempt in 1... {
        do {
          try await update(entry)
          break
        } catch let error as VaultError where error.code == .changedUnderneath && attempt < Self.maximumAttemptCount {
          continue
        }
      }
    }
    pending = []
  }

  private mutating func update(_ entry: PendingUpdate) async throws {
    let old = try await vault.record(entry.id)
    guard let kind = old.kind else { return }
    let edits = try Self.edits(from: .object(old.revealed()), to: .object(entry.members), at: .root, kind)
    let missing = try await missing(entry.files, in: old)
    let new = missing.filter { !$0.isTaken(in: old) }
    if !mode.isDryRun {
      try await Self.tellingDoubt(1, of: (entry.id, old.name), in: report) {
        if !edits.isEmpty {
          let former = kept(of: entry.record).filter { value in edits.contains { $0.path == value.path } }
          _ = try await vault.editing(entry.id, edits, expecting: old, knowing: former)
        }
        if !edits.isEmpty || !new.isEmpty { receipt.change(old) }
        if !new.isEmpty { try await attach(new, to: entry.id) }
      }
    }
    if edits.isEmpty, new.isEmpty {
      report.keep()
    } else {
      report.update(entry.id, old.name, replacing: Self.replaced(edits, old: old, kind: kind))
    }
    let refused = new.count < missing.count ? [Self.filesMember] : []
    try report.add(try lines(of: entry.record, refusing: refused, FileToAttach.otherIsThere))
  }

  /// Whether an edit only puts the folder before the title, which version 1.0 left out.
  private static func addsFolder(_ edit: FieldEdit, of members: JSONObject, to old: OpenRecord) -> Bool {
    guard edit.path == MemberPath.root.appending("title"), let title = members["title"]?.string else { return false }
    return !old.name.isEmpty && title.hasSuffix("/\(old.name)")
  }

  /// The sealed values of the vault that are lost by the edits. One of them may have been the newer value.
  private static func replaced(_ edits: [FieldEdit], old: OpenRecord, kind: RecordKind) -> [String] {
    edits.compactMap { edit in
      guard kind.value(at: edit.path)?.isSealed == true, (try? old.value(at: edit.path)) != nil else { return nil }
      return edit.path.description
    }
  }

  /// The edits that add everything from the entry. Values that only the vault has are kept.
  private static func edits(
    from old: JSONValue?, to new: JSONValue, at path: MemberPath, _ kind: RecordKind
  ) throws -> [FieldEdit] {
    if case .object(let members) = new {
      return try members.flatMap { try edits(from: old?[$0.name], to: $0.value, at: path.appending($0.name), kind) }
    }
    // Tags belong to the user as much as to the tool.
    let new = path == MemberPath.root.appending("tags") ? new.joining(old) : new
    guard old != new, let schema = kind.value(at: path) else { return [] }
    guard schema.isSealed else { return [.set(path, to: new)] }
    let text = schema.isText ? new.string ?? "" : String(decoding: try new.compactBytes(), as: UTF8.self)
    return [.seal(path, try SecretBytes(copying: RawSpan(_elements: Array(text.utf8).span)))]
  }
}

extension ImportedFormerValue {
  var input: FormerInput { FormerInput(path, value, sealedAt: setAt) }
}

extension JSONValue {
  var textByteCount: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .object(let members): members.reduce(0) { $0 + $1.name.utf8.count + $1.value.textByteCount }
    case .array(let items): items.reduce(0) { $0 + $1.textByteCount }
    default: 0
    }
  }

  /// The list of `old`, followed by the items that only this list has.
  fileprivate func joining(_ old: JSONValue?) -> JSONValue {
    guard let items = array, let before = old?.array else { return self }
    return .array(before + items.filter { item in !before.contains { $0 == item } })
  }
}

extension LedgerLine {
  /// The line of a value that is not taken because the vault's value differs.
  func kept(_ differing: [String], _ reason: String) -> LedgerLine {
    let target: String? =
      switch outcome {
      case .stored(let path), .mapped(let path), .custom(let path): path
      case .tagged: "tags"
      case .empty, .leftOut, .refused: nil
      }
    guard let target, differing.contains(where: { $0 == target || $0.isBelow(target) || target.isBelow($0) }) else {
      return self
    }
    return LedgerLine(place, .refused(reason))
  }
}

extension String {
  fileprivate func isBelow(_ path: String) -> Bool {
    hasPrefix(path) && [".", "["].contains { dropFirst(path.count).hasPrefix($0) }
  }
}
