internal import VaultDocument
internal import VaultKit
internal import VaultRecords
internal import VaultStorage
internal import VaultTrust
internal import VaultCare

/// One run of ``VaultLint`` over a vault, under a lock.
struct Linter {
  /// Replaces bytes by canonical ones.
  typealias Rewriting = ([StoreChange]) throws(VaultError) -> Void

  /// The store; with a malformed journal, the files without it.
  private let files: any RecordStore
  /// Nil if nothing is written.
  private let rewriting: Rewriting?
  /// The kinds of the program and its user, and those of the header once it is read.
  private var kinds: KindCatalog
  private(set) var report = LintReport()
  private var changes: [StoreChange] = []
  /// The revisions that files of the trash say they have.
  private var trashed: [RecordID: Int] = [:]
  /// Nil without a header that can be read.
  private var requirements: [String]?

  init(
    _ store: any RecordStore, types: [any VaultRecord.Type], rewriting: Rewriting?
  ) throws(VaultError) {
    let (files, journal) = try inStore { () throws(StoreError) in try store.readable() }
    self.files = files
    self.rewriting = rewriting
    kinds = KindCatalog(types: types)
    if let note = journal.note { report.notes.append(note) }
    if let fault = journal.fault { report.findings.append(fault) }
  }

  mutating func run(_ progress: () -> Void) async throws(VaultError) {
    try checkHeader()
    try checkCheckpoint()
    var walk = FileWalk(files)
    try await walk.run(&self, progress)
    let check = try AttachmentCheck(of: files, walk.attachments, readingAll: false)
    report.findings += check.faults
    report.notes += check.notes + walk.hiddenNotes
    let inbox = InboxCheck.faults(in: files)
    report.findings += inbox.faults
    if let note = InboxCheck.note(inbox.count) { report.notes.append(note) }
    if let requirements { report.notes += walk.attachments.notes(requirements: requirements) }
    report.findings += walk.countFaults()
    report.findings += walk.strayFaults(besides: report.findings) {
      VaultFault(.privateKey, Surroundings.keyReason, file: $0)
    }
  }

  private mutating func checkHeader() throws(VaultError) {
    guard let header = try readHeader() else { return }
    kinds = kinds.declaring(header.declaredKinds)
    requirements = header.requirements
    report.findings += try SlotFile.faults(of: header, in: files)
    let known = Set(header.slots.map(\.id))
    let slots = try inStore { () throws(StoreError) in try files.slots() }
    for id in slots where !known.contains(id) {
      report.notes.append("\(StoreLocation.slot(id).relativePath) does not belong to a slot of the header")
    }
  }

  private mutating func checkCheckpoint() throws(VaultError) {
    do throws(VaultError) { _ = try StoredCheckpoint.read(from: files) } catch {
      report.findings.append(try VaultFault(error, file: Checkpoint.fileName))
    }
  }

  /// Nil if the header is missing or unreadable.
  private mutating func readHeader() throws(VaultError) -> VaultHeader? {
    var header: VaultHeader?
    do throws(VaultError) {
      guard let bytes = try inStore({ () throws(StoreError) in try files.read(.header) }) else { return nil }
      let parsed = try VaultHeader(parsing: bytes)
      header = parsed
      if let form = try CanonicalForm(of: .object(parsed.document), bytes, at: .header) { take(form) }
    } catch {
      report.findings.append(try VaultFault(error, file: VaultHeader.fileName))
    }
    try rewrite()
    return header
  }
}

extension Linter: RecordVisitor {
  var looking: @Sendable (UInt8) throws(VaultError) -> Look {
    let kinds = kinds
    return { _ in { place, id, bytes throws(VaultError) in try RecordLint(bytes, at: place, id, kinds) } }
  }

  mutating func take(_ file: RecordLint, at place: StoreLocation, _ id: RecordID) throws(VaultError) {
    report.findings += file.findings
    if let form = file.form { take(form) }
    guard place == .record(id) else {
      trashed[id] = file.revision
      report.trashedCount += 1
      return
    }
    report.recordCount += 1
    guard let removed = trashed[id], let revision = file.revision else { return }
    switch LiveAndTrashed(id, live: revision, removed: removed) {
    case .fault(let fault): report.findings.append(fault)
    case .note(let note): report.notes.append(note)
    }
  }

  mutating func miss(_ folder: UInt8?, _ fault: VaultFault) { report.findings.append(fault) }

  mutating func finish(_ folder: UInt8?) throws(VaultError) { try rewrite() }
}

extension Linter {
  private mutating func take(_ form: CanonicalForm) {
    if rewriting != nil, form.keepsMeaning {
      changes.append(form.change)
    } else {
      report.findings.append(
        VaultFault(.notCanonical, form.reason, file: form.change.location.relativePath, record: form.record))
    }
  }

  /// Writes the collected changes, one folder of records at a time, which bounds the memory.
  private mutating func rewrite() throws(VaultError) {
    guard let rewriting, !changes.isEmpty else { return }
    try rewriting(changes)
    report.rewritten += changes.map(\.location.relativePath)
    changes = []
  }
}
