import Testing
import VaultDocument
import VaultPostgresStore
import VaultStorage
import VaultTestSupport

@Suite("Writing into a database", .serialized) struct PostgresWritingTests {
  private static let title = "writing into a database"

  @Test("a writer whose lock was lost with its connection is refused once somebody else has come")
  func fence() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    // A server of its own: sessions of other tests would be ended, too.
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let address = try PostgresAddress(parsing: server.address("fence"))
    let (store, other) = (try PostgresStore.create(at: address, makingTables: true), try PostgresStore(at: address))
    let id = RecordID.random()
    let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    try store.apply([.put(.record(id), [1])], under: lock)
    server.endLockSessions()
    // Nobody has come yet: nothing stands in the way.
    try store.apply([StoreChange(.record(id), from: [1], to: [2])], under: lock)
    try other.apply([StoreChange(.record(id), from: [2], to: [3])], timeout: .seconds(5))
    let error = #expect(throws: StoreError.self) {
      try store.apply([StoreChange(.record(id), from: [3], to: [4])], under: lock)
    }
    #expect(error?.code == .locked)
    lock.release()
    #expect(try store.read(.record(id)) == [3])
  }

  @Test("of two writers that both believe to hold the lock, the second one to write is refused")
  func twoHolders() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let address = try PostgresAddress(parsing: server.address("holders"))
    let (store, other) = (try PostgresStore.create(at: address, makingTables: true), try PostgresStore(at: address))
    let ids = [RecordID.random(), RecordID.random()]
    let lost = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    server.endLockSessions()
    let lock = try other.lock(.exclusive, timeout: .seconds(5), onWait: { _ in })
    // Neither place is the other's, so no comparison of bytes would notice.
    try store.apply([.put(.record(ids[0]), [1])], under: lost)
    let error = #expect(throws: StoreError.self) { try other.apply([.put(.record(ids[1]), [2])], under: lock) }
    #expect(error?.code == .locked)
    #expect(try other.read(.record(ids[1])) == nil)
    // Who comes next writes.
    lock.release()
    lost.release()
    try other.apply([.put(.record(ids[1]), [3])], timeout: .seconds(5))
    #expect(try store.read(.record(ids[1])) == [3])
  }

  @Test("the last change under a lock releases it with its commit, on one connection")
  func lastChange() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer.shared)
    let proxy = try #require(PostgresProxy(of: server))
    defer { proxy.stop() }
    let direct = try PostgresStore.create(
      at: PostgresAddress(parsing: server.address("last", settings: "&sslmode=disable")), makingTables: true)
    let store = try PostgresStore(
      at: PostgresAddress(parsing: server.address("last", port: proxy.port, settings: "&sslmode=disable")))
    let id = RecordID.random()
    proxy.reset()
    let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    #expect(try store.read(.record(id)) == nil)
    (lock as? any ReleasingLock)?.releaseWithNextChange()
    try store.apply([.put(.record(id), [1])], under: lock)
    #expect(proxy.costs.trips == 3)
    #expect(proxy.costs.connections == 0)
    // The lock is free although nobody has released it.
    try direct.apply([StoreChange(.record(id), from: [1], to: [2])], timeout: .zero)
    lock.release()
    #expect(try store.read(.record(id)) == [2])
  }

  @Test("a server that stops as in a power cut loses nothing that was written, and is found again")
  func restart() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let store = try PostgresStore.create(at: PostgresAddress(parsing: server.address("cut")), makingTables: true)
    let id = RecordID.random()
    try store.apply([.put(.record(id), [1])])
    let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    let batch = try store.batch(expecting: 1, under: lock)
    try batch.stage([StoreChange(.record(id), from: [1], to: [2])])
    server.restart()
    #expect(try store.read(.record(id)) == [1])
    // The staged changes are durable, and the fence is still this writer's.
    try batch.commit()
    lock.release()
    #expect(try store.read(.record(id)) == [2])
    try store.apply([StoreChange(.record(id), from: [2], to: [3])])
    #expect(try store.read(.record(id)) == [3])
  }

  @Test("sixteen writers of serializable transactions all get done, and none is lost")
  func serializable() async throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer(settings: ["default_transaction_isolation = 'serializable'"]))
    defer { server.stop() }
    let address = try PostgresAddress(parsing: server.address("serial"))
    let id = RecordID.random()
    try PostgresStore.create(at: address, makingTables: true).apply([.put(.record(id), [0])])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask {
          let store = try PostgresStore(at: address)
          for _ in 0..<5 {
            try store.withLock(.exclusive, timeout: .seconds(60)) { lock throws(StoreError) in
              guard let old = try store.read(.record(id)) else { throw StoreError(.missing, reason: "it is gone") }
              try store.apply([StoreChange(.record(id), from: old, to: [old[0] + 1])], under: lock)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try PostgresStore(at: address).read(.record(id)) == [80])
  }

  @Test("what a trigger makes of a document is noticed, and nothing is changed")
  func trigger() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let store = try PostgresStore.create(at: PostgresAddress(parsing: server.address("t")), makingTables: true)
    let made = server.run(
      """
      CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN IF NEW.place = 3 THEN NEW.bytes := ''\\x00''; END IF; RETURN NEW; END';
      CREATE TRIGGER spoil BEFORE INSERT OR UPDATE ON vault.documents FOR EACH ROW EXECUTE FUNCTION spoil();
      """)
    try #require(made.code == 0, "\(made.errors)")
    let id = RecordID.random()
    let error = #expect(throws: StoreError.self) { try store.apply([.put(.record(id), [1])]) }
    #expect(error?.code == .unverifiedWrite)
    #expect(try store.read(.record(id)) == nil)
    try store.apply([.put(.header, [1])])
  }

  @Test("a document of another size than its place allows does not leave the server")
  func tooLarge() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer.shared)
    let address = try PostgresVault.address()
    let store = try PostgresStore.create(at: address, makingTables: true)
    let (large, small, torn) = (RecordID.random(), RecordID.random(), RecordID.random())
    let bytes = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try store.apply([.put(.record(small), bytes), .put(.record(large), [1]), .put(.record(torn), [1])])
    #expect(try store.read(.record(small)) == bytes)
    server.run("UPDATE vault.documents SET size = 17000000 WHERE id = '\(large.text)'")
    server.run("UPDATE vault.documents SET size = 2 WHERE id = '\(torn.text)'")
    #expect(throws: StoreError.self) { try store.read(.record(large)) }
    #expect(throws: StoreError.self) { try store.read(.record(torn)) }
    // The others stay readable.
    #expect(try store.read(.record(small)) == bytes)
  }

  @Test("a role that may only read reads, and is told that it may not write")
  func roles() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let id = RecordID.random()
    try PostgresStore.create(at: PostgresAddress(parsing: server.address("r")), makingTables: true)
      .apply([.put(.record(id), [1])])
    for statement in PostgresSchema().roles(prefix: "ops") {
      let outcome = server.run(statement)
      try #require(outcome.code == 0, "\(outcome.errors)")
    }
    server.run("ALTER ROLE ops_reader LOGIN; ALTER ROLE ops_writer LOGIN")
    let reader = try PostgresStore(at: PostgresAddress(parsing: server.address("r", user: "ops_reader")))
    #expect(try reader.read(.record(id)) == [1])
    let error = #expect(throws: StoreError.self) { try reader.apply([StoreChange(.record(id), from: [1], to: [2])]) }
    #expect(error?.code == .readOnly)
    let writer = try PostgresStore(at: PostgresAddress(parsing: server.address("r", user: "ops_writer")))
    try writer.apply([StoreChange(.record(id), from: [1], to: [2])])
    try writer.apply((0..<200).map { _ in .put(.record(.random()), [1]) })
    #expect(try reader.read(.record(id)) == [2])
  }
}
