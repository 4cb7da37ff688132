import VaultCrypto
import VaultDocument
import VaultExchange
import VaultKit
import VaultRecords

/// An import from another tool: piece by piece, new entries stored, known ones compared.
struct ForeignImport {
  struct Mode {
    var isDryRun = false
    var isStrict = false
    var isUpdating = false
  }

  /// So many entries are sealed and stored at a time.
  private static let pieceSize = 256

  private let vault: Vault
  private let mode: Mode
  private let progress: Progress
  private var known: KnownRecords
  private var piece: [(record: ImportedRecord, input: RecordInput)] = []
  /// What waits for the end, since nothing is to be stored when anything is refused.
  private var held: [RecordInput] = []
  private(set) var report: ForeignReport

  init(into vault: Vault, _ mode: Mode, _ report: ForeignReport, _ progress: Progress) throws {
    self.vault = vault
    self.mode = mode
    self.report = report
    self.progress = progress
    known = try KnownRecords(of: vault)
  }

  /// Takes all items; a source that cannot be read to its end is reported, and what came before it is good.
  mutating func run(_ items: ImportedItems) async throws {
    do {
      while let item = try items.next() { try await take(item) }
    } catch let error as ExchangeError {
      try report.end(error)
    }
    try await store()
    if mode.isStrict, report.hasRefusals || !mode.isDryRun { try await storeHeld() }
    progress.end()
  }

  /// All that was only checked until now, or nothing.
  private mutating func storeHeld() async throws {
    report.forgetStored()
    guard !report.hasRefusals else { return }
    for id in try await vault.add(held, refusals: .throwFirst, record: { $0 }).ids { report.store(id) }
  }

  private mutating func take(_ item: ImportedItem) async throws {
    switch item {
    case .leaves(let lines): try report.add(lines)
    case .refused(let place, let reason, let lines):
      try report.refuse(place, field: nil, reason)
      try report.add(lines)
    case .record(let record): try await take(record)
    }
    progress.advance()
  }

  private mutating func take(_ record: ImportedRecord) async throws {
    let kind = try vault.kinds.argument(record.kind)
    var members = record.members
    if let id = record.externalID {
      let id = try known.distinct(id)
      members = ExternalID.adding(id, to: members, of: kind)
      if let old = known[id] { return try await compare(record, members, with: old) }
    }
    piece.append((record, RecordInput(kind, members)))
    if piece.count == Self.pieceSize { try await store() }
  }

  /// Seals and stores what has come together.
  private mutating func store() async throws {
    let taken = piece
    piece = []
    let result = try await vault.add(
      taken.map(\.input), refusals: .leaveOut, isDryRun: mode.isDryRun || mode.isStrict, record: { $0 })
    for id in result.ids { report.store(id) }
    var refusals = result.refusals[...]
    for (index, entry) in taken.enumerated() {
      if let refusal = refusals.first, refusal.index == index {
        refusals.removeFirst()
        try report.refuse(entry.record, refusal.error)
      } else {
        if mode.isStrict { held.append(entry.input) }
        try report.add(entry.record.lines)
      }
    }
  }
}

extension ForeignImport {
  /// An entry that the vault has: nothing, or an update of what is different.
  private mutating func compare(_ record: ImportedRecord, _ members: JSONObject, with id: RecordID) async throws {
    let old = try await vault.record(id)
    guard let kind = old.kind, kind.name.utf8.elementsEqual(record.kind.utf8) else {
      return try report.refuse(record, VaultError(.inputRefused, "is of another kind in the vault", record: id))
    }
    let edits = try Self.edits(from: .object(old.revealed()), to: .object(members), at: .root, kind)
    try report.add(record.lines)
    guard !edits.isEmpty else { return report.keep() }
    guard mode.isUpdating else { return report.differ() }
    if !mode.isDryRun { try await vault.edit(id, edits, expecting: old) }
    report.update()
  }

  /// What has to be set so that all that the entry has is there; what only the vault has stays.
  private static func edits(
    from old: JSONValue?, to new: JSONValue, at path: MemberPath, _ kind: RecordKind
  ) throws -> [FieldEdit] {
    if case .object(let members) = new {
      return try members.flatMap { try edits(from: old?[$0.name], to: $0.value, at: path.appending($0.name), kind) }
    }
    guard old != new, let schema = kind.value(at: path) else { return [] }
    guard schema.isSealed else { return [.set(path, to: new)] }
    let text = schema.isText ? new.string ?? "" : String(decoding: try new.compactBytes(), as: UTF8.self)
    return [.seal(path, try SecretBytes(copying: RawSpan(_elements: Array(text.utf8).span)))]
  }
}
