public import VaultDocument

/// A place that keeps a vault's documents as opaque bytes: the written contract that every store obeys.
///
/// A store is synchronous and blocking, has no keys, and never looks into a document. `StoreConformance` of the library
/// `VaultTesting` is this text as code; every store passes it.
///
/// **What a reader sees.** One document is whole: the bytes of one `apply`, never parts of two. Without a lock, two
/// reads may lie before and after somebody's `apply`, in that order and not the other: once one read shows the new
/// state of a batch, all later ones do. Under a shared or an exclusive lock nothing changes between reads but what the
/// holder itself applies; under one of ``LockKind/snapshot`` nothing changes in what it shows.
///
/// **What a writer gets.** `apply` is all or nothing. When it returns, the change survives a power cut. When it throws,
/// the old state is what readers see. Two faults at once (a failed write whose undoing fails as well) can leave the new
/// state behind an error, never a mix; reading tells which it is. A process that dies inside leaves the old or the new
/// state, which the next one to take the lock completes.
///
/// **What a store may lack.** A store that cannot show an earlier moment beside the present one gives a shared lock
/// for a snapshot, so that writers wait. One that cannot exchange all records at once has no ``replacement(under:)``.
/// One that cannot tell who holds its lock has no `holder`, and one that cannot tell who waits may let readers pass a
/// writer. Whatever else is written here, every store does.
///
/// **What a store has to write.** ``read(_:)``, ``records(inFolder:)``, ``trashed()``, ``slots()``,
/// ``lock(_:timeout:isWanted:onWait:)`` and ``apply(_:under:)``. All else has a default that is right for every store,
/// and that a store which can do it faster, or with less memory, replaces: ``reader(of:)`` and ``writer(of:under:)``
/// hold the document in memory, ``batch(expecting:under:)`` all changes, ``recordFolders()`` names all 256,
/// ``read(_:inFolder:_:)`` reads one by one, ``strayEntries()`` has none, and ``replacement(under:)`` is nil. What an
/// ``apply(_:under:)`` needs is there as well: ``ChangePlan`` sorts changes and knows their limits, ``LockWait`` is the
/// pace of waiting.
///
/// **Places that hold something else.** A link, directory, FIFO or device in a document's place is an error of that
/// place alone; others stay readable.
public protocol RecordStore: Sendable {
  /// The bytes at a place, or nil when there is no document.
  ///
  /// - Throws: `StoreError` `.tooLarge` before any byte is read; `.symbolicLink`, `.notARegularFile`, `.notADirectory`
  ///   (something else stands there); `.permissionDenied`; `.malformedJournal`; `.ioFailed`.
  func read(_ location: StoreLocation) throws(StoreError) -> [UInt8]?

