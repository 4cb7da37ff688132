public import VaultCare
public import VaultDocument
internal import VaultFileStore
public import VaultKit
internal import VaultStorage
package import VaultSystem

/// How to restore a vault.
public struct RestoreOptions: Sendable {
  /// Accepts a backup without a list, whose maker and completeness are unknown.
  public var acceptsUnattested = false
  /// Accepts a backup that is older than the remembered state, or than the present vault.
  public var acceptsRollback = false
  /// Accepts a vault other than the one that this machine knows at the path, or another root key. The user must have
  /// compared the fingerprint.
  public var acceptsIdentity = false
  /// The remembered state; nil to compare nothing.
  public var state: KnownVaults?
  /// The timeout for a writer of the present vault.
  public var lockTimeout: Duration = .seconds(10)
  /// Called once after a second of waiting.
  public var onLockWait: @Sendable (Int32?) -> Void = { _ in }
  /// The clock.
  public var now: @Sendable () -> Timestamp = { .now() }
  /// The system calls, for tests.
  package var operations: any FileOperations = LiveFileOperations()

  /// Makes options that accept nothing and remember nothing.
  public init() {}
}

/// A vault that was restored.
public struct RestoredVault: Sendable {
  /// The path of the vault.
  public let path: String
  /// The path of the replaced vault; nil for an empty place.
  public let keptPath: String?
}

/// A vault that is unpacked and verified beside its final place. Unless it is put in place, it is removed with the last
/// reference.
public final class StagedRestore {
  /// The result of verifying its records, slots and checkpoint.
  public let verification: Verification
  /// The damage. A damaged vault is not put in place.
  public var faults: [VaultFault] { verification.faults.filter { !$0.code.isRollback } }
  /// The rollbacks of the restore, and those that happened before the backup, which its own checkpoint shows.
  package let rollbacks: RollbackReport
  let contents: BackupContents
  let staged: StagedVault
  let place: RestorePlace
  let options: RestoreOptions
  /// The path as given.
  let path: String
  /// The present vault, locked until it is replaced.
  let current: (store: DirectoryStore, lock: any StoreLock)?

  init(
    of contents: BackupContents, with vault: Vault, to path: String, _ options: RestoreOptions,
    _ progress: @escaping () -> Void
  ) async throws(VaultError) {
    if !options.acceptsUnattested { try contents.requireAttestation() }
    (self.contents, self.options, self.path) = (contents, options, path)
    place = try inStore { () throws(StoreError) in try RestorePlace(path, operations: options.operations) }
    guard place.occupant != .foreign else { throw .foreignPlace(path) }
    let place = place
    staged = try inStore { () throws(StoreError) in try StagedVault(place.name, in: place.parent) }
    let (verification, found) = try await contents.unpack(into: staged, with: vault, progress)
    self.verification = verification
    current = try await Self.lockCurrent(at: place, options)
    let isDamaged = verification.faults.contains { !$0.code.isRollback }
    rollbacks =
      try isDamaged
      ? RollbackReport()
      : Self.rollbacks(
        of: vault, verification, found: found, current: current?.store, paths: place.knownPaths(given: path),
        options: options)
  }

  deinit {
    staged.discard()
    current?.lock.release()
  }

  /// Locks the present vault against writers; nil if there is no vault that could be written.
  private static func lockCurrent(
    at place: RestorePlace, _ options: RestoreOptions
  ) async throws(VaultError) -> (store: DirectoryStore, lock: any StoreLock)? {
    guard place.occupant == .vault || place.occupant == .shared else { return nil }
    let there = try inStore { () throws(StoreError) in
      try DirectoryStore.ifThere(at: place.path, operations: options.operations)
    }
    guard let store = there else { return nil }
    return (store, try await store.waitForLock(.exclusive, timeout: options.lockTimeout, onWait: options.onLockWait))
  }

  private static func rollbacks(
    of vault: Vault, _ verification: Verification, found: FoundRecords, current: DirectoryStore?, paths: [String],
    options: RestoreOptions
  ) throws(VaultError) -> RollbackReport {
    var rollbacks = RollbackReport(verification)
    if let state = options.state {
      rollbacks.add(
        try vault.rollbacks(
          verification, found, for: paths, in: state, acceptingIdentity: options.acceptsIdentity))
    }
    // Backups exist to replace a vault with an unreadable header.
    if let current, let there = try? LockedVault(store: current) {
      rollbacks.add(
        try there.rollbacks(
          goingBackTo: vault.header, found, acceptingIdentity: options.acceptsIdentity))
    }
    return rollbacks
  }

  /// Puts the vault in place durably. It fills an empty place, or replaces a vault that is kept beside it. If the
  /// folder has other files or cannot be moved, it changes the vault file by file.
  ///
  /// - Throws: `VaultError` `.damaged` with a fault; `.rolledBack` for rollbacks that are not accepted;
  ///   `.alreadyExists`, `.changedUnderneath`, `.diskFull`, `.permissionDenied`, `.ioFailed`.
  public func putInPlace() throws(VaultError) -> RestoredVault {
    if let fault = faults.first { throw VaultError(.damaged, fault.reason, file: fault.file, remedies: []) }
    guard rollbacks.isEmpty || options.acceptsRollback else { throw .older(contents.file) }
    let kept = try put()
    try rememberAnew()
    return RestoredVault(path: place.path, keptPath: kept)
  }

