package import VaultDocument
internal import VaultFileStore
package import VaultKit
package import VaultStorage
package import VaultTrust

/// A check of the files of a vault's records. A ``FileWalk`` gives it each file: first the trash, then the live records
/// folder by folder.
package protocol RecordVisitor {
  associatedtype File: VisitedFile
  /// Examines the bytes of one file.
  typealias Look = (StoreLocation, RecordID, Result<[UInt8], VaultError>) throws(VaultError) -> File

  /// Makes the function that examines the files of a folder, on any core.
  var looking: @Sendable (UInt8) throws(VaultError) -> Look { get }
  /// Takes the outcome for one file, in the order of ids.
  mutating func take(_ file: File, at place: StoreLocation, _ id: RecordID) throws(VaultError)
  /// Takes the fault of an unreadable folder, or of the trash if no folder is given, before its readable files.
  mutating func miss(_ folder: UInt8?, _ fault: VaultFault)
  /// Called after a folder, or the trash if no folder is given, was read.
  mutating func finish(_ folder: UInt8?) throws(VaultError)
}

/// The outcome for one file of a record.
package protocol VisitedFile: Sendable {
  var named: NamedAttachments { get }
  /// The keys of the record's attachments; nil if the record is not verified.
  var keys: AttachmentKeys? { get }
}

/// Reads every file of a vault's records for a check, and reports wrong files around them. All checks of a store use
/// it; each check interprets the bytes itself.
package struct FileWalk {
  private let files: any RecordStore
  private let scope: VerificationScope
  private var counts = RecordCounts()
  /// The attachments that the records name.
  package private(set) var attachments = GatheredAttachments()

  /// - Parameter files: the store; with a malformed journal, the files without it.
  package init(_ files: any RecordStore, _ scope: VerificationScope = VerificationScope()) {
    (self.files, self.scope) = (files, scope)
    if scope.part != nil { attachments.miss() }
  }

  /// Gives every file to the visitor. The caller holds a lock of the store.
  ///
  /// - Parameter progress: called after each record.
  package mutating func run(_ visitor: inout some RecordVisitor, _ progress: () -> Void) async throws(VaultError) {
    try readTrash(&visitor, progress)
    try visitor.finish(nil)
    try await readFolders(&visitor, progress)
  }

  /// A trash that cannot be listed becomes a fault. A file that is gone since the listing is skipped.
  private mutating func readTrash<Visitor: RecordVisitor>(
    _ visitor: inout Visitor, _ progress: () -> Void
  ) throws(VaultError) {
    let ids: [RecordID]
    do throws(StoreError) {
      ids = try files.trashed().filter { scope.contains($0.folder) }
    } catch {
      counts.takeTrash(nil)
      attachments.miss()
      return visitor.miss(nil, try VaultFault(VaultError(store: error), file: error.path ?? StoreLocation.trashPath))
    }
    let looking = visitor.looking
    var (rest, count) = (ids[...], 0)
    while let folder = rest.first?.folder {
      let look = try looking(folder)
      for id in rest.prefix(while: { $0.folder == folder }) {
        let bytes = Result { () throws(StoreError) in try files.read(.trash(id)) }
        if case .success(nil) = bytes { continue }
        let file = try look(
          .trash(id), id, bytes.map { $0 ?? [] }.mapError { VaultError(store: $0, record: id) })
        try take(file, at: .trash(id), of: id, for: &visitor, progress)
        count += 1
      }
      rest = rest.drop { $0.folder == folder }
    }
    counts.takeTrash(count)
  }

  /// Gives the live records to the visitor, folder by folder in order. Reading and examining use all cores. A fault of
  /// several folders, such as a file in the place of their parent, is reported once: the later ones only finish.
  private mutating func readFolders(
    _ visitor: inout some RecordVisitor, _ progress: () -> Void
  ) async throws(VaultError) {
    let (files, looking) = (files, visitor.looking)
    var told: Set<String> = []
    try await ParallelMap(chunkSize: 1)(
      (UInt8.min...UInt8.max).filter(scope.contains), cancellation: VaultError.cancelled,
      { folder throws(VaultError) in FolderOutcomes(of: folder, in: files, try looking(folder)) },
      consume: { folder throws(VaultError) in
        counts.take(folder.fault == nil ? folder.outcomes.count : nil, inFolder: folder.number)
        if let fault = folder.fault, told.insert(fault.file).inserted {
          attachments.miss()
          visitor.miss(folder.number, fault)
        }
        for (id, outcome) in folder.outcomes {
          try take(outcome.get(), at: .record(id), of: id, for: &visitor, progress)
        }
        try visitor.finish(folder.number)
      })
  }

  private mutating func take<Visitor: RecordVisitor>(
    _ file: Visitor.File, at place: StoreLocation, of id: RecordID, for visitor: inout Visitor,
    _ progress: () -> Void
  ) throws(VaultError) {
    attachments.take(file.named, of: id, file.keys)
    try visitor.take(file, at: place, id)
    progress()
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
    return faults + surroundings.unmergedCopies + VaultFault.strayEntries(in: files, besides: known + faults)
  }
}

/// The outcomes for the files of one folder of records.
private struct FolderOutcomes<File: Sendable>: Sendable {
  let number: UInt8
  /// In the order of ids.
  private(set) var outcomes: [(id: RecordID, outcome: Result<File, VaultError>)] = []
  /// The fault if the folder itself cannot be read.
  private(set) var fault: VaultFault?

  /// Reads and examines the files. The errors of `look` are kept in the outcomes, and not thrown.
  init(
    of folder: UInt8, in files: any RecordStore,
    _ look: (StoreLocation, RecordID, Result<[UInt8], VaultError>) throws(VaultError) -> File
  ) {
    number = folder
    do throws(StoreError) {
      try files.readLocked(files.records(inFolder: folder), inFolder: folder) { id, bytes in
        let bytes = bytes.mapError { VaultError(store: $0, record: id) }
        outcomes.append((id, Result { () throws(VaultError) in try look(.record(id), id, bytes) }))
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
    self = .note(
      "\(id.text) is among the records and in the trash: \(counting.relativePath) counts, because it is newer")
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