  /// The same piece by piece, for a document that may be too large to be in memory; nil when there is none.
  ///
  /// - Throws: as `read(_:)`.
  func reader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)?

  /// The folders that live records may lie in, by the first byte of their ids, ascending: one that is not among them
  /// has none.
  ///
  /// - Throws: as `read`.
  func recordFolders() throws(StoreError) -> [UInt8]

  /// The ids of the live records in one of 256 folders (the ids' first byte), ascending.
  ///
  /// A name of the right shape is listed whatever stands there, so that reading it reports what is wrong.
  ///
  /// - Throws: as `read`.
  func records(inFolder folder: UInt8) throws(StoreError) -> [RecordID]

  /// The ids of the removed records, ascending.
  ///
  /// - Throws: as `read`.
  func trashed() throws(StoreError) -> [RecordID]

  /// The ids of the slot files, whether or not the header refers to them, ascending.
  ///
  /// - Throws: as `read`.
  func slots() throws(StoreError) -> [SlotID]

  /// Reads live records of one folder, in the order given, one in memory at a time: the fast way to read many.
  ///
  /// `body` gets the bytes or the error of each record and returns whether to go on. A record that is not there is left
  /// out.
  ///
  /// - Precondition: the ids are of the folder.
  /// - Throws: as `records(inFolder:)`, when the folder as such cannot be read.
  func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError)

  /// As `read(_:inFolder:_:)`, for who holds a lock: a store may look once for what only a batch or a replacement can
  /// change, and not with each record.
  ///
  /// - Throws: as `read(_:inFolder:_:)`; `.changedUnderneath` when somebody who went past the lock has replaced the
  ///   records.
  func readLocked(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError)

  /// What lies among the records and in the trash and does not belong there, as paths, sorted (format 1, section 3,
  /// Directory).
  ///
  /// Names that begin with a dot are left out. Control characters and bytes that are not UTF-8 are replaced by `?`.
  ///
  /// - Throws: as `read`.
  func strayEntries() throws(StoreError) -> [String]

  /// Takes the vault's lock, waiting at most `timeout` for others.
  ///
  /// One exclusive lock, or any number of shared ones, are held at a time, among processes and among stores of one
  /// process; a lock is not recursive. While somebody waits for the exclusive one, no shared one is given where the
  /// system can tell. A process that ended, however it ended, holds none. `onWait` is called once, after one second of
  /// waiting, with the pid of a holder where it is known. Before it returns, a store completes what a process that died
  /// left unfinished, where it may.
  ///
  /// Keep the lock alive until its work is done (`defer { lock.release() }`), or use `withLock`.
  ///
  /// - Parameter isWanted: asked again and again while it waits; `false` ends the waiting as the end of `timeout` does.
  /// - Throws: `StoreError` `.locked` after `timeout`, naming the holder where known; `.permissionDenied`, `.readOnly`
  ///   (only for `.exclusive`); `.changedUnderneath` when the whole vault was replaced since it was opened;
  ///   `.symbolicLink`, `.notARegularFile`, `.ioFailed`.
  func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock

  /// Makes all changes or none, durably, if every place still holds exactly the expected bytes.
  ///
  /// - One change may be of any place. A replacement is never seen half-written.
  /// - Several changes may be of records and trash, or of the header with new and removed slots. In the second case the
  ///   new slots are durable before the header is replaced (the commit point) and slots are removed after it; one that
  ///   could not be removed stays unreferenced, without an error (format 1, section 10, Writing).
  /// - Guards (`isGuard`) of any place may be among the changes.
  ///
  /// - Precondition: `lock` is an exclusive lock of this store and not released; no place is named twice; the mix is
  ///   one of those above.
  /// - Throws: `StoreError` `.changedUnderneath` naming the place; `.tooLarge`; `.diskFull`, `.permissionDenied`,
  ///   `.readOnly`, `.ioFailed`, `.unverifiedWrite`; `.malformedJournal`; and as `read`.
  func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError)

  /// Begins to replace one document that may be too large to be in memory, as `apply` replaces one.
  ///
  /// The holder of the lock does nothing else to that place until it is committed or abandoned.
  ///
  /// - Precondition: `lock` is an exclusive lock of this store and not released.
  /// - Throws: `StoreError` `.malformedJournal`, `.diskFull`, `.permissionDenied`, `.readOnly`, `.ioFailed`.
  func writer(of location: StoreLocation, under lock: any StoreLock) throws(StoreError) -> any StoreWriter

  /// Begins a batch of changes of records and trash that are handed over piece by piece, so that they need not be in
  /// memory at once: all or none of them, as with `apply`.
  ///
  /// There is one at a time, and the holder of the lock does nothing else to the store until it is committed or
  /// abandoned.
  ///
  /// - Parameter expectedCount: about how many changes there will be, which decides how they are made durable.
  /// - Precondition: `lock` is an exclusive lock of this store and not released.
  /// - Throws: `StoreError` `.malformedJournal`, `.diskFull`, `.permissionDenied`, `.readOnly`, `.ioFailed`; and as
  ///   `read`.
  func batch(expecting expectedCount: Int, under lock: any StoreLock) throws(StoreError) -> any StoreBatch

  /// Begins to put other live records in the place of all there are, of any number, in one step; nil where that is not
  /// possible, and a batch has to do: the system cannot exchange folders, or something lies among the records that is
  /// none.
  ///
  /// There is one at a time, and no batch beside it. The holder of the lock may `apply` single changes and the header
  /// until it is committed or ended, but none of live records.
  ///
  /// - Precondition: `lock` is an exclusive lock of this store and not released.
  /// - Throws: as `batch`.
  func replacement(under lock: any StoreLock) throws(StoreError) -> (any StoreReplacement)?
}

