import Foundation
import Synchronization
import Testing
import VaultDocument
import VaultPostgresStore
import VaultStorage
import VaultTestSupport

/// Connections, clients and servers that go away at each statement of a write.
@Suite("A database that goes away", .serialized) struct PostgresCutTests {
  private static let title = "a database that goes away"
  private static let settings = "&sslmode=disable"

  private final class End: Sendable { let isReached = Atomic(false) }

  /// Two records, of which a write changes one, removes the other, and adds a third.
  private struct Bench {
    let server: PostgresServer
    let proxy: PostgresProxy
    let changed = RecordID.random()
    let removed = RecordID.random()
    let direct: PostgresStore
    let through: PostgresStore

    init(_ server: PostgresServer, _ name: String) throws {
      self.server = server
      proxy = try #require(PostgresProxy(of: server))
      let address = try PostgresAddress(parsing: server.address(name, settings: settings))
      direct = try PostgresStore.create(at: address, makingTables: true)
      through = try PostgresStore(
        at: PostgresAddress(parsing: server.address(name, port: proxy.port, settings: settings)))
      try direct.apply([.put(.record(changed), [0]), .put(.record(removed), [0])])
    }

    /// A store through the proxy that shares no connection.
    func connected() throws -> PostgresStore { try PostgresStore(at: through.address, patience: ServerPatience()) }

    /// Which of the two states is there; nil for a mix of them.
    func isNew(_ added: RecordID) throws -> Bool? {
      let found = (
        try direct.read(.record(changed)) == [1], try direct.read(.record(removed)) == nil,
        try direct.read(.record(added)) == [1]
      )
      return found == (true, true, true) ? true : found == (false, false, false) ? false : nil
    }

    func changes(_ added: RecordID) -> [StoreChange] {
      [
        StoreChange(.record(changed), from: [0], to: [1]), StoreChange(.record(removed), from: [0], to: nil),
        .put(.record(added), [1]),
      ]
    }

    /// Writes under a lock, which the change releases if it is the last one.
    func write(_ changes: [StoreChange], isLast: Bool) throws(StoreError) {
      let lock = try through.lock(.exclusive, timeout: .seconds(20), onWait: { _ in })
      defer { lock.release() }
      if isLast { (lock as? any ReleasingLock)?.releaseWithNextChange() }
      try through.apply(changes, under: lock)
    }

    func putBack(_ added: RecordID) throws {
      try direct.apply([
        StoreChange(.record(changed), from: [1], to: [0]), .put(.record(removed), [0]),
        StoreChange(.record(added), from: [1], to: nil),
      ])
    }
  }

  /// Writes once for each statement, until one is not reached; each leaves the old state or the new one, and the new
  /// one where the write was acknowledged.
  private func atEachStatement(_ bench: Bench, isLast: Bool, _ order: (Int) -> Void) throws -> Int {
    for number in 0..<20 {
      let added = RecordID.random()
      order(number)
      var isDone = false
      do throws(StoreError) {
        try bench.write(bench.changes(added), isLast: isLast)
        isDone = true
      } catch {
        #expect([.ioFailed, .locked, .outcomeUnknown].contains(error.code), "statement \(number): \(error)")
      }
      let isReached = bench.proxy.isReached
      let isNew = try bench.isNew(added)
      #expect(isNew != nil, "statement \(number) left a mix")
      #expect(!isDone || isNew == true, "statement \(number): what was acknowledged is lost")
      if isNew == true { try bench.putBack(added) }
      if !isReached { return number }
    }
    return 20
  }

  @Test(
    "a connection that is cut at any statement leaves one of two states", arguments: PostgresProxy.Side.allCases,
    [false, true])
  func cut(_ side: PostgresProxy.Side, isLast: Bool) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(try #require(PostgresServer.shared), "cut_\(side.rawValue)_\(isLast)")
    defer { bench.proxy.stop() }
    let count = try atEachStatement(bench, isLast: isLast) { bench.proxy.cut(side, $0) }
    // The lock, the change and, unless that releases the lock, the release.
    #expect(count == (isLast ? 2 : 3), "\(count) round trips")
  }

  @Test("a server that is starting up is waited for")
  func starting() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(try #require(PostgresServer.shared), "starting")
    defer { bench.proxy.stop() }
    // Each time it is asked whether it still is.
    bench.proxy.refuse(7)
    #expect(try bench.connected().read(.record(bench.changed)) == [0])
  }

  @Test("a connection that ends in the middle of its start is made anew, three times")
  func brokenStart() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(try #require(PostgresServer.shared), "broken_start")
    defer { bench.proxy.stop() }
    bench.proxy.breakStart(3)
    #expect(try bench.connected().read(.record(bench.changed)) == [0])
    bench.proxy.breakStart(4)
    let error = #expect(throws: StoreError.self) { try bench.connected() }
    #expect(error?.reason == "the connection to the database failed")
  }

