public import VaultDocument

/// A place that keeps a vault's documents as opaque bytes. This text is the contract of every store.
///
/// A store is synchronous and blocking, has no keys, and never looks into a document. `StoreConformance` of the library
/// `VaultTesting` is this text as code; every store passes it.
///
/// **For readers.** A document is always whole: the bytes of one `apply`, never parts of two. Without a lock, two reads
/// may see the states before and after an `apply`, but never in reverse order: once one read shows the new state of a
/// batch, all later reads do. Under a shared or an exclusive lock, nothing changes between reads except what the holder
/// itself applies. Under a ``LockKind/snapshot`` lock, nothing changes in its view.
///
/// **For writers.** `apply` is all or nothing. When it returns, the change survives a power cut. When it throws,
/// readers see the old state. Two faults at once (a failed write whose undoing also fails) can leave the new state
/// behind an error, but never a mix; reading shows which it is. A process that dies during `apply` leaves the old or
/// the new state, which the next process to take the lock completes.
///
/// **Optional abilities.** A store that cannot show an earlier moment beside the present one gives a shared lock for a
/// snapshot, so that writers wait. A store that cannot exchange all records at once has no ``replacement(under:)``. A
/// store that cannot tell who holds its lock has no `holder`, and one that cannot tell who waits may let readers pass a
/// writer. All other rules are mandatory.
///
/// **Functions to write.** ``read(_:)``, ``records(inFolder:)``, ``trashed()``, ``slots()``,
/// ``lock(_:timeout:isWanted:onWait:)`` and ``apply(_:under:)``. All others have a correct default, which a store may
/// replace to be faster or to use less memory: ``reader(of:)`` and ``writer(of:under:)`` hold the document in memory,
/// ``batch(expecting:under:)`` holds all changes, ``recordFolders()`` names all 256, ``read(_:inFolder:_:)`` reads one
/// by one, ``strayEntries()`` is empty, and ``replacement(under:)`` is nil. For ``apply(_:under:)``, ``ChangePlan``
/// sorts changes and checks their limits, and ``LockWait`` sets the pace of waiting.
///
/// **Wrong files.** A link, directory, FIFO or device in a document's place is an error of only that place; others stay
/// readable.
public protocol RecordStore: Sendable {
  /// The bytes at a place, or nil if there is no document.
  ///
  /// - Throws: `StoreError` `.tooLarge` before any byte is read; `.symbolicLink`, `.notARegularFile`, `.notADirectory`
  ///   (something else stands there); `.permissionDenied`; `.malformedJournal`; `.ioFailed`.
  func read(_ location: StoreLocation) throws(StoreError) -> [UInt8]?

