internal import VaultCrypto
internal import VaultDocument
public import VaultRecords
internal import VaultSealing
public import VaultStorage
internal import VaultTrust

/// A vault without a key: readable fields, ids and times, none of them verified.
public struct LockedVault: Sendable {
  package let store: any RecordStore
  /// The header; not verified until the vault is unlocked.
  public let header: VaultHeader
  package let headerBytes: [UInt8]
  /// The known kinds: those of types, and those that the header declares.
  public let kinds: KindCatalog
  /// The place for an index of the records; nil reads the files.
  let indexOptions: IndexOptions?

  /// The vault in a folder. ``VaultPlace`` also takes the address of a database.
  ///
  /// - Parameter types: the caller's own kinds.
  /// - Throws: ``VaultError`` `.notAVault`, `.damaged`, `.newerFormat`, `.permissionDenied`, `.ioFailed`; `.usage` for
  ///   the address of a database; `.inputRefused` for a type whose records could not be read, or two of one kind name.
  public init(at place: String, types: [any VaultRecord.Type] = []) throws(VaultError) {
    try self.init(at: VaultPlace(place), types: types)
  }

  /// The vault at a place.
  ///
  /// - Throws: ``VaultError`` like ``init(at:types:)``.
  public init(at place: VaultPlace, types: [any VaultRecord.Type] = []) throws(VaultError) {
    guard place.folder?.isEmpty != true else { throw VaultError(.notAVault, "the path of the vault is empty") }
    try self.init(store: inStore { () throws(StoreError) in try place.store() }, types: types)
  }

  /// The vault in a store.
  ///
  /// - Throws: ``VaultError`` like ``init(at:types:)``.
  public init(store: any RecordStore, types: [any VaultRecord.Type] = []) throws(VaultError) {
    self.store = store
    headerBytes = try Self.readHeader(store)
    header = try VaultHeader(parsing: headerBytes)
    kinds = KindCatalog(types: types, declared: header.declaredKinds)
    indexOptions = nil
    try kinds.requireGoodTypes()
  }

  /// The same vault, reading its files through another view, and without an index.
  package init(_ vault: LockedVault, reading store: any RecordStore) {
    self.store = store
    header = vault.header
    headerBytes = vault.headerBytes
    kinds = vault.kinds
    indexOptions = nil
  }

  /// The same vault, with or without an index.
  init(_ vault: LockedVault, index: IndexOptions?) {
    store = vault.store
    header = vault.header
    headerBytes = vault.headerBytes
    kinds = vault.kinds
    indexOptions = index
  }

  /// The same vault, with further kinds.
  init(_ vault: LockedVault, adding types: [any VaultRecord.Type]) {
    store = vault.store
    header = vault.header
    headerBytes = vault.headerBytes
    kinds = vault.kinds.adding(types)
    indexOptions = vault.indexOptions
  }

  /// Unlocks it.
  ///
  /// The memory of this machine is compared twice. Before a key is used, it must be this vault under this root key;
  /// after the header verified, it must not be an older state. So a wrong vault is reported first, then damage, then a
  /// rollback.
  ///
  /// The vault that it gives may have a newer header than this one. On a server, the call may wait for a replica.
  ///
  /// - Throws: ``VaultError`` `.noMatchingSlot`, `.wrongPassphrase`, `.damaged`, `.ioFailed`, `.permissionDenied`,
  ///   `.inputRefused` for a type of the options, `.memoryUnavailable`, `.changedUnderneath` if the vault got another
  ///   root key since its header was read; with `options.state` also `.unexpectedVault`, `.rolledBack`, `.forked`,
  ///   `.damagedState`.
  public func unlock(with key: VaultKey, options: Vault.Options = .init()) async throws(VaultError) -> Vault {
    let start = ContinuousClock.now
    do throws(VaultError) {
      let vault = try unlockedEvenIfChanged(with: key, options)
      options.tell(.opened, of: header.vaultID, slots: [vault.slot.id], took: start.duration(to: .now))
      return vault
    } catch {
      options.tell(error, of: header.vaultID)
      throw error
    }
  }

  /// Unlocks. If an error may come from an outdated header, the header is read again, and the call repeats itself
  /// while it is newer.
  private func unlockedEvenIfChanged(
    with key: VaultKey, _ options: Vault.Options
  ) throws(VaultError) -> Vault {
    do throws(VaultError) {
      return try unlocked(with: key, options)
    } catch {
      // Another process may have written the header and its pin, or replaced a slot, since the header was read. It is
      // read once more then (format 1, section 9, Reading).
      guard error.isAboutPin || error.code == .damaged, let newer = try newer(than: error) else { throw error }
      guard error.isAboutPin || newer.header.root.id == header.root.id else {
        throw VaultError(
          .changedUnderneath, "the vault's keys have changed while it was being read", file: VaultHeader.fileName)
      }
      var options = options
      options.known = nil
      return try newer.unlockedEvenIfChanged(with: key, options)
    }
  }

  /// Unlocks with the header that was read. The memory is written last, so any earlier error leaves it unchanged.
  private func unlocked(with key: VaultKey, _ options: Vault.Options) throws(VaultError) -> Vault {
    try kinds.adding(options.types).requireGoodTypes()
    let memory = RollbackMemory(of: self, options)
    let known = try memory?.requireIdentity(header)
    let (root, slot) = try Unlocking(store: store, header: header).unlock(with: key)
    try memory?.remember(header, known)
    let passphrase: SecretBytes? =
      if options.keepsPassphrase, case .passphrase(let passphrase, _) = key { passphrase } else { nil }
    return Vault(locked: self, root: root, slot: slot, passphrase: passphrase, memory: memory, options: options)
  }

  /// The fingerprint for people to compare whether two folders are the same vault: 40 hex digits of 20 bytes.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  public func fingerprint() throws(VaultError) -> String { try header.fingerprint() }

  package func readHeader() throws(VaultError) -> [UInt8] { try Self.readHeader(store) }

  private static func readHeader(_ store: any RecordStore) throws(VaultError) -> [UInt8] {
    guard let bytes = try inStore({ () throws(StoreError) in try store.read(.header) }) else {
      throw VaultError(.notAVault, "does not exist: this is not a vault", file: VaultHeader.fileName)
    }
    return bytes
  }
}

extension KindCatalog {
  /// Refuses types whose records could not be read again, and two types with one name.
  func requireGoodTypes() throws(VaultError) {
    do throws(RecordError) { try checkTypes() } catch { throw VaultError(record: error, id: nil, input: true) }
  }
}

extension LockedVault {
  /// The place by which other processes know the vault as well; nil if it is not in a folder or database, or was moved
  /// away.
  package var knownPlace: String? { store.knownPaths.last }
}
