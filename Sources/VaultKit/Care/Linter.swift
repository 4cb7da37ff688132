internal import VaultDocument
internal import VaultRecords
internal import VaultStorage

/// One run of ``VaultLint`` over a vault, under a lock.
struct Linter {
  /// Puts canonical bytes in place of others.
  typealias Rewriting = ([StoreChange]) throws(VaultError) -> Void

  /// The store; with a malformed journal, the files as they are without it.
  private let files: any RecordStore
  /// Nil when nothing is to be written.
  private let rewriting: Rewriting?
  /// The kinds of the program and its user, and those of the header once it is read.
  private var kinds: KindCatalog
  private(set) var report = LintReport()
  private var changes: [StoreChange] = []
  private var counts = RecordCounts()
  /// The revisions that files of the trash say they have.
  private var trashed: [RecordID: Int] = [:]

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
    try checkTrash(progress)
    let (files, kinds) = (files, kinds)
    try await ParallelMap(chunkSize: 1)(
      UInt8.min...UInt8.max, cancellation: VaultError.cancelled,
      { folder throws(VaultError) in FolderLint(folder, in: files, kinds) },
      consume: { folder throws(VaultError) in try take(folder, progress) })
    report.findings += counts.faults(in: files)
    checkStrayEntries()
  }

  private mutating func checkHeader() throws(VaultError) {
    guard let header = try readHeader() else { return }
    kinds = kinds.declaring(header.declaredKinds)
    report.findings += try SlotFile.faults(of: header, in: files)
    let known = Set(header.slots.map(\.id))
    let slots = try inStore { () throws(StoreError) in try files.slots() }
    for id in slots where !known.contains(id) {
      report.notes.append("\(StoreLocation.slot(id).relativePath) belongs to no slot of the header")
    }
  }

  /// The checkpoint, where there is one.
  private mutating func checkCheckpoint() throws(VaultError) {
    do throws(VaultError) { _ = try StoredCheckpoint.read(from: files) } catch {
      report.findings.append(try VaultFault(error, file: Checkpoint.fileName))
    }
  }

  /// Nil for one that is not there, or none.
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

  private mutating func checkTrash(_ progress: () -> Void) throws(VaultError) {
    let ids = try trashedIDs()
    counts.takeTrash(ids?.count)
    for id in ids ?? [] {
      let bytes = Result { () throws(StoreError) in try files.read(.trash(id)) }
      let lint = try RecordLint(bytes.map { $0 ?? [] }, at: .trash(id), id, kinds)
      trashed[id] = lint.revision ?? trashed[id]
      report.trashedCount += 1
      take(lint)
      progress()
    }
    try rewrite()
  }

  /// Nil for a trash that is no folder, which is one finding more.
  private mutating func trashedIDs() throws(VaultError) -> [RecordID]? {
    do throws(VaultError) {
      return try inStore { () throws(StoreError) in try files.trashed() }
    } catch {
      report.findings.append(try VaultFault(error, file: error.file ?? StoreLocation.trashPath))
      return nil
    }
  }

  private mutating func take(_ folder: FolderLint, _ progress: () -> Void) throws(VaultError) {
    if let fault = folder.fault { report.findings.append(fault) }
    report.recordCount += folder.records.count
    counts.take(folder.fault == nil ? folder.records.count : nil, inFolder: folder.number)
    for record in folder.records {
      let lint = try record.get()
      take(lint)
      checkTwin(lint)
      progress()
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

  private mutating func checkStrayEntries() {
    let surroundings = Surroundings(of: files)
    report.findings += surroundings.faults(besides: report.findings)
    report.findings += surroundings.keyFiles.map { VaultFault(.privateKey, Surroundings.keyReason, file: $0) }
    report.findings += VaultFault.strayEntries(in: files, besides: report.findings)
  }
}

extension Linter {
  private mutating func take(_ lint: RecordLint) {
    report.findings += lint.findings
    if let form = lint.form { take(form) }
  }

  private mutating func take(_ form: CanonicalForm) {
    if rewriting != nil, form.keepsMeaning {
      changes.append(form.change)
    } else {
      report.findings.append(
        VaultFault(.notCanonical, form.reason, file: form.change.location.relativePath, record: form.record))
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