/// Changes of records and trash on their way into a store; nobody sees any of them before `commit` returns.
///
/// One that is neither committed nor abandoned is abandoned with its last reference.
public protocol StoreBatch: AnyObject {
  /// Takes more changes, if their places still hold exactly the expected bytes.
  ///
  /// - Precondition: they are of records and trash; no place was named before; nothing was committed, abandoned or
  ///   thrown.
  /// - Throws: `StoreError` as `apply`; `.tooLarge`, too, for more changes than one batch may have. Abandon the batch
  ///   then.
  func stage(_ changes: [StoreChange]) throws(StoreError)

  /// Makes all changes durably, and ends the batch.
  ///
  /// - Throws: `StoreError` as `apply`; the batch is abandoned then.
  func commit() throws(StoreError)

  /// Forgets the changes, and ends the batch; afterwards, and after `commit`, it does nothing.
  func abandon()
}

/// All live records of a store as they will be, on their way there; nobody sees any of them before `commit` returns.
///
/// What is staged is what there will be, and all of it: a record that is to stay as it is has to be staged, too. One
/// that nobody refers to any more is ended.
public protocol StoreReplacement: AnyObject, Sendable {
  /// As `read` of the store, from any thread; what was read must still be there unchanged when it is committed.
  ///
  /// - Precondition: no record is read twice.
  /// - Throws: `StoreError` as `read` of the store.
  func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError)

  /// Takes records, each once, from any thread.
  ///
  /// - Throws: `StoreError` `.tooLarge`, `.diskFull`, `.permissionDenied`, `.readOnly`, `.ioFailed`. End it then.
  func stage(_ records: [(id: RecordID, bytes: [UInt8])]) throws(StoreError)

  /// Puts what was staged in the place of all live records, durably and in one step, if those are exactly what was
  /// read.
  ///
  /// - Throws: `StoreError` `.changedUnderneath` naming the folder, when a record came, went or changed, or was not
  ///   read; and as `apply`. The old state is in place then.
  func commit() throws(StoreError)

  /// After `commit`: deletes what the records of a folder were before. From any thread, a folder once; what cannot be
  /// deleted, or is not asked for, is left to `end` and to the next who locks.
  func clear(folder: UInt8)

  /// Deletes what is left: without `commit` what was staged, after it what was replaced.
  func end()
}

/// How a lock excludes others.
public enum LockKind: Sendable {
  /// For readers of the whole vault: keeps writers out.
  case shared
  /// For a writer: keeps everybody else who locks out.
  case exclusive
  /// For readers of the whole vault as it is at one moment, which keep nobody out where the store can do so:
  /// ``StoreLock/view`` shows that moment. Elsewhere it is a shared lock.
  case snapshot

  /// What a store that has no views of a moment gives.
  public var withoutViews: LockKind { self == .snapshot ? .shared : self }
}

/// A lock that is held until it is released or the last reference to it is gone.
public protocol StoreLock: AnyObject, Sendable {
  /// How it excludes others.
  var kind: LockKind { get }
  /// What a lock for a snapshot shows, as long as it is held: the vault of one moment, to read. Nil for the store
  /// itself.
  var view: (any RecordStore)? { get }
  /// Lets others in; a second call does nothing.
  func release()
}

extension StoreLock {
  /// The store itself.
  public var view: (any RecordStore)? { nil }
}
