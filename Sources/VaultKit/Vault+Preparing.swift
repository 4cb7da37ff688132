public import VaultDocument
public import VaultRecords
internal import VaultStorage

/// A new record that was checked and sealed, and is not stored yet.
public struct PreparedRecord: Sendable {
  public let id: RecordID
  let change: StoreChange
}

extension Vault {
  /// Checks and seals clear input as ``add(_:kind:)`` does, each by itself, and stores nothing.
  ///
  /// The ids rise in the order of the input.
  ///
  /// - Parameter progress: called after each input with how many are done.
  /// - Returns: for each input its record, or why it is refused (``VaultError`` `.inputRefused`).
  public func prepare(
    _ inputs: [JSONObject], kind: RecordKind, progress: (Int) -> Void = { _ in }
  ) -> [Result<PreparedRecord, VaultError>] {
    let now = options.now()
    let ids = inputs.map { _ in RecordID.random() }.sorted()
    return zip(ids, inputs).enumerated().map { index, pair in
      defer { progress(index + 1) }
      return Result { () throws(VaultError) in
        try PreparedRecord(
          id: pair.0,
          change: newRecord(pair.0, kind, now) { context throws(VaultError) in
            do throws(RecordError) {
              return try kind.sealed(clear: pair.1, in: context)
            } catch {
              throw VaultError(record: error, id: nil, input: true)
            }
          })
      }
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