  /// Reads a document piece by piece, if it may be too large for memory; nil if there is no document.
  ///
  /// - Throws: like `read(_:)`.
  func reader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)?

  /// The folders that may hold live records, as the first byte of their ids, ascending. All other folders are empty.
  ///
  /// - Throws: like `read`.
  func recordFolders() throws(StoreError) -> [UInt8]

  /// The ids of the live records in one of 256 folders (the ids' first byte), ascending.
  ///
  /// Every name of the right shape is listed, even if it is not a file, so that reading it reports the fault.
  ///
  /// - Throws: like `read`.
  func records(inFolder folder: UInt8) throws(StoreError) -> [RecordID]

  /// The ids of the removed records, ascending.
  ///
  /// - Throws: like `read`.
  func trashed() throws(StoreError) -> [RecordID]

  /// The ids of all slot files, ascending, even of those to which the header does not refer.
  ///
  /// - Throws: like `read`.
  func slots() throws(StoreError) -> [SlotID]

  /// Reads live records of one folder, in the given order, one in memory at a time. This is the fast way to read many.
  ///
  /// `body` gets the bytes or the error of each record and returns whether to continue. Missing records are left out.
  ///
  /// - Precondition: the ids belong to the folder.
  /// - Throws: like `records(inFolder:)`, if the folder itself cannot be read.
  func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError)

  /// Like `read(_:inFolder:_:)`, for callers that hold a lock. A store may check only once, and not for each record,
  /// for things that only a batch or a replacement can change.
  ///
  /// - Throws: like `read(_:inFolder:_:)`; `.changedUnderneath` if the records were replaced without the lock.
  func readLocked(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError)

  /// Entries that do not belong among the records or in the trash, as sorted paths (format 1, section 3, Directory).
  ///
  /// Names that begin with a dot are left out. Control characters and bytes that are not UTF-8 are replaced by `?`.
  ///
  /// - Throws: like `read`.
  func strayEntries() throws(StoreError) -> [String]

  /// Takes the vault's lock, waiting at most `timeout` for others.
  ///
  /// At a time, one exclusive lock or any number of shared ones are held, among processes and among stores of one
  /// process; a lock is not recursive. While a process waits for the exclusive lock, no shared one is given if the
  /// system can tell. A process that has ended holds no lock. `onWait` is called once, after one second of waiting,
  /// with the pid of a holder if known. Before it returns, a store completes the unfinished work of a crashed process,
  /// if it may write.
  ///
  /// Keep the lock alive until its work is done (`defer { lock.release() }`), or use `withLock`.
  ///
  /// - Parameter isWanted: asked repeatedly during the wait; `false` ends the wait like `timeout`.
  /// - Throws: `StoreError` `.locked` after `timeout`, naming the holder where known; `.permissionDenied`, `.readOnly`
  ///   (only for `.exclusive`); `.changedUnderneath` if the whole vault was replaced since it was opened;
  ///   `.symbolicLink`, `.notARegularFile`, `.ioFailed`.
  func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock

  /// Makes all changes or none, durably, if every place still holds exactly the expected bytes.
  ///
  /// - A single change may be at any place. A replacement is never visible half-written.
  /// - Several changes may be of records and trash, or of the header with new and removed slots. In the second case the
  ///   new slots are durable before the header is replaced (the commit point), and slots are removed after it. A slot
  ///   that could not be removed stays unreferenced, without an error (format 1, section 10, Writing).
  /// - Guards (`isGuard`) of any place may be among the changes.
  ///
  /// - Precondition: `lock` is an exclusive lock of this store and not released; no place is named twice; the mix is
  ///   one of those above.
  /// - Throws: `StoreError` `.changedUnderneath` naming the place; `.tooLarge`; `.diskFull`, `.permissionDenied`,
  ///   `.readOnly`, `.ioFailed`, `.unverifiedWrite`; `.malformedJournal`; and like `read`.
  func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError)

  /// Begins to replace one document that may be too large for memory, with the guarantees of `apply`.
  ///
  /// The holder of the lock must not touch that place otherwise until the writer is committed or abandoned.
  ///
  /// - Precondition: `lock` is an exclusive lock of this store and not released.
  /// - Throws: `StoreError` `.malformedJournal`, `.diskFull`, `.permissionDenied`, `.readOnly`, `.ioFailed`.
  func writer(of location: StoreLocation, under lock: any StoreLock) throws(StoreError) -> any StoreWriter

  /// Begins a batch of changes of records and trash that are staged piece by piece, so that they need not be in memory
  /// at once. All of them are made or none, like in `apply`.
  ///
  /// Only one batch may exist at a time. The holder of the lock must not touch the store otherwise until the batch is
  /// committed or abandoned.
  ///
  /// - Parameter expectedCount: the approximate number of changes, which decides how they are made durable.
  /// - Precondition: `lock` is an exclusive lock of this store and not released.
  /// - Throws: `StoreError` `.malformedJournal`, `.diskFull`, `.permissionDenied`, `.readOnly`, `.ioFailed`; and like
  ///   `read`.
  func batch(expecting expectedCount: Int, under lock: any StoreLock) throws(StoreError) -> any StoreBatch

  /// Begins to replace all live records, of any number, in one step.
  ///
  /// Nil if that is not possible and a batch must be used instead: the system cannot exchange folders, or an entry
  /// among the records is not a record.
  ///
  /// Only one replacement may exist at a time, without a batch. Until it is committed or ended, the holder of the lock
  /// may `apply` single changes and the header, but no change of live records.
  ///
  /// - Precondition: `lock` is an exclusive lock of this store and not released.
  /// - Throws: like `batch`.
  func replacement(under lock: any StoreLock) throws(StoreError) -> (any StoreReplacement)?
}

