public import VaultAge
internal import VaultCare
internal import VaultCrypto
public import VaultDocument
internal import VaultFileStore
public import VaultKit
internal import VaultStorage
internal import VaultSystem

/// Backups of a vault. ``Backup/create(of:in:stem:options:progress:)`` makes one age file for each.
///
/// A backup is an archive of the whole vault at one moment, sealed with keys that may differ from the vault's. A backup
/// of an open vault is *attested*: it has a list of its files that only a holder of the vault's key can make.
public enum Backup {
  /// The vault to back up.
  public enum Source: Sendable {
    /// An open vault. The backup is attested.
    case unlocked(Vault)
    /// A vault without a key. Anybody who knows the recipient could have made such a backup.
    case locked(LockedVault)
  }

  /// The options of a new backup.
  public struct Options: Sendable {
    /// The key that opens the backup.
    public var key: BackupKey
    /// The keys that open the new backup, to compare it with the vault before it gets its name; empty for no proof.
    public var proof: [AgeCredential] = []
    /// A label from the user, recorded beside the backup; at most ``BackupCatalog/labelByteLimit`` bytes.
    public var label: String?
    /// The timeout for another writer. An open vault has a timeout of its own.
    public var lockTimeout: Duration = .seconds(10)
    /// Called once after a second of waiting. An open vault has a callback of its own.
    public var onLockWait: @Sendable (Int32?) -> Void = { _ in }
    /// The clock.
    public var now: @Sendable () -> Timestamp = { .now() }

    /// Makes options with this key, and defaults for everything else.
    public init(key: BackupKey) { self.key = key }
  }
}

/// A backup that was made.
public struct CreatedBackup: Sendable {
  /// The file name, which begins with its time and vault.
  public let name: BackupName
  /// The label from the user.
  public let label: String?
  /// The size in bytes.
  public let byteCount: Int
  /// SHA-256 of the file, 32 bytes.
  public let sha256: [UInt8]
  /// The time of the backup.
  public let createdAt: Timestamp
  /// The id of the vault.
  public let vaultID: VaultID
  /// The number of records, live and removed.
  public let recordCount: Int
  /// The number of attachment files.
  public let attachmentCount: Int
  /// Whether there is a list that only a holder of the vault's key can make.
  public let isAttested: Bool
  /// When the backup was opened again and compared with the vault; nil without a proof.
  public let provenAt: Timestamp?
  /// The newest backup of the vault in the directory, if its time is more than five minutes later than this one's. Then
  /// the clock is wrong now, or was wrong before.
  public let fromTheFuture: BackupName?
}

/// A finished backup that waits for output.
package final class SpooledBackup {
  private let file: AtomicFile<StoreError>
  /// SHA-256 of the file, 32 bytes.
  package let sha256: [UInt8]
  package let createdAt: Timestamp
  package let vaultID: VaultID
  /// The number of records, live and removed.
  package let recordCount: Int
  package let attachmentCount: Int
  /// Whether there is a list that only a holder of the vault's key can make.
  package let isAttested: Bool
  /// When the backup was opened again and compared with the vault; nil without a proof.
  package let provenAt: Timestamp?

  package var byteCount: Int { file.byteCount }

  init(
    file: AtomicFile<StoreError>, sha256: [UInt8], createdAt: Timestamp, vaultID: VaultID, recordCount: Int,
    attachmentCount: Int, isAttested: Bool, provenAt: Timestamp?
  ) {
    (self.file, self.sha256, self.createdAt, self.vaultID) = (file, sha256, createdAt, vaultID)
    (self.recordCount, self.attachmentCount) = (recordCount, attachmentCount)
    (self.isAttested, self.provenAt) = (isAttested, provenAt)
  }

  package func forEachPiece(_ body: ([UInt8]) throws -> Void) throws {
    var offset = 0
    while true {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = try inStore { () throws(StoreError) in try file.read(from: offset, into: &buffer) }
      guard count > 0 else { return }
      try body(Array(buffer.prefix(count)))
      offset += count
    }
  }
}

