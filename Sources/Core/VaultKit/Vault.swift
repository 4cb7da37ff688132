internal import Synchronization
package import VaultCrypto
public import VaultDocument
public import VaultRecords
package import VaultSealing
public import VaultStorage
internal import VaultTrust

/// An unlocked vault: a store of records, and the keys to read and write them.
///
/// A vault may be used from several tasks at once. Keys live in the secure heap and are wiped with the last reference.
public final class Vault: Sendable {
  /// The behaviour of a vault; the defaults are right for most programs.
  public struct Options: Sendable {
    /// How long a writer waits for others. If several wait in one vault, the time runs from when the last of them got
    /// its turn.
    public var lockTimeout: Duration = .seconds(10)
    /// Called once after a writer has waited for a second, with the process that holds the lock if known.
    public var onLockWait: @Sendable (Int32?) -> Void = { _ in }
    /// Whether the unlocking passphrase is kept, in the secure heap, so that ``Vault/rotate(_:slots:progress:)`` can
    /// make its slot again without asking.
    public var keepsPassphrase = false
    /// The memory of vaults and their states on this machine: older states are refused. The default is the user's
    /// memory, which the command `vault` also uses. With nil, as for tests, nothing is remembered or compared.
    public var state: KnownVaults?
    /// Whether a person has named this vault, rather than that it was found by searching. This is remembered.
    public var isNamed = true
    /// The memory that was already read and compared before a key was requested.
    package var known: KnownVault?
    /// Asked before a state is reported that is earlier than one that was seen.
    package var otherStates: OtherStates?
    /// Called with news about the memory.
    public var onStateNote: @Sendable (StateNote) -> Void = { _ in }
    /// Receives the vault's events; nil for none.
    public var observer: VaultObserver?
    /// The one clock: creation, change and sealing times.
    public var now: @Sendable () -> Timestamp = { .now() }
    /// The caller's own kinds, in addition to those of this program and of the vault. They must include all types whose
    /// records are stored or listed by name.
    public var types: [any VaultRecord.Type] = []
    /// How many former values of one field the records of a new vault keep, from 0 to 20. An existing vault keeps its
    /// own number.
    public var formerValues = FormerValues.defaultCount

    /// Options without an observer, waiting ten seconds for other writers.
    ///
    /// - Parameter state: the memory of seen states; nil for none.
    public init(state: KnownVaults? = .ofUser) { self.state = state }
  }

  /// The header as it was last read, with its keys and kinds.
  struct Session: Sendable {
    var headerBytes: [UInt8]
    var header: VaultHeader
    var keyring: Keyring
    var kinds: KindCatalog
  }

  /// The same vault without its keys.
  public let locked: LockedVault
  /// The slot that unlocked it, as it was then.
  public let slot: Slot
  package let passphrase: SecretBytes?
  package let options: Options
  /// The memory of the vault on this machine; nil if nothing is remembered.
  package let memory: RollbackMemory?
  private let session: Mutex<Session>
  private let locks: LockQueue
  package let additions = SingleAdditions()
  /// The present vault, if this value shows only one moment of it.
  package let present: Vault?

  package var store: any RecordStore { locked.store }

  /// The header as it was last read; its MAC is verified.
  public var header: VaultHeader { session.withLock { $0.header } }

  package var keyring: Keyring { session.withLock { $0.keyring } }

  /// The known kinds: those of types, and those that the verified header declares.
  public var kinds: KindCatalog { session.withLock { $0.kinds } }

  /// The caller has authenticated the header of `locked` under `root`, and compared it with the memory.
  init(
    locked: LockedVault, root: RootKey, slot: Slot, passphrase: SecretBytes? = nil, memory: RollbackMemory?,
    options: Options
  ) {
    self.locked = LockedVault(locked, adding: options.types)
    self.slot = slot
    self.passphrase = passphrase
    self.memory = memory
    self.options = options
    present = nil
    locks = LockQueue.queue(for: locked.store, timeout: options.lockTimeout)
    session = Mutex(
      Session(
        headerBytes: locked.headerBytes, header: locked.header,
        keyring: Keyring(current: root, entries: locked.header.keyring), kinds: self.locked.kinds))
  }