  /// Puts the vault in place. Returns the path of the old vault.
  private func put() throws(VaultError) -> String? {
    try inStore { () throws(StoreError) in try staged.sync() }
    let keptName = try freeKeptName()
    switch place.occupant {
    case .nothing:
      try inStore { () throws(StoreError) in try staged.putInPlace() }
      return nil
    case .vault:
      let isReplaced = try inStore { () throws(StoreError) in try staged.replace(keeping: keptName) }
      return isReplaced ? place.parent.path(of: keptName) : try putInside(keeping: keptName)
    case .shared: return try putInside(keeping: keptName)
    case .foreign: throw .foreignPlace(path)
    }
  }

  /// The new name of the old vault. A second one within a second ends in `-2`.
  private func freeKeptName() throws(VaultError) -> String {
    let name = "\(place.name).before-restore-\(options.now().compactText)"
    let taken = Set(try inStore { () throws(StoreError) in try place.parent.names() })
    guard taken.contains(name) else { return name }
    return (2...).lazy.map { "\(name)-\($0)" }.first { !taken.contains($0) } ?? name
  }

  /// Remembers the accepted state as the expected one.
  private func rememberAnew() throws(VaultError) {
    guard let state = options.state, options.acceptsIdentity || !rollbacks.isEmpty else { return }
    try state.accept(LockedVault(at: path))
  }
}

extension BackupContents {
  /// Unpacks the vault into a hidden directory beside its final place and verifies it with the keys of the vault. The
  /// present vault is not changed.
  ///
  /// - Parameters:
  ///   - vault: the unlocked ``vault``, after ``authenticate(with:)``.
  ///   - path: the final place: free, a vault, or a folder with a vault and other files.
  ///   - progress: called after each record.
  /// - Throws: `VaultError` `.inputRefused` for a backup without a list, unless that is accepted; `.unexpectedVault` if
  ///   another vault or root key is known; `.alreadyExists` for a place with other files; `.lockedByOther`,
  ///   `.changedUnderneath`, `.diskFull`, `.permissionDenied`, `.ioFailed`.
  public func stage(
    with vault: Vault, for path: String, options: RestoreOptions, progress: @escaping () -> Void = {}
  ) async throws(VaultError) -> StagedRestore {
    try await StagedRestore(of: self, with: vault, to: path, options, progress)
  }

  /// Verifies on all cores, while verified files are written.
  fileprivate func unpack(
    into staged: StagedVault, with vault: Vault, _ progress: () -> Void
  ) async throws(VaultError) -> (verification: Verification, found: FoundRecords) {
    var verification = StreamedVerification()
    try await forEachFile(
      making: { file throws(VaultError) in UnpackedFile(file, with: vault) },
      take: { unpacked throws(VaultError) in
        let bytes = unpacked.file.bytes
        switch unpacked.file.member {
        case .document(let place):
          if let outcome = unpacked.outcome {
            try verification.take(outcome, at: place)
            progress()
          }
          try inStore { () throws(StoreError) in try staged.write(bytes, to: place) }
        case .gitFile(let name): try inStore { () throws(StoreError) in try staged.writeGitFile(bytes, to: name) }
        case .list: break
        }
      },
      piece: { piece throws(VaultError) in
        guard case .document(let place) = piece.member else { return }
        try inStore { () throws(StoreError) in try staged.append(piece.bytes, to: place, isLast: piece.isLast) }
      })
    return try verification.finish(vault, VerificationScope())
  }
}

/// A file of a backup, with the result of its verification if it is a record.
private struct UnpackedFile: Sendable {
  let file: ArchiveFile
  let outcome: Result<RecordVersion, VaultError>?

  init(_ file: ArchiveFile, with vault: Vault) {
    self.file = file
    guard case .document(let place) = file.member, place.recordID != nil else {
      outcome = nil
      return
    }
    outcome = Result { () throws(VaultError) in try vault.checkedVersion(file.bytes, at: place) }
  }
}

extension BackupContents {
  /// Refuses a backup without a list.
  ///
  /// - Throws: `VaultError` `.inputRefused`.
  public func requireAttestation() throws(VaultError) {
    guard !isAttested else { return }
    throw VaultError(
      .inputRefused, "has no list of its files: nobody can tell whether it is complete, or who made it",
      file: file.path,
      remedies: [.restoreUnattested])
  }
}

extension VaultError {
  fileprivate static func older(_ file: BackupFile) -> VaultError {
    VaultError(.rolledBack, "is older than the known state of its vault", file: file.path, remedies: [.restoreOlder])
  }

  fileprivate static func foreignPlace(_ path: String) -> VaultError {
    VaultError(
      .alreadyExists, "already exists, and is not a vault", file: path,
      remedies: ["name a folder that does not exist yet"]
    )
  }
}
