internal import VaultDocument
internal import VaultStorage

/// One run of ``VaultLint`` over a vault, under a lock.
struct Linter {
  /// Puts canonical bytes in place of others.
  typealias Rewriting = ([StoreChange]) throws(VaultError) -> Void

  /// The store; with a malformed journal, the files as they are without it.
  private let files: any RecordStore
  /// Nil when nothing is to be written.
  private let rewriting: Rewriting?
  private(set) var report = LintReport()
  private var changes: [StoreChange] = []
  /// The revisions that files of the trash say they have.
  private var trashed: [RecordID: Int] = [:]

  init(_ store: any RecordStore, rewriting: Rewriting?) throws(VaultError) {
    let (files, journal) = try inStore { () throws(StoreError) in try store.readable() }
    self.files = files
    self.rewriting = rewriting
    if let note = journal.note { report.notes.append(note) }
    if let fault = journal.fault { report.findings.append(fault) }
  }

  mutating func run(_ progress: () -> Void) throws(VaultError) {
    try checkHeader()
    try checkDocument(.checkpoint, limits: .list) { bytes throws(VaultError) in _ = try Checkpoint(parsing: bytes) }
    try checkTrash(progress)
    for folder in UInt8.min...UInt8.max { try checkRecords(inFolder: folder, progress) }
    try checkStrayEntries()
  }

  private mutating func checkHeader() throws(VaultError) {
    var header: VaultHeader?
    try checkDocument(.header, limits: .record) { bytes throws(VaultError) in header = try VaultHeader(parsing: bytes) }
    guard let header else { return }
    report.findings += try SlotFile.faults(of: header, in: files)
    let known = Set(header.slots.map(\.id))
    let slots = try inStore { () throws(StoreError) in try files.slots() }
    for id in slots where !known.contains(id) {
      report.notes.append("\(StoreLocation.slot(id).relativePath) belongs to no slot of the header")
    }
  }

  /// The header or the checkpoint, where there is one.
  private mutating func checkDocument(
    _ place: StoreLocation, limits: JSONLimits, _ parse: ([UInt8]) throws(VaultError) -> Void
  ) throws(VaultError) {
    do throws(VaultError) {
      guard let bytes = try inStore({ () throws(StoreError) in try files.read(place) }) else { return }
      try parse(bytes)
      let document = try parseDocument(bytes, file: place.relativePath, limits: limits)
      try take(CanonicalForm(of: document, bytes, at: place, limits: limits))
    } catch {
      report.findings.append(try VaultFault(error, file: place.relativePath))
    }
    try rewrite()
  }

  private mutating func checkTrash(_ progress: () -> Void) throws(VaultError) {
    for id in try inStore({ () throws(StoreError) in try files.trashed() }) {
      let bytes = Result { () throws(StoreError) in try files.read(.trash(id)) }
      let lint = try RecordLint(bytes.map { $0 ?? [] }, at: .trash(id), id)
      trashed[id] = lint.revision ?? trashed[id]
      report.trashedCount += 1
      try take(lint)
      progress()
    }
    try rewrite()
  }

  private mutating func checkRecords(inFolder folder: UInt8, _ progress: () -> Void) throws(VaultError) {
    var lints: [Result<RecordLint, VaultError>] = []
    do throws(StoreError) {
      try files.readRecords(inFolder: folder) { id, bytes in
        lints.append(Result { () throws(VaultError) in try RecordLint(bytes, at: .record(id), id) })
        progress()
        return true
      }
    } catch {
      report.findings.append(
        VaultFault(VaultFault.Code(error), error.reason, file: error.path ?? "records/\(Hex.encode([folder]))"))
    }
    report.recordCount += lints.count
    for lint in lints {
      let lint = try lint.get()
      try take(lint)
      checkTwin(lint)
    }
    try rewrite()
  }

  /// A live record with the id of one in the trash: the higher revision counts, equal ones are damage.
  private mutating func checkTwin(_ lint: RecordLint) {
    guard let removed = trashed[lint.id], let revision = lint.revision else { return }
    guard revision != removed else {
      let error = VaultError.equalRevisions(lint.id)
      return report.findings.append(
        VaultFault(.equalRevisions, error.reason, file: StoreLocation.trash(lint.id).relativePath, record: lint.id))
    }
    let counting: StoreLocation = revision > removed ? .record(lint.id) : .trash(lint.id)
    report.notes.append(
      "\(lint.id.text) is among the records and in the trash: \(counting.relativePath) counts, being newer")
  }

  private mutating func checkStrayEntries() throws(VaultError) {
    do throws(StoreError) {
      let known = Set(report.findings.map(\.file))
      for path in try files.strayEntries() where !known.contains(path) {
        report.findings.append(VaultFault(.strayEntry, "does not belong into the vault", file: path))
      }
    } catch {
      report.findings.append(VaultFault(VaultFault.Code(error), error.reason, file: error.path ?? "records"))
    }
  }
}

extension Linter {
  private mutating func take(_ lint: RecordLint) throws(VaultError) {
    report.findings += lint.findings
    if let form = lint.form { try take(form) }
  }

  private mutating func take(_ form: CanonicalForm) throws(VaultError) {
    guard let change = form.change else { return }
    if rewriting != nil, form.keepsMeaning {
      changes.append(change)
    } else {
      report.findings.append(
        VaultFault(.notCanonical, form.reason, file: change.location.relativePath, record: form.record))
    }
  }

  /// Writes what has come together: a folder of records at a time, which bounds the memory.
  private mutating func rewrite() throws(VaultError) {
    guard let rewriting, !changes.isEmpty else { return }
    try rewriting(changes)
    report.rewritten += changes.map(\.location.relativePath)
    changes = []
  }
}