  /// A view of a vault at one moment.
  private init(_ vault: Vault, reading view: any RecordStore) {
    locked = LockedVault(vault.locked, reading: view)
    (slot, passphrase, options, memory) = (vault.slot, vault.passphrase, vault.options, vault.memory)
    (present, locks) = (vault, LockQueue())
    session = Mutex(vault.session.withLock { $0 })
  }

  /// Makes a new vault in a folder and unlocks it. ``VaultPlace`` also takes the address of a database.
  ///
  /// - Parameter slots: at least one way to unlock it.
  /// - Throws: ``VaultError`` `.alreadyExists`, `.slotRefused`, `.diskFull`, `.permissionDenied`, `.ioFailed`; `.usage`
  ///   for the address of a database.
  public static func create(
    at place: String, slots: [NewSlot], options: Options = Options()
  ) async throws(VaultError) -> Vault {
    try await create(at: VaultPlace(place), slots: slots, options: options)
  }

  /// Makes a new vault at a place and unlocks it.
  ///
  /// - Parameter makingTables: whether a database gets the tables that it lacks.
  /// - Throws: ``VaultError`` as ``create(at:slots:options:)``; `.notAVault` for a database without the tables;
  ///   `.inputRefused` for a folder with the files of a vault whose `vault.json` is gone: no new root key would open
  ///   them.
  public static func create(
    at place: VaultPlace, makingTables: Bool = false, slots: [NewSlot], options: Options = Options()
  ) async throws(VaultError) -> Vault {
    if let folder = place.folder, let remains = VaultPlace.remains(ofVaultAt: folder) {
      throw VaultError(
        .inputRefused, "has files of a vault whose \(VaultHeader.fileName) is missing", file: remains,
        remedies: ["restore that file from git or a backup"])
    }
    // Nothing is stored if a slot cannot be made, such as by a plugin that refuses.
    let groundwork = try Groundwork(slots, options)
    let store = try inStore { () throws(StoreError) in try place.createStore(makingTables: makingTables) }
    return try create(in: store, groundwork, options)
  }

  /// Makes a new vault in an empty store.
  ///
  /// - Throws: ``VaultError`` like ``create(at:slots:options:)``.
  public static func create(
    in store: any RecordStore, slots: [NewSlot], options: Options = Options()
  ) async throws(VaultError) -> Vault {
    try create(in: store, Groundwork(slots, options), options)
  }

  /// The key, the header and the slots of a new vault, before anything of it is stored.
  private struct Groundwork {
    let root: RootKey
    let header: VaultHeader
    let changes: [StoreChange]

    init(_ newSlots: [NewSlot], _ options: Options) throws(VaultError) {
      guard !newSlots.isEmpty else { throw VaultError(.slotRefused, "a vault needs at least one way to unlock it") }
      try KindCatalog(types: options.types).requireGoodTypes()
      try options.requireGoodCount()
      let now = options.now()
      root = try inSealing { () throws(SealingError) in try RootKey.random(vaultID: .random()) }
      var slots: [Slot] = []
      var changes: [StoreChange] = []
      for new in newSlots {
        let (slot, file) = try SlotFile.make(new, root: root, now: now)
        slots.append(slot)
        changes.append(StoreChange(.slot(slot.id), from: nil, to: file))
      }
      header = try VaultHeader.make(
        vaultID: root.vaultID, createdAt: now, revision: 1, root: root, rootCreatedAt: now, slots: slots,
        formerCount: options.formerValues, deposit: .make(under: root, like: slots, now: now))
      self.changes = changes + [StoreChange(.header, from: nil, to: try header.fileBytes())]
    }
  }

  private static func create(
    in store: any RecordStore, _ new: Groundwork, _ options: Options
  ) throws(VaultError) -> Vault {
    let (header, slot) = (new.header, new.header.slots[0])
    var made: Vault?
    try storing(
      { () throws(StoreError) in
        do throws(StoreError) {
          try store.apply(new.changes, timeout: options.lockTimeout)
        } catch {
          guard error.code == .changedUnderneath else { throw error }
          throw StoreError(.alreadyExists, reason: "a vault already exists here", path: VaultHeader.fileName)
        }
      },
      note: { () throws(VaultError) in
        let locked = try LockedVault(store: store)
        let memory = RollbackMemory(of: locked, options)
        try memory?.remember(header, isOwn: true)
        options.tell(.created, of: header.vaultID, slots: [slot.id])
        made = Vault(locked: locked, root: new.root, slot: slot, memory: memory, options: options)
      })
    guard let made else { preconditionFailure("what was stored was noted") }
    return made
  }

