internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultStorage
internal import VaultTrust

/// A check of the files of a vault's records. A ``FileWalk`` hands it each file: first the trash, then the live records
/// folder by folder.
protocol RecordVisitor {
  associatedtype File: VisitedFile
  /// Looks at the bytes of one file.
  typealias Look = (StoreLocation, RecordID, Result<[UInt8], VaultError>) throws(VaultError) -> File

  /// Makes of a folder's number what looks at the files of its ids, on any core.
  var looking: @Sendable (UInt8) throws(VaultError) -> Look { get }
  /// Takes what came of one file, in the order of ids.
  mutating func take(_ file: File, at place: StoreLocation, _ id: RecordID) throws(VaultError)
  /// Takes why a folder, or without one the trash, cannot be read as such, before what was read of it all the same.
  mutating func miss(_ folder: UInt8?, _ fault: VaultFault)
  /// Is called once a folder, or without one the trash, was read.
  mutating func finish(_ folder: UInt8?) throws(VaultError)
}

/// What came of one file of a record.
protocol VisitedFile: Sendable {
  var named: NamedAttachments { get }
  /// What opens what the record names; nil if nobody has verified it.
  var keys: AttachmentKeys? { get }
}

/// Reads every file of a vault's records for a check, and says what lies around them: the one driver of all checks of a
/// store. What comes of the bytes of a file is the check's own.
struct FileWalk {
  private let files: any RecordStore
  private let scope: VerificationScope
  private var counts = RecordCounts()
  /// What the records name.
  private(set) var attachments = GatheredAttachments()

  /// - Parameter files: the store; with a malformed journal, the files as they are without it.
  init(_ files: any RecordStore, _ scope: VerificationScope = VerificationScope()) {
    (self.files, self.scope) = (files, scope)
    if scope.part != nil { attachments.miss() }
  }

  /// Hands every file over.
  ///
  /// - Parameter progress: called after each record.
  mutating func run(_ visitor: inout some RecordVisitor, _ progress: () -> Void) async throws(VaultError) {
    try readTrash(&visitor, progress)
    try visitor.finish(nil)
    try await readFolders(&visitor, progress)
  }

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
        try take(file, at: .trash(id), id, &visitor, progress)
        count += 1
      }
      rest = rest.drop { $0.folder == folder }
    }
    counts.takeTrash(count)
  }

  /// On all cores. What keeps several folders from being read, as a file in the place of the one around them, is told
  /// once.
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
        for (id, outcome) in folder.outcomes { try take(outcome.get(), at: .record(id), id, &visitor, progress) }
        try visitor.finish(folder.number)
      })
  }

  private mutating func take<Visitor: RecordVisitor>(
    _ file: Visitor.File, at place: StoreLocation, _ id: RecordID, _ visitor: inout Visitor, _ progress: () -> Void
  ) throws(VaultError) {
    attachments.take(file.named, of: id, file.keys)
    try visitor.take(file, at: place, id)
    progress()
  }

  /// A fault for each folder that holds other records than were looked at.
  func countFaults() -> [VaultFault] { counts.faults(in: files, scope) }

  /// Says which names are passed over because they begin with a dot (format 1, section 3, Directory).
  var hiddenNotes: [String] {
    guard let names = try? (files as? DirectoryStore)?.hiddenEntries(), let first = names.first else { return [] }
    let others = names.count > 1 ? " and \(names.count - 1) more" : ""
    return ["names that begin with a dot are ignored: \(first)\(others)"]
  }

  /// What lies around the records and should not.
  ///
  /// - Parameters:
  ///   - known: faults of files that were told already.
  ///   - keyFault: what is to be told of a file that looks like a private key; nil for no fault.
  func strayFaults(besides known: [VaultFault], _ keyFault: (String) -> VaultFault?) -> [VaultFault] {
    let surroundings = Surroundings(of: files)
    let faults = surroundings.faults(besides: known) + surroundings.keyFiles.compactMap(keyFault)
    return faults + VaultFault.strayEntries(in: files, besides: known + faults)
  }
}

/// What came of the files of one folder of records.
private struct FolderOutcomes<File: Sendable>: Sendable {
  let number: UInt8
  /// In the order of ids.
  private(set) var outcomes: [(id: RecordID, outcome: Result<File, VaultError>)] = []
  /// Why the folder as such cannot be read.
  private(set) var fault: VaultFault?

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

/// What is to be said of a record that is live and in the trash: the higher revision counts, equal ones are damage
/// (format 1, section 6, Records).
enum LiveAndTrashed {
  case fault(VaultFault)
  case note(String)

  /// - Parameters:
  ///   - live: the revision among the records.
  ///   - removed: the one in the trash.
  init(_ id: RecordID, live: Int, removed: Int) {
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
  /// What is wrong with a record's file by this error of verifying it, where no cause below tells it: what is authentic
  /// lies in the wrong place, or shows what is to be sealed.
  var codeOfAuthentic: Code? {
    guard code == .damaged, underlying == nil else { return nil }
    return field == nil ? .wrongPlace : .clearText
  }
}
