public import VaultDocument
public import VaultRecords
internal import VaultStorage

/// A new record that was checked and sealed, and is not stored yet.
public struct PreparedRecord: Sendable {
  public let id: RecordID
  let change: StoreChange
}

extension Vault {
  /// Checks and seals clear input as ``add(_:kind:)`` does, each by itself, on all cores, and stores nothing.
  ///
  /// The ids rise in the order of the input.
  ///
  /// - Parameters:
  ///   - keepingUnknown: whether members that the kind does not have are sealed in `extra` rather than refused.
  ///   - progress: called now and then with how many were done since.
  /// - Returns: for each input its record, or why it is refused (``VaultError`` `.inputRefused`).
  public func prepare(
    _ inputs: [JSONObject], kind: RecordKind, keepingUnknown: Bool = false, progress: (Int) -> Void = { _ in }
  ) async -> [Result<PreparedRecord, VaultError>] {
    let now = options.now()
    let ids = inputs.map { _ in RecordID.random() }.sorted()
    let chunkSize = 256
    var chunks: [Int: [Result<PreparedRecord, VaultError>]] = [:]
    await withTaskGroup { group in
      for start in stride(from: 0, to: inputs.count, by: chunkSize) {
        let range = start..<min(start + chunkSize, inputs.count)
        group.addTask { (start, range.map { self.prepare(inputs[$0], kind, keepingUnknown, id: ids[$0], now) }) }
      }
      for await (start, results) in group {
        chunks[start] = results
        progress(results.count)
      }
    }
    return stride(from: 0, to: inputs.count, by: chunkSize).flatMap { chunks[$0] ?? [] }
  }

  private func prepare(
    _ input: JSONObject, _ kind: RecordKind, _ keepingUnknown: Bool, id: RecordID, _ now: Timestamp
  ) -> Result<PreparedRecord, VaultError> {
    Result { () throws(VaultError) in
      let change = try newRecord(id, kind, now) { context throws(VaultError) in
        do throws(RecordError) {
          return try kind.sealed(clear: input, keepingUnknown: keepingUnknown, in: context)
        } catch {
          throw VaultError(record: error, id: nil, input: true)
        }
      }
      return PreparedRecord(id: id, change: change)
    }
  }

  /// Stores prepared records, all or none.
  ///
  /// - Throws: ``VaultError`` as ``add(_:kind:)``.
  public func store(_ records: [PreparedRecord]) async throws(VaultError) {
    guard !records.isEmpty else { return }
    try writing { lock throws(VaultError) in try apply(records.map(\.change), lock) }
  }
}

extension LockedVault {
  /// How many live records there are; no file is opened.
  ///
  /// - Throws: ``VaultError`` when a folder cannot be read.
  public func recordCount() throws(VaultError) -> Int {
    var count = 0
    for folder in UInt8.min...UInt8.max {
      count += try inStore { () throws(StoreError) in try store.records(inFolder: folder).count }
    }
    return count
  }
}
