internal import VaultDocument
internal import VaultIndex
internal import VaultStorage

/// Why the files are to be read although an index was wanted.
enum IndexStop: Error {
  case failure(IndexFailure)
  case store(StoreError)
  /// A batch is not in place yet, or others write faster than one can look.
  case unsettled
  /// So many files have to be read each time that an index saves nothing.
  case uselessness
  case cancelled

  var reason: String {
    switch self {
    case .failure(let failure): failure.reason
    case .store(let error): error.description
    case .unsettled: "the vault is being written"
    case .uselessness: "too many records are damaged, or of an older schema"
    case .cancelled: "the task was cancelled"
    }
  }
}

/// A vault's index while one question is asked: brought up to date first, and vouched for by stamps afterwards.
///
/// **Why the answer is of one state of the vault.** An answer counts when no batch was waiting, *then* every folder had
/// the stamp under which it was read, and *then* every file that is shown had its own. A batch that is put in place in
/// between changes the stamp of a folder or of a file that is shown before it is gone, and everything is asked again.
struct IndexSession {
  private static let attempts = 4
  private static let maximumWatchedCount = 1000

  let vault: LockedVault
  let store: any StampedStore
  let index: RecordIndex
  /// What was read in this session, which counts for it even when it is too young to be trusted by others.
  private var readFolders: [UInt8: StoreStamp] = [:]
  private var readRecords: [RecordID: StoreStamp] = [:]

  init(_ vault: LockedVault, _ store: any StampedStore, _ index: RecordIndex) {
    (self.vault, self.store, self.index) = (vault, store, index)
  }

  typealias Question = (RecordIndex) throws(IndexFailure) -> IndexRequest

  /// What was asked for, and the records whose files have to be read as well.
  mutating func answer(_ ask: Question) async throws(IndexStop) -> IndexAnswer {
    for _ in 0..<Self.attempts {
      switch try await look(ask) {
      case .current(let answer): return answer
      case .staleFolders: try await readFolders()
      case .staleRows(let ids): try reread(ids)
      }
    }
    throw .unsettled
  }

  private enum Look {
    case current(IndexAnswer)
    case staleFolders
    case staleRows([RecordID])
  }

  /// Asks the index as it is, and looks whether that is what the files say.
  private func look(_ ask: Question) async throws(IndexStop) -> Look {
    guard try inStore({ () throws(StoreError) in try store.hasPendingBatch() }) == false else { throw .unsettled }
    try inIndex { () throws(IndexFailure) in try index.beginReading() }
    // Nothing was written that could be lost.
    defer { index.abandon() }
    guard try staleFolders().isEmpty else { return .staleFolders }
    let (request, watched) = try inIndex { () throws(IndexFailure) in (try ask(index), try index.watched()) }
    guard watched.count <= Self.maximumWatchedCount else { throw .uselessness }
    let (rows, stale) = try await rows(of: request.selection)
    guard stale.isEmpty else { return .staleRows(stale) }
    let positions = try inIndex { () throws(IndexFailure) in try index.positions(request.selection, of: rows) }
    return .current(
      IndexAnswer(found: IndexedRows(rows, positions), isSorted: request.isSorted, watched: watched))
  }

  /// Reads what is new in folders that changed.
  private mutating func readFolders() async throws(IndexStop) {
    try inIndex { () throws(IndexFailure) in try index.begin() }
    do throws(IndexStop) {
      // As the only one who writes: somebody else may have read the same meanwhile.
      try await read(staleFolders())
      try inIndex { () throws(IndexFailure) in try index.commit() }
    } catch {
      index.abandon()
      throw error
    }
  }

  private func staleFolders() throws(IndexStop) -> [(folder: UInt8, stamp: StoreStamp?)] {
    // First the marks: what is noted by another process after that only makes a folder look stale that is not.
    let marks = try inIndex { () throws(IndexFailure) in try index.folderMarks() }
    let stamps = try inStore { () throws(StoreError) in try store.folderStamps() }
    return (UInt8.min...UInt8.max).compactMap { folder in
      let stamp = stamps[Int(folder)]
      if let stamp, readFolders[folder] == stamp { return nil }
      return marks[Int(folder)]?.isCurrent(stamp) == true ? nil : (folder, stamp)
    }
  }

