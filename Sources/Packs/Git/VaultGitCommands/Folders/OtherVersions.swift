import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultStorage
import VaultSystem
import VaultTerminal

/// Other versions of the files of a vault: conflict copies, single files, and whole copies of the vault.
struct OtherVersions {
  /// A file with another version.
  struct File {
    let place: StoreLocation
    let version: StoredVersion
    /// The path for messages.
    let name: String
    /// Nil for a file outside the vault, which stays where it is.
    let copy: ConflictCopy?
  }

  private(set) var files: [File] = []
  /// The whole copies.
  private(set) var vaults: [(path: String, vault: LockedVault)] = []
  /// Conflict copies of attachments and deposits, which are not read because neither ever changes.
  private(set) var unchanging: [ConflictCopy] = []

  var isEmpty: Bool { files.isEmpty && vaults.isEmpty && unchanging.isEmpty }
  /// The conflict copies in the vault, with their bytes if they were read.
  var copies: [(copy: ConflictCopy, bytes: [UInt8]?)] {
    files.compactMap { file in file.copy.map { ($0, file.version.bytes) } } + unchanging.map { ($0, nil) }
  }

  /// The conflict copies in a vault.
  init(in vault: LockedVault) throws {
    for copy in try vault.conflictCopies() { try add(copy, in: vault) }
  }

  /// The files and folders that words name.
  init(_ words: [String], beside session: Session) throws {
    for word in words {
      switch System.kind(of: word) {
      case .directory? where try Vault.isFolder(word, inVaultAt: session.location.path):
        let own = try OtherVersions(in: session.locked)
        files += own.files
        unchanging += own.unchanging
      case .directory?: vaults.append((word, try Self.vault(at: word, session)))
      case .regular?: try add(file: word, beside: session)
      default: throw CommandError(SystemError.missing(word))
      }
    }
  }

  /// Tells whether these versions have a state that the vault's folder lacks.
  var states: OtherStates {
    let found = files.map { (place: $0.place.relativePath, bytes: $0.version.bytes) }
    let stores = vaults.map(\.vault.store)
    return { missed in
      let places = missed.files.compactMap { StoreLocation(relativePath: $0) }
      let isHere =
        found.contains { missed.files.contains($0.place) && missed.isMissed($0.bytes) }
        || stores.contains { store in places.contains { ((try? store.read($0)) ?? nil).map(missed.isMissed) ?? false } }
      return isHere ? "a version beside it, which is joined now" : nil
    }
  }

  /// The versions of records, by id.
  func records(besides own: any RecordStore) throws -> [RecordID: [StoredVersion]] {
    var found: [RecordID: [StoredVersion]] = [:]
    for file in files { if let id = file.place.recordID { found[id, default: []].append(file.version) } }
    for (path, vault) in vaults {
      do throws(StoreError) { try Self.addRecords(of: vault.store, besides: own, to: &found) } catch {
        throw CommandError(
          .inputOutput, "io_failed", subject: path, Sentence.about(error.path, error.reason),
          hints: ["correct it and try again; nothing was changed"])
      }
    }
    return found
  }

  /// The versions of a file other than a record, with their names.
  func versions(of place: StoreLocation) -> [(name: String, version: StoredVersion)] {
    files.filter { $0.place == place }.map { ($0.name, $0.version) }
      + vaults.compactMap { other in
        other.vault.store.version(at: place).map { (System.join(other.path, place.relativePath), $0) }
      }
  }

  private static func addRecords(
    of store: any RecordStore, besides own: any RecordStore, to found: inout [RecordID: [StoredVersion]]
  ) throws(StoreError) {
    func add(_ id: RecordID, _ version: StoredVersion) {
      let isHere = StoreLocation.places(of: id).contains { own.version(at: $0) == version }
      if !isHere { found[id, default: []].append(version) }
    }
    for folder in try store.recordFolders() {
      try store.readRecords(inFolder: folder) { id, bytes in
        add(id, (try? bytes.get()).map { StoredVersion($0) } ?? .unreadable)
        return true
      }
    }
    for id in try store.trashed() { if let version = store.version(at: .trash(id)) { add(id, version) } }
  }

  private static func vault(at path: String, _ session: Session) throws -> LockedVault {
    let location = VaultLocation(path: path, origin: .option)
    let other: LockedVault
    do { other = try location.open(session.global) } catch let error as VaultError {
      throw error.code == .notAVault ? location.holdsNoVault(.directory) : CommandError(error)
    }
    guard other.header.vaultID == session.locked.header.vaultID else {
      throw CommandError(
        .unexpectedVault, "unexpected_vault", subject: path, "is another vault, not a copy of this one",
        hints: ["`vault move` and `vault import` bring records of another vault here"])
    }
    return other
  }

  // MARK: Single files

  private mutating func add(_ copy: ConflictCopy, in vault: LockedVault) throws(VaultError) {
    switch copy.place {
    case .attachment, .inbox: return unchanging.append(copy)
    default: break
    }
    guard let bytes = try vault.read(copy) else { return }
    files.append(File(place: copy.place, version: StoredVersion(bytes), name: copy.relativePath, copy: copy))
  }

  private mutating func add(file path: String, beside session: Session) throws {
    if let copy = Self.copy(path, in: session) { return try add(copy, in: session.locked) }
    let version = StoredVersion(try TextInput.file(path, limit: StoreLocation.header.byteLimit))
    guard let place = Self.place(of: version, called: path) else {
      throw CommandError(
        .inputRefused, "input_refused", subject: path, "is not a version of a file of this vault",
        hints: ["name a conflict copy, a file of another copy of this vault, or the folder of that copy"])
    }
    files.append(File(place: place, version: version, name: path, copy: nil))
  }

  /// The conflict copy at a path in the vault; nil for any other file.
  private static func copy(_ path: String, in session: Session) -> ConflictCopy? {
    guard let file = ProcessEnvironment.realPath(path), let folder = ProcessEnvironment.realPath(session.location.path),
      file.hasPrefix(folder + "/")
    else { return nil }
    return ConflictCopy(relativePath: String(file.dropFirst(folder.count + 1)))
  }

  /// The place of a version: by its content, otherwise by its name.
  private static func place(of version: StoredVersion, called path: String) -> StoreLocation? {
    if let envelope = version.envelope {
      return envelope.deletedAt == nil ? .record(envelope.id) : .trash(envelope.id)
    }
    if (try? VaultHeader(parsing: version.bytes)) != nil { return .header }
    if (try? Checkpoint(parsing: version.bytes)) != nil { return .checkpoint }
    let name = "slots/" + (path.split(separator: "/").last.map(String.init) ?? "")
    return StoreLocation(relativePath: name) ?? ConflictCopy(relativePath: name)?.place
  }
}
