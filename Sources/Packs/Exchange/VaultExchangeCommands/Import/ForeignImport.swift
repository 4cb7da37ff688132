import VaultCLI
import VaultCrypto
import VaultDocument
import VaultExchange
import VaultKit
import VaultPackSupport
import VaultRecords
import VaultSealing
import VaultTerminal

/// An import from another tool. Known entries are compared, and new entries are stored as one batch at the end.
///
/// Pending entries are in memory as compact text, with files to attach. So the limit of the reader's output also limits
/// memory.
struct ForeignImport {
  struct Mode {
    var isDryRun = false
    var isStrict = false
    var isUpdating = false
  }

  private struct Held: Sendable {
    let kind: RecordKind
    let text: [UInt8]
    let place: SourcePlace
    let files: [FileToAttach]
    let former: [FormerInput]
    let name: EntryName

    func members() throws(VaultError) -> JSONObject {
      guard let members = try? JSONParser.parse(text, limits: .exchange).object else {
        throw VaultError(.internalFailure, "the record that was written cannot be read")
      }
      return members
    }
  }

  /// Larger entries are sealed once to check that there is enough memory.
  private static let largeByteCount = 64 << 10

  let vault: Vault
  let mode: Mode
  private let progress: Progress
  var known: KnownRecords
  private var held: [Held] = []
  /// The number of new records. A dry run does not keep them.
  private var newCount = 0
  /// Entries that differ from their records. Ambiguous names are known only after all entries were read.
  var pending: [PendingUpdate] = []
  var report: ForeignReport
  /// The records that were written so far.
  var receipt = ImportReceipt()

  init(
    of identity: String?, from idPrefix: String, into vault: Vault, _ mode: Mode, report: ForeignReport,
    progress: Progress
  ) async throws {
    self.vault = vault
    self.mode = mode
    self.report = report
    self.progress = progress
    known = try await KnownRecords(of: vault, from: idPrefix, file: identity)
  }

  /// Takes all items. If the source cannot be read to its end, the items before are still imported.
  mutating func run(_ reader: SourceReader) async throws {
    while let item = try reader.next() { try await take(item) }
    if let fault = reader.fault { try report.end(fault) }
    if !mode.isStrict || !report.hasRefusals { try await store() }
    try await update()
    // A refused entry may be one that seems to be missing.
    if mode.isUpdating, !report.hasRefusals { try await reportVanished() }
    progress.end()
  }

  private mutating func reportVanished() async throws {
    var vanished: [VanishedRecord] = []
    for id in known.vanished { vanished.append(VanishedRecord(id: id, name: try await vault.record(id).name)) }
    report.miss(vanished)
  }

  private mutating func take(_ item: ImportedItem) async throws {
    switch item {
    case .leaves(let lines): try report.add(try lines.fitting(vault))
    case .refused(let place, let reason, let lines):
      try report.refuse(place, field: nil, reason)
      try report.add(lines)
    case .record(let record): try await take(record)
    }
    progress.advance()
  }

  private mutating func take(_ record: ImportedRecord) async throws {
    report.remark(record.remarks)
    let record = try record.fitting(vault)
    let kind = try vault.kinds.argument(record.kind)
    let name = try known.name(of: record)
    let members = name.id.map { ExternalID.adding($0, to: record.members, of: kind) } ?? record.members
    if let id = name.id, let old = known[id] {
      return try await compare(
        record, members: members, with: old, name: name, files: record.attachments.map(FileToAttach.init))
    }
    if let id = name.id, known.isRemoved(id) { report.comeBack() }
    if !name.isSure || name.number > 1, try await known.match(record.members, kind, in: vault) {
      report.keep()
      let refused = record.attachments.isEmpty ? [] : [Self.filesMember]
      return try report.add(try lines(of: record, refusing: refused, FileToAttach.unsure))
    }
    guard !mode.isUpdating || name.id != nil else {
      return try report.refuse(
        record, "no value identifies the record of this entry: --name NAME gives the input a name")
    }
    try await hold(record, kind: kind, members: members, name: name)
  }

