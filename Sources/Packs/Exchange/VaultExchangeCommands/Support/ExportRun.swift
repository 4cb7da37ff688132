import Synchronization
import VaultCLI
import VaultDocument
import VaultExchange
import VaultKit
import VaultPackSupport
import VaultSealing
import VaultTerminal

struct ExportRun {
  /// Nil for all kinds.
  let kind: String?
  /// Nil for all records.
  let ids: Set<RecordID>?
  var form: RecordForm
  let session: Session
  let opened: Vault?
  let global: GlobalOptions

  /// Writes a format of our own, which holds everything.
  func write(_ shape: RecordStream.Shape, to target: ExportTarget) async throws {
    var run = self
    if kind == nil, !shape.saysKinds { run.form.hasKinds = try await session.locked.hasSeveralKinds(among: ids) }
    // Former values stand beside the kind.
    if form.hasFormer, !shape.saysKinds { run.form.hasKinds = true }
    sayWhatIsLeftOut(try await run.stream(shape, target))
  }

  /// Reads attachments up to a total size. Records beyond it are exported without theirs.
  ///
  /// Returns how many attachments are left out.
  mutating func takeAttachments(byteLimit: Int) async throws -> Int {
    guard !session.locked.header.requirements.isEmpty else { return 0 }
    var attached: [(id: RecordID, attachments: [Attachment])] = []
    try session.locked.forEachRecord { [kind, ids] result in
      // Damage is reported when the record is exported.
      if let envelope = try? result.get().envelope, !envelope.attachments.isEmpty,
        Self.isChosen(envelope, kind: kind, ids: ids)
      {
        attached.append((envelope.id, envelope.attachments))
      }
      return true
    }
    let count = attached.reduce(0) { $0 + $1.attachments.count }
    guard byteLimit > 0, let opened, form.reveal, form.paths == nil, try opened.keepsAttachments() else { return count }
    var (taken, rest) = (0, byteLimit)
    for id in attached.map(\.id) {
      let record = try await opened.record(id)
      for attachment in record.attachments.sorted(by: { ($0.name, $0.id.text) < ($1.name, $1.id.text) })
      where attachment.byteCount <= rest {
        let bytes = Mutex<[UInt8]>([])
        try await opened.read(attachment, of: record) { piece in bytes.withLock { $0 += piece } }
        form.attachments[id, default: []].append(
          ExportedAttachment(name: attachment.name, bytes: bytes.withLock { $0 }))
        (taken, rest) = (taken + 1, rest - attachment.byteCount)
      }
    }
    return max(0, count - taken)
  }

  /// Writes a format of another tool, after listing what it cannot hold.
  func write(_ exporter: any Exporter, to target: ExportTarget) async throws {
    var surveyed = exporter
    let form = form
    let refusals = ExportRefusals(global)
    try await forEachView("checked") { view in
      try form.exported(view).record
    } consume: { record in
      try refusals.collect {
        try CommandError.naming { () throws(ExportError) in try surveyed.survey(record) }
      }
    }
    try refusals.end()
    for sentence in surveyed.notes.sentences { global.messages.note(sentence) }
    sayWhatIsLeftOut(try await stream(.foreign(surveyed, check: exporter), target))
    if !surveyed.notes.isComplete { throw Finished(status: .partlyDone) }
  }

  private func sayWhatIsLeftOut(_ count: Int) {
    if opened == nil { global.messages.note(Messages.unverifiedNote) }
    guard count > 0 else { return }
    global.messages.note(
      "\(counted(count, "sealed field")) \(count == 1 ? "was" : "were") left out; --reveal exports sealed fields")
  }

  /// Returns how many sealed fields were left out.
  private func stream(_ shape: RecordStream.Shape, _ target: ExportTarget) async throws -> Int {
    var count = 0
    let refusals = ExportRefusals(global)
    try await target.write { write in
      var stream = RecordStream(shape: shape, form: form, OutputBuffer(to: write))
      let printer = stream.printer
      try stream.begin()
      try await forEachView("exported") { view in
        try printer.piece(view)
      } consume: { piece in
        // A property list is written at the end, after all records were read.
        if case .propertyList = shape {
          try refusals.collect { try stream.append(piece) }
        } else {
          try stream.append(piece)
        }
      }
      try refusals.end()
      try stream.end(isVerified: opened != nil)
      count = stream.leftOutCount
    }
    return count
  }

  /// Converts every record of the kind, and consumes the results in the order of ids. The first damaged record ends the
  /// export.
  private func forEachView<Output: Sendable>(
    _ action: String, _ make: @escaping @Sendable (RecordView) throws -> Output, consume: (Output) throws -> Void
  ) async throws {
    let progress = Progress(action, global) { [locked = session.locked] in try? locked.recordCount() }
    func take(_ result: Result<Output, any Error>) throws {
      try consume(result.get())
      progress.advance()
    }
    if let opened { try await forEachOpened(opened, make: make, take: take) } else { try forEachLocked(make, take) }
    progress.end()
  }

  /// Opens and verifies the records on all cores.
  private func forEachOpened<Output: Sendable>(
    _ opened: Vault, make: @escaping @Sendable (RecordView) throws -> Output,
    take: (Result<Output, any Error>) throws -> Void
  ) async throws {
    var failure: (any Error)?
    do throws(VaultError) {
      try await opened.forEachOpenRecord { [kind, ids, form] record -> Result<Output, any Error>? in
        guard Self.isChosen(record.envelope, kind: kind, ids: ids) else { return nil }
        return Result { try make(RecordView(record, revealed: form.permission, withFormer: form.hasFormer)) }
      } consume: { result throws(VaultError) in
        do {
          if let result { try take(result) }
        } catch {
          failure = error
          throw VaultError(.internalFailure, "stopped")
        }
      }
    } catch {
      throw failure ?? error
    }
  }

  private func forEachLocked<Output>(
    _ make: (RecordView) throws -> Output, _ take: (Result<Output, any Error>) throws -> Void
  ) throws {
    var failure: (any Error)?
    try session.locked.forEachRecord { result in
      do {
        let record = try result.get()
        if Self.isChosen(record.envelope, kind: kind, ids: ids) { try take(Result { try make(RecordView(record)) }) }
      } catch {
        failure = error
      }
      return failure == nil
    }
    if let failure { throw failure }
  }

  private static func isChosen(_ envelope: RecordEnvelope, kind: String?, ids: Set<RecordID>?) -> Bool {
    isKind(envelope.kind, kind) && ids?.contains(envelope.id) ?? true
  }

  private static func isKind(_ name: String, _ wanted: String?) -> Bool {
    wanted.map { $0.utf8.elementsEqual(name.utf8) } ?? true
  }
}

/// The records that a format cannot hold. All of them are named before the export ends without output.
private final class ExportRefusals {
  private let global: GlobalOptions
  private var last: CommandError?

  init(_ global: GlobalOptions) { self.global = global }

  /// Continues after a refused record. Other errors end the export.
  func collect(_ step: () throws -> Void) throws {
    do {
      try step()
    } catch let error as CommandError where error.status == .inputRefused && error.record != nil {
      if let last { global.messages.report(last.withoutHints) }
      last = error
    }
  }

  func end() throws { if let last { throw last } }
}

extension CommandError {
  /// The same error without hints, which follow the last error.
  fileprivate var withoutHints: CommandError {
    var error = self
    error.hints = []
    return error
  }
}
