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

  /// So many entries are sealed and stored at a time,
  private static let pieceSize = 256
  /// and no more than make up so many bytes: what is sealed at the same time is in locked memory at the same time.
  private static let pieceByteCount = 1 << 20

  let vault: Vault
  let mode: Mode
  private let progress: Progress
  private var known: KnownRecords
  private var piece: [(record: ImportedRecord, input: RecordInput)] = []
  private var pieceBytes = 0
  /// What waits for the end, since nothing is to be stored when anything is refused.
  private var held: [RecordInput] = []
  var report: ForeignReport

  init(
    from idPrefix: String, into vault: Vault, _ mode: Mode, _ report: ForeignReport, _ progress: Progress
  ) async throws {
    self.vault = vault
    self.mode = mode
    self.report = report
    self.progress = progress
    known = try await KnownRecords(of: vault, from: idPrefix)
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
    // What was refused may be what seems to be missing.
    if mode.isUpdating, !report.hasRefusals { try await reportVanished() }
    progress.end()
  }

  private mutating func reportVanished() async throws {
    var vanished: [VanishedRecord] = []
    for id in known.vanished { vanished.append(VanishedRecord(id: id, name: try await vault.record(id).name)) }
    report.miss(vanished)
  }

  /// All that was only checked until now, or nothing.
  private mutating func storeHeld() async throws {
    report.forgetStored()
    guard !report.hasRefusals else { return }
    for id in try await vault.add(held, count: held.count, refusals: .throwFirst, record: { $0 }).ids {
      report.store(id)
    }
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
    let byteCount = JSONValue.object(members).textByteCount
    if pieceBytes + byteCount > Self.pieceByteCount { try await store() }
    piece.append((record, RecordInput(kind, members)))
    pieceBytes += byteCount
    if piece.count == Self.pieceSize || pieceBytes > Self.pieceByteCount { try await store() }
  }

  /// Seals and stores what has come together.
  private mutating func store() async throws {
    let taken = piece
    (piece, pieceBytes) = ([], 0)
    let result: Addition<RecordInput>
    do {
      result = try await vault.add(
        taken.lazy.map(\.input), count: taken.count, refusals: .leaveOut,
        isDryRun: mode.isDryRun || mode.isStrict, record: { $0 })
    } catch {
      guard error.code == .memoryUnavailable, taken.count == 1 else { throw error }
      return try report.refuse(taken[0].record, error)
    }
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