  /// Unlocks the vault in a folder. ``VaultPlace`` also takes the address of a database.
  ///
  /// - Throws: ``VaultError`` `.notAVault`, `.noMatchingSlot`, `.wrongPassphrase`, `.damaged`, `.newerFormat`,
  ///   `.permissionDenied`, `.usage` for the address of a database, and `.ioFailed` if there is no such
  ///   directory; with ``Options/state`` also `.unexpectedVault`, `.rolledBack`, `.forked`, `.damagedState`.
  public static func open(
    at place: String, unlockingWith key: VaultKey, options: Options = Options()
  ) async throws(VaultError) -> Vault {
    try await open(at: VaultPlace(place), unlockingWith: key, options: options)
  }

  /// Unlocks the vault at a place.
  ///
  /// - Throws: ``VaultError`` like ``open(at:unlockingWith:options:)``.
  public static func open(
    at place: VaultPlace, unlockingWith key: VaultKey, options: Options = Options()
  ) async throws(VaultError) -> Vault {
    try await LockedVault(at: place).unlock(with: key, options: options)
  }

  /// Unlocks the vault in a store.
  ///
  /// - Throws: ``VaultError`` like ``open(at:unlockingWith:options:)``.
  public static func open(
    in store: any RecordStore, unlockingWith key: VaultKey, options: Options = Options()
  ) async throws(VaultError) -> Vault {
    try await LockedVault(store: store).unlock(with: key, options: options)
  }

  /// The time for new writes. It is not before the newest reseal; if the clock is, it is the next full second after the
  /// reseal.
  ///
  /// Sealing times are whole seconds, and a value that is sealed after a reseal must not look older. A clock that is
  /// further behind belongs to another machine and is followed.
  package func currentTime() -> Timestamp {
    let now = options.now()
    guard let reseal = header.newestReseal, now < reseal,
      reseal.secondsSinceEpoch - now.secondsSinceEpoch <= 1
    else { return now }
    return reseal
  }

  /// Updates header and keys if another process wrote the header meanwhile. A header of another vault or root key is
  /// refused; any other is authenticated and remembered.
  ///
  /// - Returns: whether anything was new.
  @discardableResult
  package func refresh() throws(VaultError) -> Bool {
    let bytes = try locked.readHeader()
    let known = session.withLock { $0 }
    guard bytes != known.headerBytes else { return false }
    let header = try VaultHeader(parsing: bytes)
    guard header.vaultID == known.header.vaultID, header.root.id == known.header.root.id else {
      throw VaultError(
        .changedUnderneath, "the vault's keys have changed since it was unlocked", file: VaultHeader.fileName)
    }
    let root = known.keyring.current
    try header.authenticate(under: root)
    try memory?.remember(header)
    adopt(header, bytes, root: root)
    return true
  }

  private func adopt(_ header: VaultHeader, _ bytes: [UInt8], root: RootKey) {
    session.withLock {
      $0 = Session(
        headerBytes: bytes, header: header, keyring: Keyring(current: root, entries: header.keyring),
        kinds: $0.kinds.declaring(header.declaredKinds))
    }
  }

  /// Writes a header, new slots before it and removed ones after it, and continues with its keys. After an error the
  /// old keys stay, except with `.mayBeLost`: then the new header is stored.
  package func replaceHeader(
    by header: VaultHeader, root: RootKey, slots: [StoreChange] = [], _ lock: any StoreLock
  ) throws(VaultError) {
    let old = session.withLock { $0.headerBytes }
    let bytes = try header.fileBytes()
    if header.root.id != self.header.root.id { try memory?.announce(header) }
    do throws(VaultError) {
      try apply(slots + [StoreChange(.header, from: old, to: bytes)], lock)
    } catch {
      if error.code == .mayBeLost { adopt(header, bytes, root: root) }
      throw error
    }
    adopt(header, bytes, root: root)
  }

