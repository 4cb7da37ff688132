internal import Synchronization
package import VaultDocument
package import VaultStorage

extension PostgresStore: AttachmentStore {
  package func keepsAttachments() throws(StoreError) -> Bool {
    if hasAttachmentTable.load(ordering: .relaxed) { return true }
    let isThere = try readers.with { connection throws(ServerFault) in try connection.hasTable(schema.attachments) }
    if isThere { hasAttachmentTable.store(true, ordering: .relaxed) }
    return isThere
  }

  package func attachments() throws(StoreError) -> [AttachmentID] {
    guard try keepsAttachments() else { return [] }
    let statement = "SELECT DISTINCT d.id FROM \(schema.attachments) AS d WHERE d.vault = $1 ORDER BY d.id"
    return try readers.with { connection throws(ServerFault) in
      var ids: [AttachmentID] = []
      try connection.rows(statement, [.id(vault)], each: { row throws(ServerFault) in ids.append(try row.id(0)) })
      return ids
    }
  }

  package func removeAttachments(_ ids: [AttachmentID], under lock: any StoreLock) throws(StoreError) {
    let lock = requireExclusive(lock)
    guard !ids.isEmpty, try keepsAttachments() else { return }
    do throws(StoreError) {
      try writing(under: lock) { connection, _ throws(StoreError) in
        _ = try inServer { () throws(ServerFault) in
          try connection.run(
            "DELETE FROM \(schema.attachments) WHERE vault = $1 AND id = ANY ($2)", [.id(vault), .ids(ids)],
            patience: PostgresConnection.longPatience)
        }
      }
    } catch {
      // No record names them, so it is harmless if they come back.
      if error.code != .mayBeLost { throw error }
    }
  }

  package func reader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)? {
    guard case .attachment(let id) = location else { return try wholeReader(of: location) }
    return try keepsAttachments() ? AttachmentReader(of: id, in: self) : nil
  }

  package func writer(of location: StoreLocation, under lock: any StoreLock) throws(StoreError) -> any StoreWriter {
    let lock = requireExclusive(lock)
    guard case .attachment(let id) = location else { return wholeWriter(of: location, under: lock) }
    guard try keepsAttachments() else {
      throw StoreError(.missing, reason: "the database has no table for attachments", path: location.relativePath)
    }
    return try AttachmentWriter(of: id, in: self, under: lock)
  }
}

extension PostgresStore {
  /// The number of parts of an attachment and their total size, which the server tells without reading any.
  fileprivate func inventory(
    of id: AttachmentID, _ connection: PostgresConnection
  ) throws(ServerFault) -> (partCount: Int64, byteCount: Int64) {
    let statement = """
      SELECT count(*), coalesce(sum(octet_length(d.bytes)), 0)::bigint FROM \(schema.attachments) AS d
      WHERE d.vault = $1 AND d.id = $2 AND d.part >= 0
      """
    guard let row = try connection.row(statement, [.id(vault), .id(id)]) else { throw .malformed }
    return (try row.number(0), try row.number(1))
  }
}

extension PostgresConnection {
  /// Whether there is a table of this name, even if this role may not read it.
  func hasTable(_ name: String) throws(ServerFault) -> Bool {
    guard let row = try row("SELECT to_regclass($1) IS NOT NULL", [.text(name)]) else { throw .malformed }
    return try row.isTrue(0)
  }
}

/// Reads an attachment part by part, in its state when the first part was read.
private final class AttachmentReader: StoreReader {
  let byteCount: Int
  private let id: AttachmentID
  private let store: PostgresStore
  private let pool: ConnectionPool
  /// Sees one moment from the first part on; nil before the first and after the last.
  private var transaction: HeldTransaction?
  private var part: Int32 = -1
  private var offset = 0
  private var isEnded = false
  private var builder = ContentMark.Builder()