  @Test("a commit of which no answer comes is found to be done, and acknowledged")
  func commit() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(try #require(PostgresServer.shared), "commit")
    defer { bench.proxy.stop() }
    let lock = try bench.through.lock(.exclusive, timeout: .zero, onWait: { _ in })
    // One round trip from the begin to the commit.
    bench.proxy.cut(.after, 0)
    try bench.through.apply([StoreChange(.record(bench.changed), from: [0], to: [1])], under: lock)
    #expect(bench.proxy.isReached)
    lock.release()
    #expect(try bench.direct.read(.record(bench.changed)) == [1])
  }

  @Test("a commit of which no answer comes, from a server that does not come back, is told as unknown")
  func unknown() async throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(try #require(PostgresServer.shared), "unknown")
    let lock = try bench.through.lock(.exclusive, timeout: .zero, onWait: { _ in })
    bench.proxy.hold(.after, 0)
    async let end = code { () throws(StoreError) in
      try bench.through.apply([StoreChange(.record(bench.changed), from: [0], to: [1])], under: lock)
    }
    while !bench.proxy.isReached { try await Task.sleep(for: .milliseconds(2)) }
    bench.proxy.stop()
    #expect(await end == .outcomeUnknown)
    lock.release()
    #expect(try bench.direct.read(.record(bench.changed)) == [1])
  }

  /// The code that a write ends with, on a thread of its own; nil where it is done.
  private func code(_ write: @escaping @Sendable () throws(StoreError) -> Void) async -> StoreError.Code? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        do throws(StoreError) {
          try write()
          continuation.resume(returning: nil)
        } catch {
          continuation.resume(returning: error.code)
        }
      }
    }
  }

  @Test(
    "a commit whose wait for a standby is ended is stored, and told to be in doubt",
    arguments: ["pg_cancel_backend", "pg_terminate_backend"])
  func replication(_ function: String) async throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let store = try PostgresStore.create(
      at: PostgresAddress(parsing: server.address("doubt", settings: Self.settings)), makingTables: true)
    let id = RecordID.random()
    server.waitForStandby(true)
    async let end = code { () throws(StoreError) in try store.apply([.put(.record(id), [1])], timeout: .seconds(5)) }
    let watch = Task {
      while !Task.isCancelled {
        server.endWaits(by: function)
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    #expect(await end == .mayBeLost)
    watch.cancel()
    await watch.value
    server.waitForStandby(false)
    #expect(try store.read(.record(id)) == [1])
    // The store continues with its present state.
    try store.apply([StoreChange(.record(id), from: [1], to: [2])])
    #expect(try store.read(.record(id)) == [2])
  }

  @Test("a warning of a trigger in a commit is no doubt")
  func warning() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer.shared)
    let store = try PostgresStore.create(
      at: PostgresAddress(parsing: server.address("warned", settings: "&schema=warned")), makingTables: true)
    let made = server.run(
      """
      CREATE FUNCTION warned.warn() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE WARNING 'committed locally'; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON warned.documents DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION warned.warn();
      """)
    #expect(made.code == 0, "\(made.errors)")
    try store.apply([.put(.record(.random()), [1])])
  }

  @Test("a server that dies at any statement leaves one of two states, and is found again")
  func server() async throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let bench = try Bench(server, "server")
    defer { bench.proxy.stop() }
    for number in 0..<20 {
      let added = RecordID.random()
      bench.proxy.hold(.before, number)
      let end = End()
      async let write = written(bench, added, end)
      while !bench.proxy.isReached, !end.isReached.load(ordering: .acquiring) {
        try await Task.sleep(for: .milliseconds(2))
      }
      let isReached = bench.proxy.isReached
      if isReached {
        server.cutPower()
        bench.proxy.release()
        server.start()
      }
      let isDone = await write
      let isNew = try bench.isNew(added)
      #expect(isNew != nil, "statement \(number)")
      #expect(!isDone || isNew == true, "statement \(number)")
      if isNew == true { try bench.putBack(added) }
      if !isReached { return #expect(number == 3, "\(number) round trips") }
    }
    Issue.record("no write was done in 20 round trips")
  }

  /// Whether a write was acknowledged; it blocks a thread of its own, since a test waits for it.
  private func written(_ bench: Bench, _ added: RecordID, _ end: End) async -> Bool {
    let isDone = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          returning: (try? bench.through.apply(bench.changes(added), timeout: .seconds(20))) != nil)
      }
    }
    end.isReached.store(true, ordering: .releasing)
    return isDone
  }
}
