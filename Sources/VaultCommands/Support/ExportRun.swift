import VaultDocument
import VaultExchange
import VaultKit
import VaultSealing

/// One export of the records of a vault.
struct ExportRun {
  /// Nil for all kinds.
  let kind: String?
  let form: RecordForm
  let session: Session
  let opened: Vault?
  let global: GlobalOptions

  /// Writes a form of our own, which holds everything.
  func write(_ shape: RecordStream.Shape, to target: ExportTarget) throws {
    sayWhatIsLeftOut(try stream(shape, target))
  }

  /// Writes a format of another tool, after saying what it cannot hold.
  func write(_ exporter: any Exporter, to target: ExportTarget) throws {
    var surveyed = exporter
    try forEachView("looked at") { view in
      let record = try form.exported(view).record
      try CommandError.naming { () throws(ExportError) in try surveyed.survey(record) }
    }
    for sentence in surveyed.notes.sentences { global.messages.note(sentence) }
    sayWhatIsLeftOut(try stream(.foreign(surveyed, check: exporter), target))
    if !surveyed.notes.isComplete { throw Finished(status: .partlyDone) }
  }

  private func sayWhatIsLeftOut(_ count: Int) {
    if opened == nil { global.messages.note(Messages.unverifiedNote) }
    if count > 0 { global.messages.note("\(count) sealed field\(count == 1 ? "" : "s") left out: --reveal opens them") }
  }

  /// - Returns: how many sealed fields were left out.
  private func stream(_ shape: RecordStream.Shape, _ target: ExportTarget) throws -> Int {
    var count = 0
    try target.write { write in
      var stream = RecordStream(shape: shape, form: form, OutputBuffer(to: write))
      try stream.begin()
      try forEachView("exported") { view in try stream.append(view) }
      try stream.end(isVerified: opened != nil)
      count = stream.leftOutCount
    }
    return count
  }

  /// Every record of the kind; the first one that is damaged ends it.
  private func forEachView(_ deed: String, _ body: (RecordView) throws -> Void) throws {
    let progress = Progress(deed, global)
    var failure: (any Error)?
    func take(_ name: String, _ view: () throws -> RecordView) -> Bool {
      guard kind.map({ $0.utf8.elementsEqual(name.utf8) }) ?? true else { return true }
      do {
        try body(view())
        progress.advance()
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let opened {
      do throws(VaultError) {
        try opened.forEachOpenRecord { record throws(VaultError) in
          guard take(record.envelope.kind, { try RecordView(record, revealed: form.reveal) }) else {
            throw VaultError(.internalFailure, "stopped")
          }
        }
      } catch {
        throw failure ?? error
      }
    } else {
      try session.locked.forEachRecord { result in
        switch result {
        case .success(let record): return take(record.envelope.kind) { RecordView(record) }
        case .failure(let error):
          failure = error
          return false
        }
      }
    }
    progress.end()
    if let failure { throw failure }
  }
}
