package import VaultDocument
package import VaultStorage
internal import VaultTrust

extension Vault.Options {
  package func tell(
    _ kind: VaultEvent.Kind, of vault: VaultID, records: @autoclosure () -> [RecordID] = [], slots: [SlotID] = [],
    recordCount: Int? = nil, took duration: Duration? = nil, code: VaultError.Code? = nil
  ) {
    guard let observer else { return }
    observer.take(
      VaultEvent(
        kind, vault, at: now(), records: records(), slots: slots, recordCount: recordCount, duration: duration,
        code: code))
  }

  /// Sends an error to the observer, except for questions without an answer and invalid input.
  func tell(_ error: VaultError, of vault: VaultID, records: [RecordID] = []) {
    let answers: [VaultError.Code] = [
      .noSuchRecord, .noSuchMember, .noSuchSlot, .unknownKind, .inputRefused, .usage, .cancelled, .alreadyExists,
    ]
    guard !answers.contains(error.code) else { return }
    tell(.refused, of: vault, records: error.record.map { [$0] } ?? records, code: error.code)
  }
}

extension Vault {
  /// Runs `body` on a record, and sends its error to the observer.
  func reportingErrors<Result>(
    of id: RecordID, _ body: () throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    do throws(VaultError) {
      return try body()
    } catch {
      options.tell(error, of: header.vaultID, records: [id])
      throw error
    }
  }

  /// The callback for opened sealed values of a record; nil if nobody wants to know.
  func revealing(_ id: RecordID) -> (@Sendable () -> Void)? {
    guard options.observer != nil else { return nil }
    let (options, vault) = (options, header.vaultID)
    return { options.tell(.revealed, of: vault, records: [id]) }
  }

  package func tell(_ changes: [StoreChange]) {
    guard options.observer != nil else { return }
    let groups = RecordChanges(changes)
    for (kind, ids) in groups.records where !ids.isEmpty {
      options.tell(kind, of: header.vaultID, records: ids)
    }
    if !groups.slots.isEmpty { options.tell(.slotsChanged, of: header.vaultID, slots: groups.slots) }
  }
}

/// Changes that were written, sorted by the events that report them.
private struct RecordChanges {
  private(set) var records: [(kind: VaultEvent.Kind, ids: [RecordID])] = []
  private(set) var slots: [SlotID] = []

  init(_ changes: [StoreChange]) {
    let writes = changes.filter { !$0.isGuard }
    let outOfTrash = writes.compactMap { change in change.replacement == nil ? change.trashed : nil }
    let mayBeRestored = Set(outOfTrash)
    var (added, changed, removed, restored) = ([RecordID](), [RecordID](), [RecordID](), [RecordID]())
    for change in writes {
      switch (change.location, change.expected, change.replacement) {
      case (.record(let id), _, _?) where mayBeRestored.contains(id): restored.append(id)
      case (.record(let id), nil, _?): added.append(id)
      case (.record(let id), _?, _?): changed.append(id)
      case (.record(let id), _, nil): removed.append(id)
      case (.slot(let id), _, _): slots.append(id)
      case (.trash, _, _), (.header, _, _), (.checkpoint, _, _), (.attachment, _, _),
        (.inbox, _, _):
        break
      }
    }
    let live = Set(restored)
    records = [
      (.added, added), (.changed, changed), (.removed, removed), (.restored, restored),
      (.deleted, outOfTrash.filter { !live.contains($0) }),
    ]
  }
}

extension StoreChange {
  fileprivate var trashed: RecordID? { if case .trash(let id) = location { id } else { nil } }
}
