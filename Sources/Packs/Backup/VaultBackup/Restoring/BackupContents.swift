public import VaultAge
internal import VaultCare
internal import VaultCrypto
public import VaultDocument
public import VaultKit
internal import VaultSealing
internal import VaultStorage

/// The contents of a backup, after one complete pass. All bytes are authentic, and satisfy the rules of the format that
/// need no key of the vault.
public final class BackupContents: Sendable {
  /// The backup.
  public let file: BackupFile
  /// The locked vault in the backup, without its records.
  public let vault: LockedVault
  /// The time in the backup; authentic only if ``isAttested`` was verified.
  public let createdAt: Timestamp
  /// The number of live records.
  public let recordCount: Int
  /// The number of removed records.
  public let trashedCount: Int
  /// The number of attachment files. They match exactly the attachments of its records, live and removed.
  public let attachmentCount: Int
  /// The summary that each later pass must match.
  private let files: FileSummary
  private let list: BackupList?
  private let content: AgeContent

  /// Whether there is a list, which is authentic after ``authenticate(with:)``.
  public var isAttested: Bool { list != nil }

  /// Opens a backup and reads it to its end, on all cores.
  ///
  /// - Throws: `VaultError` `.noMatchingSlot`, `.wrongPassphrase` for the backup's keys; `.damaged`, `.newerFormat`,
  ///   `.ioFailed`.
  public init(of file: BackupFile, with credentials: [AgeCredential]) async throws(VaultError) {
    content = try file.content(with: credentials)
    let archive = file.archive(content)
    let survey = try ArchiveSurvey(of: file, content)
    try await archive.readAll(
      making: { file throws(VaultError) in KeptOfFile(file) },
      take: { file, kept throws(VaultError) in try survey.take(file, kept) },
      takePiece: { piece throws(VaultError) in
        if piece.member == .list { try survey.takeList(piece.bytes) }
      })
    self.file = file
    let found: (vault: LockedVault, list: BackupList?, files: FileSummary)
    do throws(VaultError) { found = try survey.finish() } catch { throw error.inBackup(file.path) }
    (vault, files) = (found.vault, found.files)
    list = found.list
    createdAt = if let list = found.list { list.createdAt } else { try archive.time() }
    (recordCount, trashedCount) = (found.files.count(of: .record), found.files.count(of: .trash))
    attachmentCount = found.files.count(of: .attachment)
  }

  /// Verifies the list with the keys of the vault in the backup. Without a list there is nothing to verify.
  ///
  /// - Parameter vault: the unlocked ``vault``.
  /// - Throws: `VaultError` `.damaged` if the list was made without the vault's key.
  public func authenticate(with vault: Vault) throws(VaultError) {
    guard let list else { return }
    do throws(VaultError) { try vault.backupListKey.authenticate(list.head) } catch {
      guard error.code == .damaged else { throw error }
      throw VaultError(
        .damaged, "does not authenticate: it was changed or forged", file: "\(file.path): \(ArchiveMember.listName)",
        remedies: ["use another copy of the backup, or another backup"])
    }
  }

  /// Passes each file to `body` again. The files are known to be unchanged only after the function has returned.
  ///
  /// - Parameter takePiece: receives the bytes of large files, in pieces.
  func forEachFile(
    _ body: (ArchiveFile) throws(VaultError) -> Void,
    piece takePiece: (ArchivePiece) throws(VaultError) -> Void = { _ in }
  ) throws(VaultError) {
    let archive = file.archive(content)
    let found = try FileTally()
    var large: LargeFile?
    while let next = try archive.next() {
      switch next {
      case .file(let file):
        try found.take(BackupList.File(file.member, file.bytes))
        try body(file)
      case .piece(let piece):
        if piece.member == .list { continue }
        try takePiece(piece)
        if let whole = try LargeFile.take(piece, of: &large) { try found.take(whole) }
      }
    }
    try require(found)
  }

  /// As ``forEachFile(_:piece:)``, with a conversion of each file by `make` on any core.
  ///
  /// - Parameter takePiece: receives the bytes of large files, in pieces.
  func forEachFile<Made: Sendable>(
    making make: @escaping @Sendable (ArchiveFile) throws(VaultError) -> Made,
    take: (Made) throws(VaultError) -> Void,
    piece takePiece: (ArchivePiece) throws(VaultError) -> Void = { _ in }
  ) async throws(VaultError) {
    let found = try FileTally()
    try await file.archive(content).readAll(
      making: make,
      take: { file, made throws(VaultError) in
        try found.take(file)
        if let made { try take(made) }
      },
      takePiece: { piece throws(VaultError) in
        if piece.member != .list { try takePiece(piece) }
      })
    try require(found)
  }

