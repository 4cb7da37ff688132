public import VaultAge
internal import VaultCrypto
public import VaultDocument
public import VaultKit
internal import VaultSealing
internal import VaultStorage

/// What a backup holds, opened to its end once: all of it is as it was sealed, and keeps the rules of the format that need no
/// key of the vault.
public final class BackupContents: Sendable {
  /// The backup.
  public let file: BackupFile
  /// The vault in it, without its records, to be unlocked.
  public let vault: LockedVault
  /// When the backup says it was made; authentic only where ``isAttested`` was verified.
  public let createdAt: Timestamp
  /// Live records.
  public let recordCount: Int
  /// Removed records.
  public let trashedCount: Int
  let list: BackupList?
  let files: FileList
  let credentials: [AgeCredential]

  /// Whether it holds a list, which is authentic once ``authenticate(with:)`` has returned.
  public var isAttested: Bool { list != nil }

  /// Opens a backup to its end, on all cores.
  ///
  /// - Throws: ``VaultError`` `.noMatchingSlot`, `.wrongPassphrase` for the backup's keys; `.damaged`, `.newerFormat`, `.ioFailed`.
  public init(of file: BackupFile, with credentials: [AgeCredential]) async throws(VaultError) {
    let archive = try file.archive(with: credentials)
    var survey = ArchiveSurvey(path: file.path)
    try await archive.readAll(
      making: { file throws(VaultError) in file.member.isRecord ? nil : file.bytes },
      take: { file, bytes throws(VaultError) in survey.take(file, bytes) },
      takeList: { bytes throws(VaultError) in try survey.takeList(bytes) })
    self.file = file
    self.credentials = credentials
    let found: (vault: LockedVault, list: BackupList?, files: FileList)
    do throws(VaultError) { found = try survey.finish() } catch { throw error.inBackup(file.path) }
    (vault, list, files) = (found.vault, found.list, found.files)
    createdAt = if let list = found.list { list.createdAt } else { try archive.time() }
    (recordCount, trashedCount) = (found.files.count(where: \.isLiveRecord), found.files.count(where: \.isTrashed))
  }

  /// Verifies the list with the keys of the vault in the backup; a backup without one has nothing to verify.
  ///
  /// - Parameter vault: what unlocking ``vault`` gave.
  /// - Throws: ``VaultError`` `.damaged` for a list that somebody without the key made.
  public func authenticate(with vault: Vault) throws(VaultError) {
    guard let list else { return }
    // What the list names was compared with the files: its tree is that of a list of them.
    let own = BackupListWriter(files: files, head: list.head)
    guard list.rootID == vault.header.root.id, constantTimeEqual(try own.mac(by: vault.backupListKey), list.mac) else {
      throw VaultError(
        .damaged, "does not authenticate: it was changed or forged", file: "\(file.path): \(ArchiveMember.listName)",
        hints: ["take another copy of the backup, or another backup"])
    }
  }

  /// Gives each file to `body` once more, the same as when it was opened first.
  func forEachFile(_ body: (ArchiveFile) throws(VaultError) -> Void) throws(VaultError) {
    let archive = try file.archive(with: credentials)
    var rest = rest
    while let next = try archive.next() {
      guard case .file(let file) = next else { continue }
      try rest.take(BackupList.File(file.member, file.bytes))
      try body(file)
    }
    try rest.finish()
  }

  /// Gives each file and what `make` makes of it on any core to `take` once more, as ``forEachFile(_:)``.
  func forEachFile<Made: Sendable>(
    making make: @escaping @Sendable (ArchiveFile) throws(VaultError) -> Made,
    take: (Made) throws(VaultError) -> Void
  ) async throws(VaultError) {
    var rest = rest
    try await file.archive(with: credentials).readAll(
      making: make,
      take: { file, made throws(VaultError) in
        try rest.take(file)
        try take(made)
      })
    try rest.finish()
  }

  private var rest: FilesToCome { FilesToCome(rest: files[...], path: file.path) }
}

/// What is still to come of an archive that is read once more.
private struct FilesToCome {
  var rest: Slice<FileList>
  let path: String

  mutating func take(_ file: BackupList.File) throws(VaultError) {
    guard rest.popFirst() == file else { throw changedUnderneath }
  }

  func finish() throws(VaultError) {
    guard rest.isEmpty else { throw changedUnderneath }
  }

  private var changedUnderneath: VaultError {
    VaultError(.changedUnderneath, "was changed while it was read", file: path, hints: ["try again"])
  }
}

/// Takes the files of an archive one after the other, keeps the few that are needed first, and notes the others.
private struct ArchiveSurvey {
  let path: String
  private var files = FileList()
  private var documents: [StoreChange] = []
  private var list: BackupListReader?

  init(path: String) { self.path = path }

  /// Takes bytes of the list, which comes behind all files.
  mutating func takeList(_ bytes: [UInt8]) throws(VaultError) {
    var reader = list.take() ?? BackupListReader(expecting: files)
    do throws(VaultError) { try reader.take(bytes) } catch { throw error.inBackup(path) }
    list = reader
  }

  /// Takes a file, with its bytes unless it is a record.
  mutating func take(_ file: BackupList.File, _ bytes: [UInt8]?) {
    files.append(file)
    if let bytes, case .document(let place) = file.member {
      documents.append(StoreChange(place, from: nil, to: bytes))
    }
  }

  consuming func finish() throws(VaultError) -> (vault: LockedVault, list: BackupList?, files: FileList) {
    let store = MemoryStore()
    for change in documents { try inStore { () throws(StoreError) in try store.apply([change]) } }
    let vault = try LockedVault(store: store)
    try requireSlots(of: vault.header)
    let list = try list.map { reader throws(VaultError) in try reader.finish() }
    if let list { try require(list, vault.header) }
    return (vault, list, files)
  }

  /// Each slot of the header is there, and no other.
  private func requireSlots(of header: VaultHeader) throws(VaultError) {
    let found = files.compactMap { file -> (SlotID, [UInt8])? in
      if case .document(.slot(let id)) = file.member { (id, file.sha256.bytes) } else { nil }
    }
    let expected = header.slots.sorted { $0.id < $1.id }
    guard found.map(\.0) == expected.map(\.id), found.map(\.1) == expected.map(\.sha256) else {
      throw damaged("holds other slots than its header lists")
    }
  }

  /// The list names the header that is there; that it names exactly what is there was compared before.
  private func require(_ list: BackupList, _ header: VaultHeader) throws(VaultError) {
    guard list.vaultID == header.vaultID, list.rootID == header.root.id, list.head.headerRevision == header.revision
    else { throw damaged("holds a list of another vault, or of another state of it") }
  }

  private func damaged(_ reason: String) -> VaultError {
    VaultError(
      .damaged, reason, file: path, hints: ["it was not made so by this program: take another backup"])
  }
}

extension VaultError {
  /// The same of a file in a backup, which it then names, too.
  fileprivate func inBackup(_ path: String) -> VaultError {
    var error = self
    if error.file != path { error.file = error.file.map { "\(path): \($0)" } ?? path }
    error.hints = ["take another copy of the backup, or another backup"]
    return error
  }
}

extension ArchiveMember {
  /// Whether it is a record, live or removed.
  var isRecord: Bool { if case .document(let place) = self { place.recordID != nil } else { false } }
}

extension BackupList.File {
  fileprivate var isLiveRecord: Bool { if case .document(.record) = member { true } else { false } }
  fileprivate var isTrashed: Bool { if case .document(.trash) = member { true } else { false } }
}
