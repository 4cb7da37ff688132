internal import VaultDocument
internal import VaultStorage
internal import VaultTrust

/// The results from files, in the order of their ids, and the errors of unreadable ones.
struct FileFindings<Found: Sendable>: Sendable {
  var found: [Found] = []
  var faults: [VaultError] = []
}

extension LockedVault {
  /// Examines the bytes of one live record's file; nil if it does not match.
  typealias Look<Found> = @Sendable (RecordID, [UInt8]) throws(VaultError) -> Found?

  /// Examines every live record's file on all cores, unverified. An error of a file or of `look` is collected; only an
  /// unreadable folder or a cancellation is thrown.
  func scan<Found: Sendable>(_ look: @escaping Look<Found>) async throws(VaultError) -> FileFindings<Found> {
    var findings = FileFindings<Found>()
    let store = try recordSource()
    let folders = try inStore { () throws(StoreError) in try store.recordFolders() }
    try await ParallelMap(chunkSize: Self.foldersAtOnce)(folders, cancellation: VaultError.cancelled) {
      folder throws(VaultError) in
      var findings = FileFindings<Found>()
      try inStore { () throws(StoreError) in
        try store.readRecords(inFolder: folder) { id, bytes in
          findings.take(id, bytes.mapError { VaultError(store: $0, record: id) }, look)
          return true
        }
      }
      return findings
    } consume: { some throws(VaultError) in
      findings.found += some.found
      findings.faults += some.faults
    }
    return findings
  }

  private static var foldersAtOnce: Int { 4 }

  /// Examines the files of some live records, like `scan(_:)` but in the order of `ids`; missing ones are left out.
  func scan<Found: Sendable>(
    _ ids: [RecordID], _ look: @escaping Look<Found>
  ) async throws(VaultError) -> FileFindings<Found> {
    var findings = FileFindings<Found>()
    try await ParallelMap()(ids, cancellation: VaultError.cancelled) { id throws(VaultError) in
      var findings = FileFindings<Found>()
      do throws(VaultError) {
        if let bytes = try read(id) { findings.take(id, .success(bytes), look) }
      } catch {
        findings.faults.append(error)
      }
      return findings
    } consume: { some throws(VaultError) in
      findings.found += some.found
      findings.faults += some.faults
    }
    return findings
  }
}

extension FileFindings {
  fileprivate mutating func take(
    _ id: RecordID, _ bytes: Result<[UInt8], VaultError>, _ look: LockedVault.Look<Found>
  ) {
    do throws(VaultError) {
      if let one = try look(id, bytes.get()) { found.append(one) }
    } catch {
      faults.append(error)
    }
  }
}