  private func require(_ found: FileTally) throws(VaultError) {
    guard try found.finish() == files else { throw .changedUnderneath(file.path) }
  }
}

extension VaultError {
  fileprivate static func changedUnderneath(_ path: String) -> VaultError {
    VaultError(.changedUnderneath, "was changed while it was read", file: path, remedies: ["try again"])
  }
}

/// Takes the files of an archive in order, keeps the few that are needed first, and tallies the others.
private final class ArchiveSurvey {
  private let file: BackupFile
  private let content: AgeContent
  private let tally: FileTally
  private var documents: [StoreChange] = []
  private var checkpoint: BackupList.File?
  private var slots: [(id: SlotID, sha256: [UInt8])] = []
  private let attachments = AttachmentNames()
  private var list: ListReader?

  private var path: String { file.path }

  init(of file: BackupFile, _ content: AgeContent) throws(VaultError) {
    (self.file, self.content, tally) = (file, content, try FileTally())
  }

  /// Takes bytes of the list, which follows all files.
  func takeList(_ bytes: [UInt8]) throws(VaultError) {
    if list == nil { list = try ListReader(file: ArchiveMember.listName) }
    do throws(VaultError) { try list?.take(bytes) } catch { throw error.inBackup(path) }
  }

  /// Takes a file. Its kept part is nil for a large file.
  func take(_ file: BackupList.File, _ kept: KeptOfFile?) throws(VaultError) {
    try tally.take(file)
    if file.member == .document(.checkpoint) { checkpoint = file }
    if case .document(.slot(let id)) = file.member { slots.append((id, file.sha256)) }
    if case .bytes(let bytes) = kept, case .document(let place) = file.member {
      documents.append(StoreChange(place, from: nil, to: bytes))
    }
    do throws(VaultError) {
      if case .names(let names) = kept { try attachments.take(names) }
      try attachments.take(file)
    } catch {
      throw error.inBackup(path)
    }
  }

  func finish() throws(VaultError) -> (vault: LockedVault, list: BackupList?, files: FileSummary) {
    let store = try inStore { () throws(StoreError) in
      try BackupStore(of: file, content, documents: documents, checkpoint: checkpoint)
    }
    let vault = try LockedVault(store: store)
    try attachments.requireAll()
    try requireSlots(of: vault.header)
    let files = try tally.finish()
    return (vault, try listed(files, vault.header), files)
  }

  private func listed(_ files: FileSummary, _ header: VaultHeader) throws(VaultError) -> BackupList? {
    guard let reader = list.take() else { return nil }
    let list = try BackupList(reader.finish())
    try require(list, header)
    guard try list.head.itemHash() == files.hash else {
      throw VaultError(.damaged, "does not match the files in the backup", file: ArchiveMember.listName)
    }
    return list
  }

  private func requireSlots(of header: VaultHeader) throws(VaultError) {
    let expected = header.slots.sorted { $0.id < $1.id }
    guard slots.map(\.id) == expected.map(\.id), slots.map(\.sha256) == expected.map(\.sha256) else {
      throw damaged("does not contain the slots that its header lists")
    }
  }

  private func require(_ list: BackupList, _ header: VaultHeader) throws(VaultError) {
    guard list.vaultID == header.vaultID, list.rootID == header.root.id, list.headerRevision == header.revision
    else { throw damaged("has a list of another vault, or of another state of this vault") }
  }

  private func damaged(_ reason: String) -> VaultError {
    VaultError(.damaged, reason, file: path, remedies: ["this program did not make it like this: use another backup"])
  }
}

extension VaultError {
  /// The same error for a file in a backup.
  fileprivate func inBackup(_ path: String) -> VaultError {
    var error = self
    if error.file != path { error.file = error.file.map { "\(path): \($0)" } ?? path }
    error.remedies =
      code == .newerFormat ? [.useNewerVersion] : ["use another copy of the backup, or another backup"]
    return error
  }
}

private enum KeptOfFile: Sendable {
  case bytes([UInt8])
  /// For a record, its attachments.
  case names(NamedAttachments?)

  init(_ file: ArchiveFile) {
    self = file.member.isRecord ? .names(NamedAttachments.ifAny(in: file.bytes)) : .bytes(file.bytes)
  }
}

extension ArchiveMember {
  /// Whether it is a record, live or removed.
  var isRecord: Bool { if case .document(let place) = self { place.recordID != nil } else { false } }
}
