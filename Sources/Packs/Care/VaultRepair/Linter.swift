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
  private var walk: FileWalk
  /// The unverified revisions of files in the trash.
  private var trashed: [RecordID: Int] = [:]
  private var attachments = GatheredAttachments()
  /// Nil without a readable header.
  private var requirements: [String]?

  init(
    _ store: any RecordStore, types: [any VaultRecord.Type], rewriting: Rewriting?
  ) throws(VaultError) {
    let (files, journal) = try inStore { () throws(StoreError) in try store.readable() }
    self.files = files
    walk = FileWalk(files)
    self.rewriting = rewriting
    kinds = KindCatalog(types: types)
    if let note = journal.note { report.notes.append(note) }
    if let fault = journal.fault { report.findings.append(fault) }
  }

  mutating func run(_ progress: () -> Void) async throws(VaultError) {
    try checkHeader()
    try checkCheckpoint()
    try checkTrash(progress)
    var walk = walk
    let kinds = kinds
    try await walk.forEachFolder { _ in
      { id, bytes throws(VaultError) in try RecordLint(bytes, at: .record(id), id, kinds) }
    } consume: { (folder: FolderOutcomes<RecordLint>) throws(VaultError) in
      try take(folder, progress)
    }
    let check = try AttachmentCheck(of: files, attachments, readingAll: false)
    report.findings += check.faults
    report.notes += check.notes + walk.hiddenNotes
    if let requirements { report.notes += attachments.notes(requirements: requirements) }
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
      report.notes.append("\(StoreLocation.slot(id).relativePath) belongs to no slot of the header")
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

  private mutating func checkTrash(_ progress: () -> Void) throws(VaultError) {
    var walk = walk
    let fault = try walk.forEachTrashed { id, bytes throws(VaultError) in
      let lint = try RecordLint(bytes, at: .trash(id), id, kinds)
      trashed[id] = lint.revision
      report.trashedCount += 1
      take(lint)
      progress()
    }
    self.walk = walk
    if let fault { tell(ofMissing: fault) }
    try rewrite()
  }

  private mutating func take(
    _ folder: FolderOutcomes<RecordLint>, _ progress: () -> Void
  ) throws(VaultError) {
    if let fault = folder.fault { tell(ofMissing: fault) }
    report.recordCount += folder.outcomes.count
    for (_, outcome) in folder.outcomes {
      let lint = try outcome.get()
      take(lint)
      checkTwin(lint)
      progress()
    }
    try rewrite()
  }

  private mutating func checkTwin(_ lint: RecordLint) {
    guard let removed = trashed[lint.id], let revision = lint.revision else { return }
    switch LiveAndTrashed(lint.id, live: revision, removed: removed) {
    case .fault(let fault): report.findings.append(fault)
    case .note(let note): report.notes.append(note)
    }
  }
}

extension Linter {
  /// Reports a folder that cannot be read, whose content is unknown.
  private mutating func tell(ofMissing fault: VaultFault) {
    report.findings.append(fault)
    attachments.miss()
  }

  private mutating func take(_ lint: RecordLint) {
    report.findings += lint.findings
    attachments.take(lint.named, of: lint.id)
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

  /// Writes the collected changes, one folder of records at a time, which bounds the memory.
  private mutating func rewrite() throws(VaultError) {
    guard let rewriting, !changes.isEmpty else { return }
    try rewriting(changes)
    report.rewritten += changes.map(\.location.relativePath)
    changes = []
  }
}
