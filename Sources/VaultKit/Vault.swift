internal import Synchronization
internal import VaultCrypto
public import VaultDocument
internal import VaultFileStore
public import VaultRecords
internal import VaultSealing
public import VaultStorage

/// An unlocked vault: a store of records, and the keys to read and write them.
///
/// A vault may be used from several tasks at once. Keys live in the secure heap and are wiped with the last reference.
public final class Vault: Sendable {
  /// How a vault behaves; the defaults are right for most programs.
  public struct Options: Sendable {
    /// How long a writer waits for others; of those who wait in one vault, how long since the last of them got its
    /// turn.
    public var lockTimeout: Duration = .seconds(10)
    /// Called once when a writer has waited for a second, with the process that holds the lock if it is known.
    public var onLockWait: @Sendable (Int32?) -> Void = { _ in }
    /// Whether the passphrase that unlocks is kept, in the secure heap, so that ``Vault/rotate(_:slots:progress:)`` can
    /// make its slot again without asking.
    public var keepsPassphrase = false
    /// Where it is remembered which vault this is and what was seen of it; nil remembers nothing and compares nothing.
    public var state: VaultState?
    /// Whether a person has said that it is this vault, rather than that it was found by searching: it is remembered.
    public var isNamed = true
    /// What was read of that already, by who compared it before a key was asked for.
    package var known: KnownVault?
    /// Called when there is something to say about what is remembered.
    public var onStateNote: @Sendable (StateNote) -> Void = { _ in }
    /// The one clock: creation, change and sealing times.
    public var now: @Sendable () -> Timestamp = { .now() }
    /// Kinds of the caller's own, besides those of this program and of the vault: all types whose records are to be
    /// stored or listed by their names.
    public var types: [any VaultRecord.Type] = []

    public init() {}
  }

  struct Session: Sendable {
    var headerBytes: [UInt8]
    var header: VaultHeader
    var keyring: Keyring
    var kinds: KindCatalog
  }

  /// The same vault as it is seen without a key.
  public let locked: LockedVault
  /// The slot that unlocked it, as it was then.
  public let slot: Slot
  /// What unlocked it, if it is a passphrase that is to be kept.
  let passphrase: SecretBytes?
  let options: Options
  /// What this machine remembers of the vault; nil when nothing is to be remembered.
  let memory: VaultMemory?
  private let session: Mutex<Session>
  private let locks: LockQueue
  let additions = SingleAdditions()

  var store: any RecordStore { locked.store }

  /// The header as it was last read; its MAC is verified.
  public var header: VaultHeader { session.withLock { $0.header } }

  var keyring: Keyring { session.withLock { $0.keyring } }

  /// The kinds of records that are known here: those of types, and those that the verified header declares.
  public var kinds: KindCatalog { session.withLock { $0.kinds } }

  init(
    locked: LockedVault, root: RootKey, slot: Slot, passphrase: SecretBytes? = nil, memory: VaultMemory?,
    options: Options
  ) {
    self.locked = LockedVault(locked, adding: options.types)
    self.slot = slot
    self.passphrase = passphrase
    self.memory = memory
    self.options = options
    locks = LockQueue(of: locked.store)
    session = Mutex(
      Session(
        headerBytes: locked.headerBytes, header: locked.header,
        keyring: Keyring(current: root, entries: locked.header.keyring), kinds: self.locked.kinds))
  }

  /// Makes a new vault in `directory` and unlocks it.
  ///
  /// - Parameter slots: at least one way to unlock it.
  /// - Throws: ``VaultError`` `.alreadyExists`, `.slotRefused`, `.diskFull`, `.permissionDenied`, `.ioFailed`.
  public static func create(
    at directory: String, slots: [NewSlot], options: Options = Options()
  ) async throws(VaultError) -> Vault {
    try await create(
      in: inStore { () throws(StoreError) in try DirectoryStore.create(at: directory) }, slots: slots, options: options)
  }

  /// Makes a new vault in an empty store.
  public static func create(
    in store: any RecordStore, slots newSlots: [NewSlot], options: Options = Options()
  ) async throws(VaultError) -> Vault {
    guard !newSlots.isEmpty else { throw VaultError(.slotRefused, "a vault needs at least one way to unlock it") }
    try KindCatalog(types: options.types).requireGoodTypes()
    let now = options.now()
    let root = try inSealing { () throws(SealingError) in try RootKey.random(vaultID: .random()) }
    var slots: [Slot] = []
    var changes: [StoreChange] = []
    for new in newSlots {
      let (slot, file) = try SlotFile.make(new, root: root, now: now)
      slots.append(slot)
      changes.append(StoreChange(.slot(slot.id), from: nil, to: file))
    }
    let header = try VaultHeader.make(
      vaultID: root.vaultID, createdAt: now, revision: 1, root: root, rootCreatedAt: now, slots: slots)
    changes.append(StoreChange(.header, from: nil, to: try header.fileBytes()))
    do throws(StoreError) {
      try store.apply(changes, timeout: options.lockTimeout)
    } catch {
      guard error.code != .changedUnderneath else {
        throw VaultError(.alreadyExists, "is a vault already", file: VaultHeader.fileName)
      }
      throw VaultError(store: error)
    }
    let locked = try LockedVault(store: store)
    let memory = VaultMemory(of: locked, options)
    try memory?.remember(header, isOwn: true)
    return Vault(locked: locked, root: root, slot: slots[0], memory: memory, options: options)
  }