  private mutating func read(_ folders: [(folder: UInt8, stamp: StoreStamp?)]) async throws(IndexStop) {
    // Asked of the index one after the other, while others are read.
    var failure: IndexFailure?
    let work = folders.lazy.map { [index] folder in
      let known = Result { () throws(IndexFailure) in try index.marks(inFolder: folder.folder) }
      if case .failure(let error) = known { failure = failure ?? error }
      return FolderWork(folder: folder.folder, stamp: folder.stamp, known: (try? known.get()) ?? [:])
    }
    var read: [FolderReading] = []
    try await ParallelMap(chunkSize: 1)(work, cancellation: { .cancelled }) { [vault, store] work throws(IndexStop) in
      try work.read(vault, store)
    } consume: { [index] reading throws(IndexStop) in
      try inIndex { () throws(IndexFailure) in
        try index.update(
          folder: reading.folder, mark: reading.mark, changed: reading.changed.map(\.record), removed: reading.removed)
      }
      read.append(reading.withoutContent)
    }
    if let failure { throw .failure(failure) }
    for reading in read { note(reading) }
  }

  private mutating func note(_ reading: FolderReading) {
    readFolders[reading.folder] = reading.mark?.stamp
    for (id, stamp) in reading.young { readRecords[id] = stamp }
  }

  /// The rows of a selection, and those among them whose files are not what was read. The files are asked for while
  /// further rows are read.
  private func rows(of selection: RowSelection) async throws(IndexStop) -> (IndexRows, stale: [RecordID]) {
    let pieces = try inIndex { () throws(IndexFailure) in try index.pieces(selection) }
    var (rows, stale) = (IndexRows(), [RecordID]())
    do throws(IndexStop) {
      try await ParallelMap(chunkSize: 1)(pieces, cancellation: { .cancelled }) {
        [store, readRecords] piece throws(IndexStop) in
        let (rows, marks) = try inIndex { () throws(IndexFailure) in try piece.get().decoded() }
        let ids = rows.ids
        let stamps = try inStore { () throws(StoreError) in try store.recordStamps(of: ids) }
        let stale = ids.indices.filter { index in
          guard let stamp = stamps[index] else { return true }
          return !marks[index].isCurrent(stamp) && readRecords[ids[index]] != stamp
        }
        return (rows, stale.map { ids[$0] })
      } consume: { piece throws(IndexStop) in
        rows.append(piece.0)
        stale += piece.1
      }
    } catch {
      guard case .failure(let failure) = error else { throw error }
      throw .failure(index.giveUp(failure))
    }
    return (rows, stale)
  }

  /// Reads single files again that changed while their folders did not.
  private mutating func reread(_ ids: [RecordID]) throws(IndexStop) {
    let readings = try inStore { () throws(StoreError) in
      var readings: [FolderReading] = []
      var rest = ids[...]
      while let first = rest.first {
        let run = rest.prefix { $0.folder == first.folder }
        rest = rest.dropFirst(run.count)
        readings.append(try FolderReading(rereading: Array(run), vault, store))
      }
      return readings
    }
    try inIndex { () throws(IndexFailure) in
      try index.writing { () throws(IndexFailure) in
        for reading in readings {
          try index.update(
            folder: reading.folder, mark: nil, changed: reading.changed.map(\.record), removed: reading.removed)
        }
      }
    }
    for reading in readings { note(reading) }
  }
}

func inIndex<Result>(_ step: () throws(IndexFailure) -> Result) throws(IndexStop) -> Result {
  do { return try step() } catch { throw .failure(error) }
}

private func inStore<Result>(_ step: () throws(StoreError) -> Result) throws(IndexStop) -> Result {
  do { return try step() } catch { throw .store(error) }
}