  /// Runs `body` with the vault at one moment, so that it sees no unfinished batch. Writers continue meanwhile if the
  /// store can show that moment beside the present, and otherwise wait.
  package nonisolated(nonsending) func atOneMoment<Result>(
    _ body: nonisolated(nonsending) (Vault) async throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    try requireNoTransaction()
    guard let lock = try await takeLock(.snapshot, unless: { false }) else { preconditionFailure("it is wanted") }
    defer { lock.release() }
    return try await body(lock.view.map { Vault(self, reading: $0) } ?? self)
  }

  /// Whether the present version of a record is as this machine has seen it, although the shown moment is not: other
  /// processes may have written and noted it since.
  package func isSeenAtPresent(_ id: RecordID) throws(VaultError) -> Bool { try present?.isAsSeen(id) ?? false }

  /// Becomes the only writer, with an updated header, until the lock is released.
  ///
  /// - Parameter id: the record that is about to be changed; nil if there are several.
  package nonisolated(nonsending) func lockForWriting(
    changing id: RecordID? = nil
  ) async throws(VaultError) -> any StoreLock {
    guard let lock = try await lockForWriting(changing: id, unless: { false }) else {
      preconditionFailure("it is wanted")
    }
    return lock
  }

  /// Like `lockForWriting(changing:)`; nil as soon as `isDone` is true.
  package nonisolated(nonsending) func lockForWriting(
    changing id: RecordID? = nil, unless isDone: @escaping @Sendable () -> Bool
  ) async throws(VaultError) -> (any StoreLock)? {
    try requireNoTransaction()
    let lock = try await takeLock(.exclusive, changing: id, unless: isDone)
    // A lock without a reference is released, so an error here leaves nothing locked.
    if lock != nil { _ = try await working { () throws(VaultError) in try refresh() } }
    return lock
  }

  /// Takes the lock, and sends an event if that took a wait or failed. Nil if `isDone` is true when the turn comes.
  private nonisolated(nonsending) func takeLock(
    _ kind: LockKind, changing id: RecordID? = nil, unless isDone: @escaping @Sendable () -> Bool
  ) async throws(VaultError) -> (any StoreLock)? {
    var start: ContinuousClock.Instant?
    do throws(VaultError) {
      let lock = try await locks.lock(
        kind, of: store, changing: id, timeout: options.lockTimeout, unless: isDone, onQueued: { start = .now },
        onWait: options.onLockWait)
      if let start, lock != nil { options.tell(.waited, of: header.vaultID, took: start.duration(to: .now)) }
      return lock
    } catch {
      options.tell(error, of: header.vaultID)
      throw error
    }
  }

  /// Runs `body` as the only writer, with an updated header. It runs again if the lock was lost before it could change
  /// anything, as when another server takes over.
  package nonisolated(nonsending) func writing<Result: Sendable>(
    changing id: RecordID? = nil, _ body: @Sendable (any StoreLock) throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    try await nearWorkers { () async throws(VaultError) -> Result in
      for _ in 1..<Self.longestTry {
        let outcome = try await writingOnce(changing: id, body)
        if case .success(let result) = outcome { return result }
      }
      return try await writingOnce(changing: id, body).get()
    }
  }

  /// How often a change begins anew whose lock was lost.
  private static var longestTry: Int { 10 }

  /// - Returns: a failure only if the lock was lost before anything was changed.
  private nonisolated(nonsending) func writingOnce<Success: Sendable>(
    changing id: RecordID?, _ body: @Sendable (any StoreLock) throws(VaultError) -> Success
  ) async throws(VaultError) -> Result<Success, VaultError> {
    let lock = try await lockForWriting(changing: id)
    defer { lock.release() }
    return try await working { () throws(VaultError) -> Result<Success, VaultError> in
      defer { memory?.flush() }
      do throws(VaultError) {
        return .success(try body(lock))
      } catch {
        guard (lock as? any ReleasingLock)?.wasLostUnused == true else { throw error }
        return .failure(error)
      }
    }
  }
}

extension Vault.Options {
  fileprivate func requireGoodCount() throws(VaultError) {
    guard (0...FormerValues.maximumCount).contains(formerValues) else {
      throw VaultError(.usage, "a field has 0 to \(FormerValues.maximumCount) former values")
    }
  }
}
