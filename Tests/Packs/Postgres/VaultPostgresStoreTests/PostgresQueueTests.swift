import Foundation
import Testing
import VaultDocument
import VaultPostgresStore
import VaultStorage
import VaultTestSupport
import VaultTrust

/// Many writers of one process, which wait for the lock of a vault in a database.
@Suite("The writers of a process in a database", .serialized) struct PostgresQueueTests {
  private static let title = "writers of a process in a database"

  @Test("one connection of a process waits for the lock, whichever stores its writers have; a moment does not wait")
  func oneConnection() async throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let text = try #require(PostgresServer.shared).address("queue", settings: "&sslmode=disable&schema=queue")
    // In a process of its own, whose threads nobody else keeps busy.
    await #expect(processExitsWith: .success) { [text = text as String] in try await Self.changeAtOnce(at: text) }
  }

  private static func changeAtOnce(at text: String) async throws {
    let address = try PostgresAddress(parsing: text)
    let (id, limit, count) = (RecordID.random(), Duration.seconds(50), 12)
    let holder = try PostgresStore.create(at: address, makingTables: true)
    try holder.apply([.put(.record(id), [0])])
    let watcher = try PostgresConnection(address, applicationName: "watcher", password: nil)
    let lock = try holder.lock(.exclusive, timeout: .zero) { _ in }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask { try await Self.change(id, at: address, within: limit) } }
      var most = 0
      for _ in 0..<20 {
        most = max(most, try Self.waiting(watcher))
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(most == 1, "connections that wait for a lock")
      let moment = try await LockQueue.queue(for: holder, timeout: limit)
        .lock(.snapshot, of: holder, timeout: limit) { _ in }
      #expect(try moment.view?.read(.record(id)) == [0])
      moment.release()
      lock.release()
      try await group.waitForAll()
    }
    #expect(try holder.read(.record(id)) == [UInt8(count)])
  }

  private static func change(_ id: RecordID, at address: PostgresAddress, within limit: Duration) async throws {
    let store = try PostgresStore(at: address)
    let queue = LockQueue.queue(for: store, timeout: limit)
    let lock = try #require(
      try await queue.lock(.exclusive, of: store, changing: id, timeout: limit, unless: { false }, onWait: { _ in }))
    defer { lock.release() }
    let old = try #require(try store.read(.record(id)))
    try store.apply([StoreChange(.record(id), from: old, to: [old[0] + 1])], under: lock)
  }

  @Test("stores of other vaults, and writers with another limit, have other queues")
  func others() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer.shared)
    let stores = try ["queue-a", "queue-b"].map { name in
      try PostgresStore.create(
        at: PostgresAddress(parsing: server.address(name, settings: "&sslmode=disable")), makingTables: true)
    }
    let queue = LockQueue.queue(for: stores[0], timeout: .seconds(5))
    #expect(queue === LockQueue.queue(for: stores[0], timeout: .seconds(5)))
    #expect(queue !== LockQueue.queue(for: stores[1], timeout: .seconds(5)))
    #expect(queue !== LockQueue.queue(for: stores[0], timeout: .seconds(6)))
    let memory = MemoryStore()
    #expect(LockQueue.queue(for: memory, timeout: .zero) !== LockQueue.queue(for: memory, timeout: .zero))
  }

  private static func waiting(_ connection: PostgresConnection) throws -> Int {
    let statement = """
      SELECT count(*)::text FROM pg_stat_activity AS a
      WHERE a.datname = current_database() AND a.wait_event_type = 'Lock' AND a.query LIKE '%queue.locks%'
      """
    return try #require(try connection.row(statement)?.text(0).flatMap { Int($0) })
  }
}