extension Backup {
  /// Backs a vault up into a new file `STEM-TIME.cvault.age` of a directory, and records it there. The file appears
  /// atomically and durably.
  ///
  /// Writers wait while records are read, but not while attachments are read. The sealed bytes go to a hidden file
  /// beside the final one. Writers may continue while that file is synced and proven. If a writer removes an attachment
  /// meanwhile, the backup starts again and keeps writers waiting to its end.
  ///
  /// - Parameters:
  ///   - stem: the beginning of the name; see ``BackupName/stem``.
  ///   - progress: called after each record. If the backup starts again, records are counted again.
  /// - Throws: `VaultError` `.inputRefused` for the stem, the key or a directory in the vault; `.permissionDenied` for
  ///   a directory that others can write to; `.alreadyExists` if the clock stands still; `.damaged`,
  ///   `.changedUnderneath`, `.lockedByOther` for the vault; `.noMatchingSlot` for a proof; `.diskFull`, `.ioFailed`.
  ///   If the backup was made but not recorded, the error says so.
  public static func create(
    of source: Source, in directory: BackupDirectory, stem: String, options: Options,
    progress: @escaping () -> Void = {}
  ) async throws(VaultError) -> CreatedBackup {
    let target = BackupTarget(directory: directory)
    try target.check(source.locked.store)
    directory.clearLeftovers()
    // A name has whole seconds. Another process with the same name is noticed only at the end. Then the backup starts
    // again with another time.
    for attempt in 0..<10 {
      let free = try await target.freeTime(for: stem, of: source.vaultID, options.now)
      if let made = try await create(
        of: source, in: target, stem: stem, at: free, options, holdingWriters: attempt > 0, progress)
      {
        return made
      }
    }
    throw VaultError(
      .alreadyExists, "other processes keep making backups of this name", file: directory.path,
      remedies: ["try again later"])
  }

  /// Makes the backup of one moment; nil if another backup took its name, or a writer removed an attachment.
  private static func create(
    of source: Source, in target: BackupTarget, stem: String, at free: (time: Timestamp, ahead: BackupName?),
    _ options: Options, holdingWriters: Bool, _ progress: @escaping () -> Void
  ) async throws(VaultError) -> CreatedBackup? {
    let time = free.time
    let name = try BackupName(backupStem: stem, time: time)
    let folder = target.directory.folder
    let output = try BackupOutput(inStore { () throws(StoreError) in try folder.newFile(name.fileName) })
    defer { output.file.discard() }
    guard
      let written = try await fill(
        output, from: source, at: time, options: options, holdingWriters: holdingWriters, progress: progress)
    else { return nil }
    let byteCount = output.file.byteCount
    do throws(StoreError) {
      try output.file.publish(as: name.fileName, replacing: false)
    } catch {
      if error.code == .alreadyExists { return nil }
      throw VaultError(store: error)
    }
    let made = CreatedBackup(
      name: name, label: options.label, byteCount: byteCount, sha256: written.hash, createdAt: time,
      vaultID: source.vaultID, recordCount: written.files.recordCount,
      attachmentCount: written.files.count(of: .attachment), isAttested: source.isUnlocked, provenAt: written.provenAt,
      fromTheFuture: free.ahead)
    try target.record(made)
    return made
  }

  /// Backs a vault up for a stream, such as standard output. The backup is first written to an unnamed file in
  /// `directory`, so that a slow reader keeps no writer waiting.
  package static func spool(
    of source: Source, in directory: String, options: Options, progress: @escaping () -> Void = {}
  ) async throws(VaultError) -> SpooledBackup {
    for holdingWriters in [false, true] {
      let file = try inStore { () throws(StoreError) in try AtomicFile<StoreError>.nameless(in: directory) }
      let made = try await spool(into: file, of: source, options, holdingWriters: holdingWriters, progress)
      if let made { return made }
    }
    throw VaultError(
      .changedUnderneath, "some files were removed while they were read", file: "attachments",
      remedies: ["another program is changing the vault's folder: wait until it ends, and try again"])
  }

  private static func spool(
    into file: AtomicFile<StoreError>, of source: Source, _ options: Options, holdingWriters: Bool,
    _ progress: @escaping () -> Void
  ) async throws(VaultError) -> SpooledBackup? {
    let (output, time) = (try BackupOutput(file), options.now())
    guard
      let written = try await fill(
        output, from: source, at: time, options: options, holdingWriters: holdingWriters, progress: progress)
    else { return nil }
    return SpooledBackup(
      file: file, sha256: written.hash, createdAt: time, vaultID: source.vaultID,
      recordCount: written.files.recordCount, attachmentCount: written.files.count(of: .attachment),
      isAttested: source.isUnlocked, provenAt: written.provenAt)
  }

