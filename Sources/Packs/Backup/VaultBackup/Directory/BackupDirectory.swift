internal import VaultDocument
internal import VaultFileStore
public import VaultKit
internal import VaultStorage
package import VaultSystem

/// A directory of backups with its `backups.json`, for one or more vaults.
public struct BackupDirectory: Sendable {
  /// The path at which the directory was opened.
  public let path: String
  let folder: BackupFolder

  /// Opens an existing directory.
  ///
  /// - Throws: `VaultError` `.ioFailed` if it does not exist or is not a directory, `.permissionDenied`.
  public init(at path: String) throws(VaultError) { try self.init(at: path, operations: LiveFileOperations()) }

  package init(at path: String, operations: any FileOperations) throws(VaultError) {
    self.path = path
    do throws(StoreError) {
      folder = try BackupFolder(at: path, operations: operations)
    } catch {
      throw Self.unreachable(path, error)
    }
  }

  private static func unreachable(_ path: String, _ error: StoreError) -> VaultError {
    var failure = VaultError(store: error)
    guard error.code == .missing || error.code == .notADirectory else { return failure }
    let isMissing = error.code == .missing
    failure = VaultError(.ioFailed, isMissing ? "does not exist" : "is not a folder", file: path, underlying: error)
    failure.remedies = [
      isMissing ? "check the path, and whether its disk is mounted" : "name the folder of the backups"
    ]
    return failure
  }

  /// The path of `backups.json`.
  public var catalogPath: String { folder.path(of: BackupCatalog.fileName) }

  /// The recorded backups; empty without a `backups.json`.
  ///
  /// - Throws: `VaultError` `.damaged`, `.newerFormat`, `.permissionDenied`, `.ioFailed`.
  public func catalog() throws(VaultError) -> BackupCatalog {
    let bytes = try inBackups { () throws(StoreError) in
      try folder.read(BackupCatalog.fileName, limit: JSONLimits.record.byteCount)
    }
    return try bytes.map { bytes throws(VaultError) in
      try BackupCatalog(parsing: bytes, file: catalogPath)
    } ?? BackupCatalog()
  }

  /// Changes the catalog under a lock, durably. If nothing changes, nothing is written.
  ///
  /// - Parameters:
  ///   - timeout: the timeout for another process.
  ///   - onWait: called once, after a second of waiting.
  /// - Throws: `VaultError` `.lockedByOther`, `.damaged`, `.newerFormat`, `.inputRefused`, `.permissionDenied`,
  ///   `.diskFull`, `.ioFailed`; errors of `change`.
  @discardableResult
  public func update<Result>(
    timeout: Duration = .seconds(10), onWait: (Int32?) -> Void = { _ in },
    _ change: (inout BackupCatalog) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    let lock = try lock(timeout: timeout, onWait: onWait)
    let old = try catalog()
    var new = old
    let result = try change(&new)
    if new != old { try save(new, under: lock) }
    return result
  }

  func lock(timeout: Duration, onWait: (Int32?) -> Void) throws(VaultError) -> LockedFile {
    let lock = try inBackups { () throws(StoreError) in try folder.lock(timeout: timeout, onWait: onWait) }
    clearLeftovers()
    return lock
  }

  /// Removes temporary files of killed processes.
  func clearLeftovers() { folder.clearLeftovers { $0 == BackupCatalog.fileName || BackupName(fileName: $0) != nil } }

  func save(_ catalog: BackupCatalog, under lock: borrowing LockedFile) throws(VaultError) {
    let bytes = try catalog.fileBytes()
    try inBackups { () throws(StoreError) in
      try folder.replace(BackupCatalog.fileName, with: bytes, under: lock)
    }
  }

  /// The size and the SHA-256, 32 bytes, of a file here; nil if it does not exist.
  ///
  /// - Throws: `VaultError` `.damaged` if it is not a regular file, `.permissionDenied`, `.ioFailed`.
  public func contentHash(of name: BackupName) throws(VaultError) -> (byteCount: Int, sha256: [UInt8])? {
    let file = name.fileName
    guard let input = try inBackups({ () throws(StoreError) in try folder.input(file) }) else { return nil }
    return try input.contentHash()
  }
}

/// Runs a step in a directory of backups, without the remedies of lower layers, which are about vaults.
func inBackups<Result: ~Copyable>(_ step: () throws(StoreError) -> Result) throws(VaultError) -> Result {
  do {
    return try step()
  } catch {
    var failure = VaultError(store: error)
    switch failure.code {
    case .permissionDenied: failure.remedies = ["check the owner, the mode and the mount of the backup folder"]
    case .damaged: failure.remedies = ["this program did not write it: move it away"]
    default: break
    }
    throw failure
  }
}
