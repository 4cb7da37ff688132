internal import VaultDocument
internal import VaultFileStore
package import VaultStorage
internal import VaultTrust

// Changes that a machine has seen may not have arrived at a replica of the vault's database. That is not a rollback: a
// reader waits for the replica, and reports it if it stays behind. A replica that has everything and is older was
// rolled back.

extension LockedVault {
  /// Whether the vault is read from a server that only follows another.
  package var isReplica: Bool { remoteStore?.catchUp(until: { true }) != nil }

  private var remoteStore: (any RemoteStore)? { store as? any RemoteStore }

  /// The remedies for an older state, without git for a database.
  ///
  /// - Parameter places: where the later state is missing.
  package func fitting(_ remedies: [Remedy], at places: [StoreLocation] = [.header]) -> [Remedy] {
    guard remoteStore == nil else { return remedies.map { $0 == .leaveBranch ? .askAboutDatabase : $0 } }
    guard let directory = store as? DirectoryStore, remedies.contains(.leaveBranch) else { return remedies }
    var fitting = remedies
    if let copies = try? directory.conflictCopies(of: places), !copies.isEmpty, !fitting.contains(.mergeCopies) {
      fitting.insert(.mergeCopies, at: 0)
    }
    guard !directory.isInGitWorkTree else { return fitting }
    if fitting.contains(.mergeCopies) { return fitting.filter { $0 != .leaveBranch } }
    return fitting.map { $0 == .leaveBranch ? .awaitSync : $0 }
  }

  /// Waits for a replica on which a state is older than this machine has seen. It returns only if a newer state has
  /// come. Otherwise it throws `error`, or that the replica is behind; for other stores it throws at once.
  ///
  /// - Parameters:
  ///   - error: the error if it is a rollback.
  ///   - isNewer: whether a newer state has come.
  func waitForReplica(_ error: VaultError, until isNewer: () -> Bool) throws(VaultError) {
    switch remoteStore?.catchUp(until: isNewer) {
    case .newer: return
    case .behind: throw .replicaIsBehind(file: error.file, error.record)
    case .caughtUp, nil:
      var error = error
      error.remedies = fitting(error.remedies)
      throw error
    }
  }

  /// The error for a state that is older than seen, after waiting.
  package func setback(_ error: VaultError) -> VaultError {
    do throws(VaultError) {
      try waitForReplica(error) { false }
    } catch {
      return error
    }
    return error
  }

  /// The vault with a newer header; nil if there is no newer one. On a server, after an error about the memory, it
  /// waits for a replica, and throws if nothing newer comes.
  func newer(than error: VaultError) throws(VaultError) -> LockedVault? {
    if let newer = try reread() { return newer }
    guard error.isAboutPin, remoteStore != nil else { return nil }
    var newer: LockedVault?
    try waitForReplica(error) {
      newer = (try? reread()) ?? nil
      return newer != nil
    }
    return newer
  }
}

extension VaultError {
  /// The error for a replica that lacks a state that this machine has seen.
  static func replicaIsBehind(file: String?, _ record: RecordID? = nil) -> VaultError {
    VaultError(
      .ioFailed, replicaReason, file: file, record: record,
      remedies: [replicaRemedy])
  }

  private static let replicaRemedy: Remedy = """
    wait until the replica has caught up, or use the server that accepts changes: name all servers in the address
    """

  static let replicaReason =
    "is older than this machine has seen: the server is a replica that has not caught up"
}

extension Vault {
  package func remedies(for faults: [VaultFault]) throws(VaultError) -> [Remedy] {
    locked.fitting(faults.remedies(fingerprint: try header.fingerprint()))
  }

  /// The faults of older states in a vault that may be on a replica. If the replica is behind, they only say that the
  /// state could not be read.
  package func asToldOfReplica(_ faults: [VaultFault]) -> [VaultFault] {
    let store = (present ?? self).locked.store as? any RemoteStore
    guard case .behind? = store?.catchUp(until: { false }) else { return faults }
    return faults.map { VaultFault(.unreadable, VaultError.replicaReason, file: $0.file, record: $0.record) }
  }
}