  /// Writes the age file durably, and proves it; nil if a writer removed an attachment.
  private static func fill(
    _ output: BackupOutput, from source: Source, at time: Timestamp, options: Options, holdingWriters: Bool,
    progress: @escaping () -> Void
  ) async throws(VaultError) -> (files: FileSummary, hash: [UInt8], provenAt: Timestamp?)? {
    let archive = try ArchiveWriter(to: options.key, time: time) { bytes in try output.write(bytes) }
    guard
      let files = try await write(
        source, to: archive, at: time, options: options, holdingWriters: holdingWriters, progress: progress)
    else {
      return nil
    }
    try output.sync()
    return (files, try output.hash(), try await prove(output.file, written: files, options: options))
  }

  /// Writes the age file of a backup, and returns the summary of its files; nil if a writer removed an attachment.
  private static func write(
    _ source: Source, to archive: ArchiveWriter, at time: Timestamp, options: Options, holdingWriters: Bool,
    progress: @escaping () -> Void
  ) async throws(VaultError) -> FileSummary? {
    let (rest, list) = try await source.withSnapshot(options) { vault throws(VaultError) in
      try vault.requireUsable(with: source.unlocked)
      let rollbacks = source.unlocked.flatMap { SnapshotRollbacks(of: $0) }
      let rest = try await Snapshot(vault: vault, archive: archive, rollbacks: rollbacks, progress: progress).write()
      if holdingWriters { try rest.write(from: vault.store) }
      // The list has the header of this moment. It is finished later, when writers need not wait.
      let list = source.listKey.map { (members: BackupList.members(of: vault.header, createdAt: time), key: $0) }
      return (rest, list)
    }
    guard !holdingWriters else { return try archive.finish(list) }
    do throws(VaultError) {
      try rest.write(from: source.locked.store)
    } catch {
      // If the attachment is damaged rather than removed, the next attempt finds it again while writers wait.
      guard error.code == .damaged || error.code == .changedUnderneath else { throw error }
      return nil
    }
    return try archive.finish(list)
  }

  /// Opens the new file and compares each member with the vault.
  private static func prove(
    _ file: AtomicFile<StoreError>, written: FileSummary, options: Options
  ) async throws(VaultError) -> Timestamp? {
    guard !options.proof.isEmpty else { return nil }
    var offset = 0
    let age = try inAge(file: file.path) { () throws(AgeError) in
      try AgeReader(with: options.proof) { span in
        let count = try span.fill { buffer throws(StoreError) in try file.read(from: offset, into: &buffer) }
        offset += count
        return count
      }
    }
    let found = try FileTally()
    try await ArchiveReader(age, path: file.path).readAll(
      making: { _ in () }, take: { file, _ throws(VaultError) in try found.take(file) })
    guard try found.finish() == written else {
      throw VaultError(.ioFailed, "does not read back as it was written, and was removed", file: file.path)
    }
    return options.now()
  }
}

extension FileSummary {
  fileprivate var recordCount: Int { count(of: .record) + count(of: .trash) }
}

extension Backup.Source {
  var isUnlocked: Bool { unlocked != nil }

  fileprivate var unlocked: Vault? { if case .unlocked(let vault) = self { vault } else { nil } }

  /// The key that authenticates the list; nil without a key of the vault.
  fileprivate var listKey: BackupListKey? { unlocked?.backupListKey }

  fileprivate var locked: LockedVault {
    switch self {
    case .unlocked(let vault): vault.locked
    case .locked(let vault): vault
    }
  }

  fileprivate var vaultID: VaultID { locked.header.vaultID }

  fileprivate func withSnapshot<Result>(
    _ options: Backup.Options, _ body: (LockedVault) async throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    switch self {
    case .unlocked(let vault): try await vault.withSnapshot(body)
    case .locked(let vault):
      try await vault.withSnapshot(lockTimeout: options.lockTimeout, onLockWait: options.onLockWait, body)
    }
  }
}
