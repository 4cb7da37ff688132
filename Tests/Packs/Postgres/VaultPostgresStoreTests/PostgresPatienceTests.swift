import Foundation
import Synchronization
import Testing
import VaultDocument
import VaultPostgresStore
import VaultStorage
import VaultTestSupport

/// Servers that hang, sessions that hold rows, and clients that are gone without a word.
@Suite("Waiting for a server", .serialized) struct PostgresPatienceTests {
  private static let title = "waiting for a server"

  /// A vault of one record, and stores of it with little patience.
  private struct Bench {
    let server: PostgresServer
    let address: PostgresAddress
    let id = RecordID.random()
    let waits = Waits()

    /// - Parameter schema: a separate one for tests that lock whole tables.
    init(_ name: String, _ server: PostgresServer? = .shared, schema: String = "vault") throws {
      self.server = try #require(server)
      let settings = "&sslmode=disable&schema=\(schema)"
      address = try PostgresAddress(parsing: self.server.address(name, settings: settings))
      try PostgresStore.create(at: address, makingTables: true).apply([.put(.record(id), [0])])
    }

    func store(at address: PostgresAddress? = nil, _ change: (inout ServerPatience) -> Void) throws -> PostgresStore {
      var patience = ServerPatience()
      patience.onWait = { [waits] wait in waits.all.withLock { $0.append(wait) } }
      change(&patience)
      return try PostgresStore(at: address ?? self.address, patience: patience)
    }

    func connection() throws -> PostgresConnection {
      try PostgresConnection(address, applicationName: "another", password: nil)
    }
  }

  private final class Waits: Sendable {
    let all = Mutex<[RemoteWait]>([])
  }

