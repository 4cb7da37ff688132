internal import Synchronization
internal import VaultDocument
package import VaultStorage
internal import VaultSystem

/// A vault in a database that speaks PostgreSQL's protocol.
///
/// Documents are `bytea`, byte for byte, in parts of at most 1 MiB. The vault's row orders all writers; only the holder
/// of the lock knows its `fence`. Live records belong to a set, whose number is in the vault's row, so that writing one
/// row exchanges all of them. `docs/postgresql.md` describes all of it.
package final class PostgresStore: RecordStore {
  package let address: PostgresAddress
  let schema: PostgresSchema
  /// For changes, and for reading under a lock.
  let pool: ConnectionPool
  /// For reading without a lock; another one if the address asks for standbys.
  private let readerPool: ConnectionPool
  /// The vault's number in the database, which is in no document.
  let vault: Identifier
  /// The snapshot of a store that shows one moment.
  let snapshot: Snapshot?
  /// Whether the table of attachments was seen; it is then never removed.
  let hasAttachmentTable = Atomic(false)
  let replicaWait = ReplicaWait()
  let holding = Mutex(Holding())
  /// The record whose documents are read with the next lock.
  let expected = Mutex<RecordID?>(nil)
  /// The ids that a command without a lock has listed ahead.
  let listing = ReadAhead()

  /// The vault at an address.
  ///
  /// - Parameter password: used if libpq gets none from a file, a service or a certificate.
  package convenience init(at address: PostgresAddress, password: String? = nil) throws(StoreError) {
    try self.init(at: address, password: password, patience: nil)
  }

  /// The vault at an address, with limits for waiting for the server; nil for the usual ones, with shared connections.
  package convenience init(
    at address: PostgresAddress, password: String? = nil, patience: ServerPatience?
  ) throws(StoreError) {
    let (schema, pool) = Self.parts(address, password: password, patience: patience)
    let isForOneCommand = patience?.isForOneCommand == true
    guard let vault = try Self.find(address, schema: schema, pool: pool, isReading: isForOneCommand) else {
      throw StoreError(.notAVault, reason: "the database has no vault of this name", path: address.canonicalText)
    }
    self.init(address, schema, pool, vault)
  }

  private init(
    _ address: PostgresAddress, _ schema: PostgresSchema, _ pool: ConnectionPool, _ vault: Identifier,
    _ snapshot: Snapshot? = nil
  ) {
    (self.address, self.schema, self.vault) = (address, schema, vault)
    (self.pool, readerPool) = (snapshot == nil ? pool.writing() : pool, pool)
    self.snapshot = snapshot
  }

  /// The connections for reading: under a lock of this store only the server that takes its changes knows them.
  var readers: ConnectionPool { readerPool === pool || heldLock != nil ? pool : readerPool }

  /// Forgets all that was read before it was requested, because the vault changes.
  func forgetReadAhead() { for ahead in [pool.ahead, readerPool.ahead, listing] { ahead.clear() } }

  /// The same vault at one moment.
  func view(of snapshot: Snapshot) -> PostgresStore {
    PostgresStore(address, schema, readers.showing(snapshot), vault, snapshot)
  }

  private static func parts(
    _ address: PostgresAddress, password: String?, patience: ServerPatience?
  ) -> (PostgresSchema, ConnectionPool) {
    let name = "vault \(LockHolder.current.text)"
    let pool =
      patience.map { ConnectionPool(address, applicationName: name, password: password, patience: $0) }
      ?? .shared(address, applicationName: name, password: password)
    return (PostgresSchema(address.schema), pool)
  }

  /// The number of a vault; nil if there is no vault of that name.
  ///
  /// - Parameter isReading: whether to read ahead what most commands need, in the same round trip.
  private static func find(
    _ address: PostgresAddress, schema: PostgresSchema, pool: ConnectionPool, isReading: Bool = false
  ) throws(StoreError) -> Identifier? {
    let name = [SQLValue.text(address.vault)]
    let statement = SQLStatement("SELECT v.vault, v.layout FROM \(schema.vaults) AS v WHERE v.name = $1", name)
    let further = isReading ? OpeningAnswer.statements(schema).map { SQLStatement($0, name) } : []
    var opening = OpeningAnswer()
    do throws(StoreError) {
      try pool.with(path: address.canonicalText) { connection throws(ServerFault) in
        opening = OpeningAnswer()
        try connection.pipeline([statement] + further) { step, row throws(ServerFault) in try opening.take(row, step) }
      }
    } catch {
      // A role that may only deposit sees no documents.
      guard isReading, error.code == .permissionDenied else { throw error }
      return try find(address, schema: schema, pool: pool)
    }
    guard let vault = opening.vault else { return nil }
    guard opening.layout == PostgresSchema.layout else {
      throw StoreError(
        .newerLayout, reason: "a newer version of this program made the tables of the database",
        path: address.canonicalText)
    }
    if isReading {
      let documents = opening.documents.merging(opening.few.documents) { $1 }
      pool.ahead.replace(documents, stamps: opening.stamps, few: try opening.few.store(), for: ReadAhead.time)
    }
    return vault
  }
}

extension PostgresStore {
  /// Makes an empty place for a vault under the name in an address.
  package static func create(
    at address: PostgresAddress, password: String? = nil, makingTables: Bool = false
  ) throws(StoreError) -> PostgresStore {
    try create(at: address, password: password, makingTables: makingTables, patience: nil)
  }