  /// Checks a new record, and keeps it for the end.
  private mutating func hold(
    _ record: ImportedRecord, kind: RecordKind, members: JSONObject, name: EntryName
  ) async throws {
    let former = kept(of: record)
    do throws(RecordError) {
      for value in former { _ = try kind.plaintext(ofFormer: value.value, at: value.path) }
    } catch {
      return try report.refuse(record, field: error.path, error.reason)
    }
    let tree = JSONValue.object(members)
    // Faults that depend on more than the description of the kind are found by sealing.
    if tree.textByteCount > Self.largeByteCount || !tree.allStrings(satisfy: { !SealedToken.hasTokenShape($0) }) {
      if let error = try await refusal(of: RecordInput(kind, members)) {
        return try report.refuse(record, field: error.field, error.reason)
      }
    } else {
      do throws(RecordError) {
        try kind.check(clear: members)
      } catch {
        return try report.refuse(record, field: error.path, error.reason)
      }
    }
    newCount += 1
    if !mode.isDryRun {
      let text = try tree.compactBytes(limits: .exchange)
      let files = record.attachments.map(FileToAttach.init)
      held.append(Held(kind: kind, text: text, place: record.place, files: files, former: former, name: name))
    }
    try report.add(record.lines)
  }

  /// The former values of an entry that this vault keeps. The report counts the others.
  mutating func kept(of record: ImportedRecord) -> [FormerInput] {
    var counts: [MemberPath: Int] = [:]
    let kept = record.former.filter { value in
      counts[value.path, default: 0] += 1
      return counts[value.path, default: 0] <= vault.header.formerCount
    }
    report.leaveOutFormer(record.former.count - kept.count, keeping: vault.header.formerCount)
    return kept.map(\.input)
  }

  private func refusal(of input: RecordInput) async throws -> VaultError? {
    do {
      return try await vault.add([input], count: 1, refusals: .leaveOut, isDryRun: true, record: { $0 })
        .refusals.first?.error
    } catch {
      guard error.code == .memoryUnavailable else { throw error }
      return error
    }
  }

  /// Seals and stores all new records: all or none.
  private mutating func store() async throws {
    guard !mode.isDryRun else { return report.wouldStore(newCount) }
    var failure: (any Error)?
    let result = try await Self.tellingDoubt(held.count, in: report) {
      try await vault.add(
        upTo: held.count, refusals: .storeNothing,
        chosen: { () throws(VaultError) in
          do {
            try await leaveOutWhatCameMeanwhile()
            return held
          } catch {
            failure = error
            return []
          }
        },
        record: { held throws(VaultError) in
          var input = RecordInput(held.kind, try held.members())
          input.former = held.former
          return input
        })
    }
    if let failure { throw failure }
    let files = held.map(\.files)
    self.held = []
    // The earlier check has missed a fault. The entry is named, and nothing is stored.
    if let (_, held, error) = result.refusals.first { throw report.failure(at: held.place, error) }
    for id in result.ids { report.store(id) }
    receipt.add(result.ids)
    for (id, files) in zip(result.ids, files) where !files.isEmpty { try await attach(files, to: id) }
  }

  /// Compares again under the lock, because another import of the same entries may have stored them since.
  private mutating func leaveOutWhatCameMeanwhile() async throws {
    guard try await known.lookAgain(in: vault) else { return }
    var new: [Held] = []
    for entry in held {
      if let id = entry.name.id, let old = known[id] {
        // The report already has the lines of its values.
        let record = ImportedRecord(
          place: entry.place, kind: entry.kind.name, members: try entry.members(), externalID: id, isWholeFile: false,
          lines: [])
        try await compare(record, members: record.members, with: old, name: entry.name, files: entry.files)
      } else if !entry.name.isSure || entry.name.number > 1,
        try await known.match(try entry.members(), entry.kind, in: vault)
      {
        report.keep()
      } else {
        new.append(entry)
      }
    }
    held = new
  }

  /// Runs a step that stores `count` records. If it is uncertain whether they are stored durably, the report says so.
  static func tellingDoubt<Result>(
    _ count: Int, of record: (id: RecordID, name: String)? = nil, in report: ForeignReport,
    _ step: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await step()
    } catch let error as VaultError {
      if error.mayBeStored { report.leaveUnsure(count, record, isStored: error.code == .mayBeLost) }
      throw error
    }
  }
}
