internal import VaultDocument
internal import VaultIndex
internal import VaultStorage
internal import VaultTrust

/// Rows of an index, and what else has to be looked at.
struct IndexAnswer {
  let rows: IndexRows
  /// Whether the rows have the requested order and number.
  let isOrdered: Bool
  /// The records whose files must be read.
  let watched: [RecordID]
}

/// A vault's index during one question: updated first, and validated by stamps afterwards.
///
/// **Why the answer is of one state of the vault.** An answer counts if no batch was waiting, *then* every folder had
/// the stamp under which it was read, and *then* every shown file had its own. A batch that is put in place in between
/// changes the stamp of a folder or of a shown file before it is gone, and everything is asked again.
struct IndexSession {
  private static let attempts = 4
  private static let maximumWatchedCount = 1000
  private static let beingWritten = TextFault("the vault is being written")

  private let reader: FolderReader
  private var question: IndexQuestion
  /// The answer of each folder; nil if nothing is known.
  private var folders = [FolderAnswer?](repeating: nil, count: 256)

  init(_ reader: FolderReader, _ question: IndexQuestion) { (self.reader, self.question) = (reader, question) }

  /// The answer, and the records whose files must be read as well.
  mutating func answer() async throws(TextFault) -> IndexAnswer {
    try await ask()
    for _ in 0..<Self.attempts {
      if let answer = try await look() { return answer }
    }
    throw Self.beingWritten
  }

  /// The answer if the index is current; nil if some files had to be read first, and then the caller looks again.
  private mutating func look() async throws(TextFault) -> IndexAnswer? {
    let (isPending, stamps) = try askingStore { () throws(StoreError) in
      (try reader.store.hasPendingBatch(), try reader.store.folderStamps())
    }
    guard !isPending else { throw Self.beingWritten }
    let current = zip(folders, stamps).compactMap { folder, stamp in folder.flatMap { $0.isOf(stamp) ? $0 : nil } }
    guard current.count == folders.count else {
      try await read(folders.indices.filter { folders[$0]?.isOf(stamps[$0]) != true }, stamps)
      return nil
    }
    let isOrdered = current.allSatisfy(\.isOrdered)
    if !isOrdered, question.limit != nil {
      // Names can be sorted as texts only if all of them are there.
      question.limit = nil
      try await ask()
      return try await look()
    }
    let watched = current.flatMap(\.watched)
    guard watched.count <= Self.maximumWatchedCount else {
      throw TextFault("too many records are damaged, or of an older schema")
    }
    let rows = IndexRows(current.map(\.rows), by: question.order, limit: question.limit)
    let stale = reader.store.foldersTellChanges ? [] : try await staleFolders(rows.indicesByFolder, current)
    guard stale.isEmpty else {
      try await read(stale, stamps)
      return nil
    }
    return IndexAnswer(rows: rows, isOrdered: isOrdered, watched: watched)
  }

  private mutating func ask() async throws(TextFault) {
    folders = try await Self.map(UInt8.min...UInt8.max, atOnce: 16) { [reader, question] folder throws(TextFault) in
      reader.known(folder, to: question)
    }
  }

  private mutating func read(_ numbers: [Int], _ stamps: [StoreStamp?]) async throws(TextFault) {
    let read = try await Self.map(numbers, atOnce: 1) { [reader, question] number throws(TextFault) in
      try reader.read(UInt8(number), stamps[number], to: question)
    }
    for (number, answer) in zip(numbers, read) { folders[number] = answer }
  }

  /// The folders in which a shown file has changed since it was read.
  private func staleFolders(_ shown: [[Int]], _ current: [FolderAnswer]) async throws(TextFault) -> [Int] {
    let isCurrent = try await Self.map(zip(shown, current), atOnce: 16) { [reader] shown, folder throws(TextFault) in
      let stamps = try askingStore { () throws(StoreError) in
        try reader.store.recordStamps(of: shown.map(folder.rows.id))
      }
      return zip(shown, stamps).allSatisfy { folder.isCurrent(folder.rows.mark($0), $1) }
    }
    return isCurrent.indices.filter { !isCurrent[$0] }
  }

  private static func map<Input: Sequence, Output: Sendable>(
    _ elements: Input, atOnce: Int, _ work: @escaping @Sendable (Input.Element) throws(TextFault) -> Output
  ) async throws(TextFault) -> [Output] where Input.Element: Sendable {
    var outputs: [Output] = []
    try await ParallelMap(chunkSize: atOnce)(elements, cancellation: { TextFault("the task was cancelled") }, work) {
      output throws(TextFault) in outputs.append(output)
    }
    return outputs
  }
}

/// Asks the store; a fault is a reason to read the files although an index was wanted.
func askingStore<Result>(_ step: () throws(StoreError) -> Result) throws(TextFault) -> Result {
  do { return try step() } catch { throw TextFault(error.description) }
}