  /// Makes an empty place for a vault, with limits for waiting for the server; nil for the usual ones.
  package static func create(
    at address: PostgresAddress, password: String?, makingTables: Bool, patience: ServerPatience?
  ) throws(StoreError) -> PostgresStore {
    let (schema, readers) = parts(address, password: password, patience: patience)
    let pool = readers.writing()
    if makingTables { try makeTables(address, schema: schema, pool: pool) }
    if try find(address, schema: schema, pool: pool) == nil {
      // Both in one statement, because a vault without its locks could not be locked. If two try, one succeeds.
      try pool.with(path: address.canonicalText, writing: true) { connection throws(ServerFault) in
        try connection.run(
          """
          WITH made AS (
            INSERT INTO \(schema.vaults) (vault, name, layout, live, generation, fence)
            VALUES ($1, $2, \(PostgresSchema.layout), 1, 1, 1) ON CONFLICT (name) DO NOTHING RETURNING vault)
          INSERT INTO \(schema.locks) (vault, gate)
          SELECT made.vault, g.gate FROM made, (VALUES (0), (1)) AS g (gate)
          """, [.id(.random()), .text(address.vault)])
      }
    }
    let store = try PostgresStore(at: address, pool, schema)
    guard try store.read(.header) == nil else {
      throw StoreError(.alreadyExists, reason: "is already a vault", path: address.canonicalText)
    }
    return store
  }

  /// Makes the missing tables. If several try at once, all but one get the error that an object already exists or
  /// changed meanwhile, or wait for one that already uses the tables.
  private static func makeTables(
    _ address: PostgresAddress, schema: PostgresSchema, pool: ConnectionPool
  ) throws(StoreError) {
    for attempt in 1... {
      let statements = try missingTables(address, schema: schema, pool: pool)
      if statements.isEmpty { return }
      do throws(StoreError) {
        return try pool.with(path: address.canonicalText, writing: true) { connection throws(ServerFault) in
          for statement in statements { try connection.run(statement) }
        }
      } catch {
        let isRace = ["23505", "42P06", "42P07", "55P03", "XX000"].contains(error.serverFault?.state ?? "")
        guard isRace, attempt < 20 else { throw error }
        LiveFileOperations().sleep(.milliseconds(20 * attempt))
      }
    }
  }

  /// The statements for the tables that are not there.
  private static func missingTables(
    _ address: PostgresAddress, schema: PostgresSchema, pool: ConnectionPool
  ) throws(StoreError) -> [String] {
    // Existing tables are not altered, whichever vaults they hold, because that would wait for all users of them.
    guard case .success = Result(catching: { () throws(StoreError) in try find(address, schema: schema, pool: pool) })
    else { return schema.creation }
    let (hasAttachments, hasDeposits) = try pool.with(path: address.canonicalText) { connection throws(ServerFault) in
      (try connection.hasTable(schema.attachments), try connection.hasTable(schema.deposits))
    }
    return (hasAttachments ? [] : schema.attachmentCreation) + (hasDeposits ? [] : schema.depositCreation)
  }

  private convenience init(
    at address: PostgresAddress, _ pool: ConnectionPool, _ schema: PostgresSchema
  ) throws(StoreError) {
    guard let vault = try Self.find(address, schema: schema, pool: pool) else {
      throw StoreError(.notAVault, reason: "the database has no vault of this name", path: address.canonicalText)
    }
    self.init(address, schema, pool, vault)
  }
}

/// The holder of a lock, only for messages.
struct LockHolder {
  let process: Int32
  let host: String
  /// By the server's clock; nil if it is not known.
  private(set) var start: String?

  static let current = LockHolder(
    process: LiveFileOperations().processIdentifier, host: ServerFault.printable(ProcessEnvironment.hostName.utf8))

  var text: String { "\(process)@\(host)" }

  /// The beginning of the name of a session that holds a vault's lock; `TIME PID@HOST` follows.
  static func mark(of vault: Identifier) -> String { "vault \(vault.text.prefix(8)) " }

  init(process: Int32, host: String) { (self.process, self.host) = (process, host) }

  /// Nil for a text of another form than `YYYYMMDDTHHMMSSZ PID@HOST`.
  init?(_ text: Substring) {
    let words = text.split(separator: " ", maxSplits: 1)
    let parts = words.last?.split(separator: "@", maxSplits: 1) ?? []
    guard words.count == 2, parts.count == 2, let process = Int32(parts[0]), process > 0 else { return nil }
    self.init(process: process, host: String(parts[1]))
    let digits = words[0].filter(\.isASCII).filter(\.isNumber)
    guard digits.count == 14 else { return }
    let marks: [Int: Character] = [4: "-", 6: "-", 8: "T", 10: ":", 12: ":"]
    start =
      digits.enumerated().reduce(into: "") { text, digit in
        if let mark = marks[digit.offset] { text.append(mark) }
        text.append(digit.element)
      } + "Z"
  }

  /// The error for a caller that has waited for it in vain.
  func inTheWay(of address: PostgresAddress) -> StoreError {
    let deed = start.map { "has held the vault's lock since \($0)" } ?? "holds the vault's lock"
    return StoreError(
      .locked, reason: "another process on \(host) \(deed)", path: address.canonicalText, holder: process)
  }
}
