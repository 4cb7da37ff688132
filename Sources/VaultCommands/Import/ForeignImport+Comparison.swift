import VaultCrypto
import VaultDocument
import VaultExchange
import VaultKit
import VaultRecords

extension ForeignImport {
  /// An entry that the vault has: nothing, or an update of what is different.
  mutating func compare(_ record: ImportedRecord, _ members: JSONObject, with id: RecordID) async throws {
    let old = try await vault.record(id)
    guard let kind = old.kind, kind.name.utf8.elementsEqual(record.kind.utf8) else {
      return try report.refuse(record, VaultError(.inputRefused, "is of another kind in the vault", record: id))
    }
    let edits = try Self.edits(from: .object(old.revealed()), to: .object(members), at: .root, kind)
    guard !edits.isEmpty else {
      report.keep()
      return try report.add(record.lines)
    }
    guard mode.isUpdating else {
      report.differ()
      return try report.add(record.lines.map { $0.kept(edits.map(\.path.description)) })
    }
    if !mode.isDryRun { try await vault.edit(id, edits, expecting: old) }
    report.update()
    try report.add(record.lines)
  }

  /// What has to be set so that all that the entry has is there; what only the vault has stays.
  private static func edits(
    from old: JSONValue?, to new: JSONValue, at path: MemberPath, _ kind: RecordKind
  ) throws -> [FieldEdit] {
    if case .object(let members) = new {
      return try members.flatMap { try edits(from: old?[$0.name], to: $0.value, at: path.appending($0.name), kind) }
    }
    // Tags are the person's as much as the tool's.
    let new = path == MemberPath.root.appending("tags") ? new.joining(old) : new
    guard old != new, let schema = kind.value(at: path) else { return [] }
    guard schema.isSealed else { return [.set(path, to: new)] }
    let text = schema.isText ? new.string ?? "" : String(decoding: try new.compactBytes(), as: UTF8.self)
    return [.seal(path, try SecretBytes(copying: RawSpan(_elements: Array(text.utf8).span)))]
  }
}

extension JSONValue {
  /// The bytes of all texts in it.
  var textByteCount: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .object(let members): members.reduce(0) { $0 + $1.value.textByteCount }
    case .array(let items): items.reduce(0) { $0 + $1.textByteCount }
    default: 0
    }
  }

  /// A list of what `old` has, and behind it what only this one has.
  fileprivate func joining(_ old: JSONValue?) -> JSONValue {
    guard let items = array, let before = old?.array else { return self }
    return .array(before + items.filter { item in !before.contains { $0 == item } })
  }
}

extension LedgerLine {
  /// The line of a value that is not taken, where it is one of those that the vault has otherwise.
  fileprivate func kept(_ differing: [String]) -> LedgerLine {
    let target: String? =
      switch outcome {
      case .stored(let path), .mapped(let path), .custom(let path): path
      case .tagged: "tags"
      case .empty, .refused: nil
      }
    guard let target, differing.contains(where: { $0 == target || $0.isBelow(target) || target.isBelow($0) }) else {
      return self
    }
    return LedgerLine(place, .refused("the vault has another value: --update takes this one"))
  }
}

extension String {
  /// Whether this member path leads to something within another.
  fileprivate func isBelow(_ path: String) -> Bool {
    hasPrefix(path) && [".", "["].contains { dropFirst(path.count).hasPrefix($0) }
  }
}
