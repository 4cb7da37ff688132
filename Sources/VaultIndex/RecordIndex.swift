/// The index of one vault: rows and texts of its records, and the stamps under which they were read.
///
/// It is a cache. Nothing in it is secret, nothing is trusted that its stamps do not vouch for, and it may be deleted
/// at any time. Whatever is wrong with it is an ``IndexFailure``, after which the files are read; a damaged file is
/// removed.
package final class RecordIndex {
  /// Raised whenever what is indexed, or how, changes: an index of another number is made anew.
  package static let version = 1
  /// `cvix`, which `file` and others show as the kind of the file.
  private static let applicationID = 0x6376_6978

  /// Where it lies.
  package let place: IndexPlace
  let connection: Connection

  /// Opens the index of a vault, and makes it where it is missing, damaged, or of another vault or version.
  ///
  /// - Parameter identity: the vault and what its records are read with; another one has another index.
  /// - Throws: ``IndexFailure``.
  package static func open(at place: IndexPlace, identity: [UInt8]) throws(IndexFailure) -> RecordIndex {
    do throws(IndexFailure) {
      return try RecordIndex(at: place, identity: identity)
    } catch {
      // The damaged one was removed.
      guard case .damaged = error else { throw error }
      return try RecordIndex(at: place, identity: identity)
    }
  }

  private init(at place: IndexPlace, identity: [UInt8]) throws(IndexFailure) {
    try place.prepare()
    self.place = place
    connection = try Connection(path: place.path)
    connection.wait(milliseconds: 250)
    do throws(IndexFailure) {
      try connection.execute(
        """
        PRAGMA page_size = 16384; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON
        """)
      if try !isOf(identity) { try make(identity) }
    } catch {
      throw giveUp(error)
    }
  }

  /// Removes the index when it is damaged; to be told of what is found in rows that were read of it.
  package func giveUp(_ failure: IndexFailure) -> IndexFailure {
    if case .damaged = failure { place.remove() }
    return failure
  }

  private func isOf(_ identity: [UInt8]) throws(IndexFailure) -> Bool {
    guard try connection.integer("PRAGMA application_id") == Int64(Self.applicationID),
      try connection.integer("PRAGMA user_version") == Int64(Self.version)
    else { return false }
    let statement = try connection.prepare("SELECT value FROM identity")
    return try statement.step() && statement.bytes(0) == identity
  }

  /// Begins anew, whatever is there.
  private func make(_ identity: [UInt8]) throws(IndexFailure) {
    try writing { () throws(IndexFailure) in
      // Another process may have been faster.
      if try isOf(identity) { return }
      let tables = try connection.prepare("SELECT count(*) FROM sqlite_schema")
      // What is not empty is not emptied table by table, which would take long: it goes as a whole.
      guard try tables.step(), tables.integer(0) == 0 else { throw .damaged }
      try connection.execute(Self.schema)
      let statement = try connection.prepare("INSERT INTO identity VALUES (?)")
      statement.bind(1, identity)
      try statement.run()
    }
  }

  private static let schema = """
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    CREATE TABLE identity (value BLOB NOT NULL);
    CREATE TABLE folders (number INTEGER PRIMARY KEY, mark BLOB NOT NULL);
    CREATE TABLE texts (number INTEGER PRIMARY KEY, piece BLOB NOT NULL);
    CREATE TABLE records (
      id BLOB PRIMARY KEY, row BLOB NOT NULL, kind BLOB, key BLOB, created INTEGER, created_nanoseconds INTEGER,
      updated INTEGER, updated_nanoseconds INTEGER, watched INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX by_key ON records (key);
    CREATE INDEX by_kind ON records (kind, key);
    CREATE INDEX by_created ON records (created DESC, created_nanoseconds DESC);
    CREATE INDEX by_updated ON records (updated DESC, updated_nanoseconds DESC);
    CREATE INDEX by_watched ON records (watched) WHERE watched = 1;
    """

  /// Does `body` as the one who writes, all of it or nothing; others read on until it ends.
  ///
  /// - Throws: ``IndexFailure``, `.busy` when another process writes for longer than a quarter of a second; and as
  ///   `body`.
  package func writing<Result>(_ body: () throws(IndexFailure) -> Result) throws(IndexFailure) -> Result {
    try begin()
    do throws(IndexFailure) {
      let result = try body()
      try commit()
      return result
    } catch {
      abandon()
      throw error
    }
  }

  /// Keeps what is read as it is, until ``abandon()``.
  ///
  /// - Throws: ``IndexFailure``.
  package func beginReading() throws(IndexFailure) {
    do throws(IndexFailure) { try connection.execute("BEGIN") } catch { throw giveUp(error) }
  }

  /// Becomes the one who writes, until ``commit()`` or ``abandon()``.
  ///
  /// - Throws: ``IndexFailure`` as ``writing(_:)``.
  package func begin() throws(IndexFailure) {
    do throws(IndexFailure) { try connection.execute("BEGIN IMMEDIATE") } catch { throw giveUp(error) }
  }

  /// Keeps what was written since ``begin()``.
  ///
  /// - Throws: ``IndexFailure``; nothing is kept then, and ``abandon()`` is to be called.
  package func commit() throws(IndexFailure) {
    do throws(IndexFailure) { try connection.execute("COMMIT") } catch { throw giveUp(error) }
  }

  /// Forgets what was written since ``begin()``, and lets others write.
  package func abandon() { try? connection.execute("ROLLBACK") }
}
