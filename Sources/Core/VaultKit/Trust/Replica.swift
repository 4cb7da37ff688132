internal import VaultDocument
internal import VaultStorage
internal import VaultTrust

// What a machine has seen of a vault may not have arrived at a replica of its database. That is no rollback: a reader
// waits for the replica, and says so if it stays behind. A replica that has everything and is older was rolled back.

extension LockedVault {
  /// Whether the vault is read from a server that only follows another.
  package var isReplica: Bool { remoteStore?.catchUp(until: { true }) != nil }

  private var remoteStore: (any RemoteStore)? { store as? any RemoteStore }

  /// What to do about an older state: git has no part in a database.
  package func fitting(_ remedies: [Remedy]) -> [Remedy] {
    guard remoteStore != nil else { return remedies }
    return remedies.map { $0 == .leaveBranch ? .askAboutDatabase : $0 }
  }

  /// Waits for a replica on which something is older than this machine has seen.
  ///
  /// - Parameters:
  ///   - error: what is told of it if it is a rollback.
  ///   - isNewer: whether something newer has come.
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

  /// What is told of something that is older than was seen, and was waited for already.
  package func setback(_ error: VaultError) -> VaultError {
    do throws(VaultError) {
      try waitForReplica(error) { false }
    } catch {
      return error
    }
    return error
  }

  /// The vault with a header that was written since it was read here; nil for none. A replica that is behind is waited
  /// for.
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
  /// A replica that does not have what this machine has seen.
  static func replicaIsBehind(file: String?, _ record: RecordID? = nil) -> VaultError {
    VaultError(
      .ioFailed, replicaReason, file: file, record: record,
      remedies: [replicaRemedy])
  }

  private static let replicaRemedy: Remedy = """
    wait until the replica has caught up, or ask the server that takes changes: an address that names all servers finds \
    it by target_session_attrs=read-write
    """

  static let replicaReason = "is older here than this machine has seen: the server is a replica that has not caught up"
}

extension Vault {
  /// What to do about faults of this vault.
  package func remedies(for faults: [VaultFault]) throws(VaultError) -> [Remedy] {
    locked.fitting(faults.remedies(fingerprint: try header.fingerprint()))
  }

  /// Faults of what is older than was seen, for a vault that may be a replica's: of one that is behind nobody can say
  /// more than that it could not be read.
  package func asToldOfReplica(_ faults: [VaultFault]) -> [VaultFault] {
    let store = (present ?? self).locked.store as? any RemoteStore
    guard case .behind? = store?.catchUp(until: { false }) else { return faults }
    return faults.map { VaultFault(.unreadable, VaultError.replicaReason, file: $0.file, record: $0.record) }
  }
}