  /// Unlocks the vault in `directory`.
  ///
  /// - Throws: ``VaultError`` `.notAVault`, `.noMatchingSlot`, `.wrongPassphrase`, `.damaged`, `.newerFormat`,
  ///   `.permissionDenied`, and `.ioFailed` where there is no such directory; with ``Options/state`` also
  ///   `.unexpectedVault`, `.rolledBack`, `.forked`, `.damagedState`.
  public static func open(
    at directory: String, unlockingWith key: VaultKey, options: Options = Options()
  ) async throws(VaultError) -> Vault {
    try await LockedVault(at: directory).unlock(with: key, options: options)
  }

  /// The time of what is written now; not before the moment of the newest reseal, which is the next full second then.
  ///
  /// Sealing times are whole seconds, and what is sealed after a reseal must not look older. A clock that is further
  /// behind is another machine's, and followed.
  func currentTime() -> Timestamp {
    let now = options.now()
    guard let reseal = header.newestReseal, now < reseal,
      reseal.secondsSinceEpoch - now.secondsSinceEpoch <= 1
    else { return now }
    return reseal
  }

  /// Brings header and keys up to date when somebody wrote the header meanwhile.
  ///
  /// - Returns: whether anything was new.
  /// - Throws: ``VaultError`` `.changedUnderneath` when the root key is another, `.damaged`; `.rolledBack`, `.forked`
  ///   when it is older than what this machine has seen.
  @discardableResult
  func refresh() throws(VaultError) -> Bool {
    let bytes = try locked.readHeader()
    let known = session.withLock { $0 }
    guard bytes != known.headerBytes else { return false }
    let header = try VaultHeader(parsing: bytes)
    guard header.vaultID == known.header.vaultID, header.root.id == known.header.root.id else {
      throw VaultError(
        .changedUnderneath, "has other keys than when the vault was unlocked", file: VaultHeader.fileName)
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

  /// Writes a header, new slots before it and removed ones after it, and goes on with its keys.
  ///
  /// - Throws: ``VaultError`` `.changedUnderneath`, `.diskFull`, `.permissionDenied`, `.ioFailed`.
  func replaceHeader(
    by header: VaultHeader, root: RootKey, slots: [StoreChange] = [], _ lock: any StoreLock
  ) throws(VaultError) {
    let old = session.withLock { $0.headerBytes }
    let bytes = try header.fileBytes()
    if header.root.id != self.header.root.id { try memory?.announce(header) }
    try apply(slots + [StoreChange(.header, from: old, to: bytes)], lock)
    adopt(header, bytes, root: root)
  }

  /// Does `body` while nobody writes, so that it sees no batch half done.
  nonisolated(nonsending) func reading<Result: Sendable>(
    _ body: @Sendable () throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    let lock = try await lockForReading()
    defer { lock.release() }
    return try await working(body)
  }

  /// Keeps writers out until the lock is released.
  nonisolated(nonsending) func lockForReading() async throws(VaultError) -> any StoreLock {
    try requireNoTransaction()
    return try await locks.lock(.shared, timeout: options.lockTimeout, onWait: options.onLockWait)
  }

  /// Becomes the one writer, with a header that is up to date, until the lock is released.
  nonisolated(nonsending) func lockForWriting() async throws(VaultError) -> any StoreLock {
    guard let lock = try await lockForWriting(unless: { false }) else { preconditionFailure("it is wanted") }
    return lock
  }

  /// The same; nil as soon as it is not needed any more.
  nonisolated(nonsending) func lockForWriting(
    unless isDone: @escaping @Sendable () -> Bool
  ) async throws(VaultError) -> (any StoreLock)? {
    try requireNoTransaction()
    let lock = try await locks.lock(
      .exclusive, timeout: options.lockTimeout, unless: isDone, onWait: options.onLockWait)
    // A lock that nobody refers to is released: an error here leaves none behind.
    if lock != nil { _ = try await working { () throws(VaultError) in try refresh() } }
    return lock
  }

  /// Does `body` as the one writer, with a header that is up to date.
  nonisolated(nonsending) func writing<Result: Sendable>(
    _ body: @Sendable (any StoreLock) throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    let lock = try await lockForWriting()
    defer { lock.release() }
    return try await working { () throws(VaultError) in
      defer { memory?.flush() }
      return try body(lock)
    }
  }
}
