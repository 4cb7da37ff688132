package import VaultDocument
internal import VaultFileStore
package import VaultKit
package import VaultStorage
package import VaultTrust

/// Reads every file of a vault's records for a check, and reports wrong files around them. All checks of a store use
/// it; each check interprets the bytes itself.
package struct FileWalk {
  private let files: any RecordStore
  private let scope: VerificationScope
  private var counts = RecordCounts()

  /// - Parameter files: the store; with a malformed journal, the files without it.
  package init(_ files: any RecordStore, _ scope: VerificationScope = VerificationScope()) {
    (self.files, self.scope) = (files, scope)
  }

  /// Gives the bytes of each file of the trash to `body`, in the order of ids.
  ///
  /// - Returns: the fault if the trash itself cannot be read; nil if it can.
  package mutating func forEachTrashed(
    _ body: (RecordID, Result<[UInt8], VaultError>) throws(VaultError) -> Void
  ) throws(VaultError) -> VaultFault? {
    let ids: [RecordID]
    do throws(StoreError) {
      ids = try files.trashed().filter { scope.contains($0.folder) }
    } catch {
      counts.takeTrash(nil)
      return try VaultFault(VaultError(store: error), file: error.path ?? StoreLocation.trashPath)
    }
    var count = 0
    for id in ids {
      switch Result(catching: { () throws(StoreError) in try files.read(.trash(id)) }) {
      case .success(nil): continue
      case .success(let bytes?): try body(id, .success(bytes))
      case .failure(let error): try body(id, .failure(VaultError(store: error, record: id)))
      }
      count += 1
    }
    counts.takeTrash(count)
    return nil
  }

  /// Examines each live record's file, on all cores, and gives the outcomes to `consume` folder by folder, in order. A
  /// fault that affects several folders, such as a file in the place of their parent, is reported once.
  package mutating func forEachFolder<Outcome: Sendable>(
    _ look: @escaping @Sendable (UInt8) throws(VaultError) -> FolderOutcomes<Outcome>.Look,
    consume: (FolderOutcomes<Outcome>) throws(VaultError) -> Void
  ) async throws(VaultError) {
    let files = files
    var (counts, told) = (counts, Set<String>())
    try await ParallelMap(chunkSize: 1)(
      (UInt8.min...UInt8.max).filter(scope.contains), cancellation: VaultError.cancelled,
      { folder throws(VaultError) in FolderOutcomes(of: folder, in: files, try look(folder)) },
      consume: { folder throws(VaultError) in
        counts.take(folder.fault == nil ? folder.outcomes.count : nil, inFolder: folder.number)
        var folder = folder
        if let fault = folder.fault, !told.insert(fault.file).inserted { folder.fault = nil }
        try consume(folder)
      })
    self.counts = counts
  }

  /// A fault for each folder that holds other records than were read.
  package func countFaults() -> [VaultFault] { counts.faults(in: files, scope) }

  /// Notes the names that are skipped because they begin with a dot (format 1, section 3, Directory).
  package var hiddenNotes: [String] {
    guard let names = try? (files as? DirectoryStore)?.hiddenEntries(), let first = names.first else { return [] }
    let others = names.count > 1 ? " and \(names.count - 1) more" : ""
    return ["names that begin with a dot are ignored: \(first)\(others)"]
  }

  /// Faults of entries around the records that do not belong there.
  ///
  /// - Parameters:
  ///   - known: faults that were already reported.
  ///   - keyFault: the fault for a file that looks like a private key; nil for no fault.
  package func strayFaults(besides known: [VaultFault], _ keyFault: (String) -> VaultFault?) -> [VaultFault] {
    let surroundings = Surroundings(of: files)
    let faults = surroundings.faults(besides: known) + surroundings.keyFiles.compactMap(keyFault)
    return faults + VaultFault.strayEntries(in: files, besides: known + faults)
  }
}

/// The outcomes for the files of one folder of records.
package struct FolderOutcomes<Outcome: Sendable>: Sendable {
  /// Examines the bytes of one file.
  package typealias Look = (RecordID, Result<[UInt8], VaultError>) throws(VaultError) -> Outcome

  let number: UInt8
  package private(set) var outcomes: [(id: RecordID, outcome: Result<Outcome, VaultError>)] = []
  /// Why the folder itself cannot be read.
  package fileprivate(set) var fault: VaultFault?

  fileprivate init(of folder: UInt8, in files: any RecordStore, _ look: Look) {
    number = folder
    do throws(StoreError) {
      try files.readLocked(files.records(inFolder: folder), inFolder: folder) { id, bytes in
        let bytes = bytes.mapError { VaultError(store: $0, record: id) }
        outcomes.append((id, Result { () throws(VaultError) in try look(id, bytes) }))
        return true
      }
    } catch {
      fault = VaultFault(VaultError.Code(error), error.reason, file: error.path ?? StoreLocation.folderPath(folder))
    }
  }
}

/// The verdict on a record that is both live and in the trash: the higher revision counts, equal ones are damage
/// (format 1, section 6, Records).
package enum LiveAndTrashed {
  case fault(VaultFault)
  case note(String)

  package init(_ id: RecordID, live: Int, removed: Int) {
    guard live != removed else {
      let (file, reason) = (StoreLocation.trash(id).relativePath, VaultError.equalRevisions(id).reason)
      self = .fault(VaultFault(.equalRevisions, reason, file: file, record: id))
      return
    }
    let counting: StoreLocation = live > removed ? .record(id) : .trash(id)
    self = .note("\(id.text) is among the records and in the trash: \(counting.relativePath) counts, being newer")
  }
}

extension VaultError {
  /// The fault of an authentic record file whose error has no underlying cause: it lies in the wrong place, or has
  /// clear text that must be sealed.
  package var codeOfAuthentic: Code? {
    guard code == .damaged, underlying == nil else { return nil }
    return field == nil ? .wrongPlace : .clearText
  }
}