  private static func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  @Test("the lock of a client that lives is kept, however long its work takes and however busy all threads are")
  func living() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench("living")
    let store = try bench.store { $0.lockLimit = .seconds(1) }
    let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    Self.occupyThreads(.seconds(5))
    let other = try PostgresStore(at: bench.address)
    #expect(Self.code { _ = try other.lock(.exclusive, timeout: .seconds(4), onWait: { _ in }) } == .locked)
    try store.apply([StoreChange(.record(bench.id), from: [0], to: [1])], under: lock)
    lock.release()
    #expect(try other.read(.record(bench.id)) == [1])
  }

  /// Lets no task of Swift's pool begin for a while.
  private static func occupyThreads(_ time: Duration) {
    let end = ContinuousClock.now + time
    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
      Task.detached { while ContinuousClock.now < end { usleep(10_000) } }
    }
  }

  @Test("the lock of a client that is gone behind a proxy is given back")
  func vanished() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench("vanished")
    let proxy = try #require(PostgresProxy(of: bench.server))
    defer { proxy.stop() }
    let through = try PostgresAddress(
      parsing: bench.server.address("vanished", port: proxy.port, settings: "&sslmode=disable"))
    let store = try bench.store(at: through) { $0.lockLimit = .seconds(1) }
    let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    // The statements that keep the lock do not arrive any more.
    proxy.hold(.before, 0)
    let other = try PostgresStore(at: bench.address)
    try other.lock(.exclusive, timeout: .seconds(20), onWait: { _ in }).release()
    proxy.release()
    withExtendedLifetime(lock) {}
  }

  @Test("a moment that is read slowly is kept")
  func reading() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench("reading")
    let store = try bench.store { ($0.lockLimit, $0.readerLimit) = (.seconds(1), .seconds(1)) }
    let moment = try store.lock(.snapshot, timeout: .zero, onWait: { _ in })
    Thread.sleep(forTimeInterval: 3)
    #expect(try moment.view?.read(.record(bench.id)) == [0])
    moment.release()
  }

  @Test("who waits in vain is told process, machine and since when the lock is held")
  func holder() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench("holder")
    let store = try PostgresStore(at: bench.address)
    let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    let other = try PostgresStore(at: bench.address)
    let error = #expect(throws: StoreError.self) {
      _ = try other.lock(.exclusive, timeout: .milliseconds(300), onWait: { _ in })
    }
    #expect(error?.holder == ProcessInfo.processInfo.processIdentifier)
    let reason = error?.reason ?? ""
    #expect(reason.hasPrefix("another process on "), "\(reason)")
    #expect(reason.contains(" has held the vault's lock since 2"), "\(reason)")
    #expect(reason.hasSuffix("Z"), "\(reason)")
    #expect(try other.state().holder?.contains("since") == false)
    lock.release()
  }

  @Test(
    "a write waits for what other sessions hold as long as it may, and leaves no session that waits",
    arguments: [
      "SELECT 1 FROM vault.vaults FOR UPDATE", "SELECT 1 FROM vault.documents FOR UPDATE",
      "SELECT 1 FROM vault.locks FOR UPDATE", "LOCK TABLE vault.vaults IN EXCLUSIVE MODE",
      "LOCK TABLE vault.documents IN EXCLUSIVE MODE", "LOCK TABLE vault.locks IN ACCESS EXCLUSIVE MODE",
      "LOCK TABLE vault.folders IN EXCLUSIVE MODE", "LOCK TABLE vault.staged IN ACCESS EXCLUSIVE MODE",
    ])
  func heldByOthers(_ statement: String) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench("held", schema: "held\(UInt32.random(in: .min ... .max))")
    let store = try bench.store { ($0.reconnecting, $0.silence) = (.seconds(2), .milliseconds(500)) }
    let other = try bench.connection()
    _ = try other.row("BEGIN")
    try other.lockRows(statement.replacing("vault.", with: bench.address.schema + "."))
    let start = ContinuousClock.now
    let change = StoreChange(.record(bench.id), from: [0], to: [1])
    #expect(Self.code { try store.apply([change], timeout: .seconds(2)) } == .locked)
    #expect(ContinuousClock.now - start < .seconds(8))
    let waiting = """
      SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\(bench.address.schema)%'
      """
    #expect(bench.server.run(waiting).output == "0\n")
    _ = try other.row("ROLLBACK")
    try store.apply([change], timeout: .seconds(2))
  }

  @Test("a commit that the server does not confirm is told of, and goes on")
  func silence() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let bench = try Bench("silent", server)
    let store = try bench.store { $0.silence = .milliseconds(500) }
    server.waitForStandby(true)
    let waits = bench.waits
    let end = OwnThread.begin {
      while waits.all.withLock({ $0.isEmpty }) { usleep(50_000) }
      server.waitForStandby(false)
    }
    try store.apply([StoreChange(.record(bench.id), from: [0], to: [1])], timeout: .seconds(5))
    end()
    let told = waits.all.withLock { $0 }
    #expect(told.count == 1)
    #expect(told.first == .commit)
  }

  @Test("a server that is away for a moment is waited for by readers and writers that have sent nothing")
  func away() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let bench = try Bench("away", server)
    let old = try bench.store { _ in }
    #expect(try old.read(.record(bench.id)) == [0])
    for number in UInt8(0)..<2 {
      server.cutPower()
      // Not in Swift's pool, whose threads may all be taken by tests.
      let start = OwnThread.begin {
        sleep(1)
        server.start()
      }
      let store = number == 0 ? old : try bench.store { _ in }
      #expect(try store.read(.record(bench.id)) == [number])
      try store.apply([StoreChange(.record(bench.id), from: [number], to: [number + 1])], timeout: .seconds(5))
      start()
    }
  }

  @Test("a server that stays away is given up in time, and one that refuses at once")
  func given() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    var patience = ServerPatience()
    patience.reconnecting = .seconds(2)
    let closed = try PostgresAddress(parsing: "postgresql://127.0.0.1:1,localhost:2/d?vault=v")
    var start = ContinuousClock.now
    #expect(Self.code { _ = try PostgresStore(at: closed, patience: patience) } == .ioFailed)
    #expect(ContinuousClock.now - start >= .seconds(2))
    #expect(ContinuousClock.now - start < .seconds(5))
    patience.reconnecting = .seconds(60)
    let server = try #require(PostgresServer.shared)
    for text in [
      server.address("v").replacing("/postgres?", with: "/nothing?"),
      server.address("v").replacing("tests@", with: "nobody@"), "postgresql://no.host.invalid/d?vault=v",
    ] {
      start = .now
      let address = try PostgresAddress(parsing: text)
      #expect(Self.code { _ = try PostgresStore(at: address, patience: patience) } == .ioFailed)
      #expect(ContinuousClock.now - start < .seconds(30))
    }
  }

  @Test("a standby that asks for a password does not keep the server that takes writes from being asked")
  func standbyFirst() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer(hasReplica: true))
    defer { server.stop() }
    let replica = try #require(server.replicaPort)
    try #require(server.run("SET password_encryption = 'scram-sha-256'; CREATE ROLE ada LOGIN PASSWORD 'x'").code == 0)
    for folder in ["data", "replica"] {
      let path = server.folder + "/" + folder + "/pg_hba.conf"
      let old = try String(contentsOfFile: path, encoding: .utf8)
      try ("host all ada all scram-sha-256\n" + old).write(toFile: path, atomically: false, encoding: .utf8)
    }
    _ = server.run("SELECT pg_reload_conf()")
    _ = server.run("SELECT pg_reload_conf()", onReplica: true)
    let text = "postgresql://ada@127.0.0.1:\(replica),127.0.0.1:\(server.port)/postgres?vault=v"
    let address = try PostgresAddress(parsing: text + "&target_session_attrs=read-write")
    let connection = try Self.soon {
      try PostgresConnection(address, applicationName: "x", password: "x")
    }
    let row = try #require(try connection.row("SELECT pg_is_in_recovery()::text"))
    #expect(try row.text(0) == "false")
  }

  /// The role arrives at the replica a moment later.
  private static func soon<Result>(_ body: () throws -> Result) throws -> Result {
    for _ in 0..<50 {
      if let result = try? body() { return result }
      Thread.sleep(forTimeInterval: 0.1)
    }
    return try body()
  }
}

extension PostgresConnection {
  /// Locks rows, however many.
  fileprivate func lockRows(_ statement: String) throws {
    let counted = statement.hasPrefix("LOCK") ? statement : "SELECT count(*) FROM (\(statement)) AS s"
    _ = try row(counted)
  }
}