/// Staged changes of records and trash; nobody sees any of them before `commit` returns.
///
/// A batch that is neither committed nor abandoned is abandoned with its last reference.
public protocol StoreBatch: AnyObject {
  /// Stages more changes, if their places still hold exactly the expected bytes.
  ///
  /// - Precondition: they are of records and trash; no place was named before; nothing was committed, abandoned or
  ///   thrown.
  /// - Throws: `StoreError`, like `apply`; also `.tooLarge` for more changes than one batch may have. Abandon the batch
  ///   then.
  func stage(_ changes: [StoreChange]) throws(StoreError)

  /// Makes all changes durably, and ends the batch.
  ///
  /// - Throws: `StoreError`, like `apply`; the batch is then abandoned.
  func commit() throws(StoreError)

  /// Drops the changes and ends the batch. After it, and after `commit`, it does nothing.
  func abandon()
}

/// A new set of all live records of a store; nobody sees any of it before `commit` returns.
///
/// The staged records will be all the records, so an unchanged record must be staged, too. A replacement is ended with
/// its last reference.
public protocol StoreReplacement: AnyObject, Sendable {
  /// Like `read` of the store, from any thread. The records that were read must still be unchanged at `commit`.
  ///
  /// - Precondition: no record is read twice.
  /// - Throws: `StoreError`, like `read` of the store.
  func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError)

  /// Stages records, each once, from any thread.
  ///
  /// - Throws: `StoreError` `.tooLarge`, `.diskFull`, `.permissionDenied`, `.readOnly`, `.ioFailed`. End the
  ///   replacement then.
  func stage(_ records: [(id: RecordID, bytes: [UInt8])]) throws(StoreError)

  /// Replaces all live records by the staged ones, durably and in one step, if the live records are exactly those that
  /// were read.
  ///
  /// - Throws: `StoreError` `.changedUnderneath` naming the folder, if a record came, went or changed, or was not read;
  ///   and like `apply`. The old state is then still in place.
  func commit() throws(StoreError)

  /// After `commit`, deletes the old records of a folder. Call it from any thread, once per folder. `end` and the next
  /// lock holder delete the rest.
  func clear(folder: UInt8)

  /// Deletes the rest: the staged records if there was no `commit`, else the replaced ones.
  func end()
}

/// How a lock excludes others.
public enum LockKind: Sendable {
  /// For readers of the whole vault: excludes writers.
  case shared
  /// For a writer: excludes all other locks.
  case exclusive
  /// For readers of the whole vault at one moment, which ``StoreLock/view`` shows. It excludes nobody if the store can
  /// do so; otherwise it is a shared lock.
  case snapshot

  /// The kind of lock that a store without views gives.
  public var withoutViews: LockKind { self == .snapshot ? .shared : self }
}

/// A lock that is held until it is released or its last reference is gone.
public protocol StoreLock: AnyObject, Sendable {
  /// How it excludes others.
  var kind: LockKind { get }
  /// The view of a snapshot lock while it is held: the vault of one moment, for reading. Nil means the store itself.
  var view: (any RecordStore)? { get }
  /// Releases the lock; a second call does nothing.
  func release()
}

extension StoreLock {
  /// The store itself.
  public var view: (any RecordStore)? { nil }
}

/// A lock that the last change under it can release, without a request of its own.
package protocol ReleasingLock: StoreLock {
  /// Lets the next change release the lock. Nothing is read or changed under the lock after that change.
  func releaseWithNextChange()

  /// Whether somebody else had taken the lock before its holder could change anything, so that the whole work may begin
  /// anew.
  var wasLostUnused: Bool { get }
}