  /// Nil if there is no such attachment.
  init?(of id: AttachmentID, in store: PostgresStore) throws(StoreError) {
    (self.id, self.store, pool) = (id, store, store.readers)
    let place = StoreLocation.attachment(id)
    let found = try pool.with(path: place.relativePath) { connection throws(ServerFault) in
      try store.inventory(of: id, connection)
    }
    byteCount = Int(clamping: found.byteCount)
    guard found.partCount > 0 else { return nil }
    guard (0...place.byteLimit).contains(byteCount) else {
      throw StoreError(.tooLarge, reason: "the document is over its size limit", path: place.relativePath)
    }
  }

  deinit { end() }

  var mark: ContentMark { builder.finish() }

  func next() throws(StoreError) -> [UInt8] {
    guard !isEnded else { return [] }
    do throws(StoreError) {
      let piece = try nextPart()
      offset += piece.count
      guard piece.isEmpty ? offset == byteCount : offset <= byteCount else {
        throw StoreError(.changedUnderneath, reason: "was changed while it was being read", path: path)
      }
      builder.append(piece)
      if piece.isEmpty { end() }
      return piece
    } catch {
      end()
      throw error
    }
  }

  private var path: String { StoreLocation.attachment(id).relativePath }

  /// The next part that is not empty; empty at the end. A part over the size limit does not leave the server.
  private func nextPart() throws(StoreError) -> [UInt8] {
    let statement = """
      SELECT d.part, CASE WHEN octet_length(d.bytes) <= \(PostgresSchema.partByteCount) THEN d.bytes END
      FROM \(store.schema.attachments) AS d
      WHERE d.vault = $1 AND d.id = $2 AND d.part > $3 AND octet_length(d.bytes) > 0 ORDER BY d.part LIMIT 1
      """
    let transaction = try opened()
    do throws(ServerFault) {
      let row = try transaction.with { connection throws(ServerFault) in
        try connection.row(statement, [.id(store.vault), .id(id), .integer(part)])
      }
      guard let row else { return [] }
      part = Int32(clamping: try row.integer(0))
      return try row.bytes(1)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  private func opened() throws(StoreError) -> HeldTransaction {
    if let transaction { return transaction }
    let begin = { [pool] (connection: PostgresConnection) throws(ServerFault) in
      try Snapshot.begin(connection, pool.patience)
    }
    let taken = HeldTransaction(try store.snapshot == nil ? pool.held(begin).0 : pool.take(), pool.patience)
    transaction = taken
    return taken
  }

  private func end() {
    isEnded = true
    guard let transaction = transaction.take() else { return }
    // The transactions of a moment belong to the moment.
    if store.snapshot == nil { return transaction.end(pool) }
    if let connection = transaction.take() { pool.give(connection) }
  }
}

/// Writes parts into the table, in one transaction that stays open until the end. Nobody sees any of them before it is
/// committed, and a client or server that dies meanwhile leaves nothing.
private final class AttachmentWriter: StoreWriter {
  private let id: AttachmentID
  private let store: PostgresStore
  // Held while the attachment is being written.
  private let lock: PostgresLock
  /// Nil once it has ended.
  private var transaction: HeldTransaction?
  /// Whether it replaces another attachment with this id.
  private let isReplacing: Bool
  private var piece: [UInt8] = []
  private var partCount = 0
  private var byteCount = 0

  init(of id: AttachmentID, in store: PostgresStore, under lock: PostgresLock) throws(StoreError) {
    (self.id, self.store, self.lock) = (id, store, lock)
    let (connection, removedCount) = try store.pool.held(writing: true) { connection throws(ServerFault) -> Int in
      try connection.begin(" ISOLATION LEVEL READ COMMITTED", waiting: lock.patience)
      try connection.run(Snapshot.limit(store.pool.patience))
      return try connection.run(
        "DELETE FROM \(store.schema.attachments) WHERE vault = $1 AND id = $2", [.id(store.vault), .id(id)])
    }
    (transaction, isReplacing) = (HeldTransaction(connection, store.pool.patience), removedCount > 0)
  }

  deinit { end() }

  private var path: String { StoreLocation.attachment(id).relativePath }

  func append(_ bytes: [UInt8]) throws(StoreError) {
    guard byteCount + piece.count + bytes.count <= StoreLocation.attachment(id).byteLimit else {
      throw StoreError(.tooLarge, reason: "the document is over its size limit", path: path)
    }
    piece += bytes
    var start = 0
    while piece.count - start >= PostgresSchema.partByteCount {
      try put(Array(piece[start..<start + PostgresSchema.partByteCount]))
      start += PostgresSchema.partByteCount
    }
    piece.removeFirst(start)
  }

  /// Sends a part. The server compares it with the stored one.
  private func put(_ part: [UInt8]) throws(StoreError) {
    guard let transaction else { throw StoreError(.ioFailed, reason: "the write has already ended", path: path) }
    let statement = """
      INSERT INTO \(store.schema.attachments) AS d (vault, id, part, bytes) VALUES ($1, $2, $3, $4)
      RETURNING d.bytes = $4
      """
    let values: [SQLValue] = [.id(store.vault), .id(id), .integer(Int32(partCount)), .document(part)]
    let isKept = try inServer { () throws(ServerFault) -> Bool in
      try transaction.with { connection throws(ServerFault) in
        guard let row = try connection.row(statement, values) else { return false }
        return try row.isTrue(0)
      }
    }
    guard isKept else { throw .keptOther(path) }
    partCount += 1
    byteCount += part.count
  }

  func commit(replacing mark: ContentMark?) throws(StoreError) {
    defer { end() }
    // An empty document is one empty part.
    if !piece.isEmpty || partCount == 0 { try put(piece) }
    piece = []
    // Other transactions, including this check, still see the old state.
    guard try isReplacing ? store.mark(of: .attachment(id)) == mark : mark == nil else {
      throw StoreError(.changedUnderneath, reason: "was changed by someone else", path: path)
    }
    guard let connection = transaction?.take() else {
      throw StoreError(.ioFailed, reason: "the write has already ended", path: path)
    }
    var isEnded = false
    defer { if !isEnded, (try? connection.run("ROLLBACK")) != nil { store.pool.give(connection) } }
    try store.requireFence(of: lock, connection)
    let kept = try inServer { () throws(ServerFault) in try store.inventory(of: id, connection) }
    guard kept == (Int64(partCount), Int64(byteCount)) else { throw .keptOther(path) }
    do throws(ServerFault) {
      // The commit of the record that names it comes later, and covers this one as well.
      _ = try connection.commit()
      isEnded = true
      store.pool.give(connection)
    } catch {
      let fault = StoreError(error, path: path, writing: true)
      guard connection.isLost, try isDone(besides: fault) else { throw fault }
    }
  }

  /// Whether a transaction with an unknown outcome was committed; no other write uses its id.
  private func isDone(besides fault: StoreError) throws(StoreError) -> Bool {
    // An unfinished commit comes first.
    let waiting = "SELECT v.vault FROM \(store.schema.vaults) AS v WHERE v.vault = $1 FOR UPDATE"
    let found = try? store.reached { connection throws(ServerFault) -> (partCount: Int64, byteCount: Int64) in
      try connection.withoutCommit { () throws(ServerFault) in
        try connection.run(waiting, [.id(store.vault)])
        return try store.inventory(of: id, connection)
      }
    }
    guard let found, !isReplacing else {
      throw StoreError(
        .ioFailed, reason: "the connection was lost while the attachment was being written; no record names it yet",
        path: path,
        underlying: fault.underlying)
    }
    return found == (Int64(partCount), Int64(byteCount))
  }

  private func end() {
    piece = []
    transaction.take()?.end(store.pool)
  }
}

extension StoreError {
  fileprivate static func keptOther(_ path: String) -> StoreError {
    StoreError(.unverifiedWrite, reason: "the database did not keep what was written", path: path)
  }
}
