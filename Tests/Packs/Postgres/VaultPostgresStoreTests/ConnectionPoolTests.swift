import Testing
import VaultStorage
import VaultTestSupport
import VaultPostgresStore

@Suite("The connections of a store in a database")
struct ConnectionPoolTests {
  @Test("those that nobody has used for a while are given back, and the next one is made anew")
  func idle() async throws {
    guard PostgresServer.need.isMet(forCases: 1, of: "connections of a store") else { return }
    let server = try #require(PostgresServer.shared)
    let address = try PostgresAddress(parsing: server.address("idle"))
    let pool = ConnectionPool(
      address, applicationName: "vault of the idle", password: nil, idleTime: .milliseconds(300))
    let watcher = try PostgresConnection(address, applicationName: "watcher", password: nil)
    func answer(_ connection: PostgresConnection, _ statement: String) throws -> String? {
      let row = try #require(try connection.row(statement))
      return try row.text(0)
    }
    func count() throws -> String? {
      try answer(watcher, "SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'vault of the idle'")
    }
    // Nobody but the pool holds those that wait.
    var taken = [try pool.take(), try pool.take()]
    pool.give(taken.removeFirst())
    pool.give(taken.removeFirst())
    #expect(try count() == "2")
    taken = [try pool.take()]
    #expect(try await Self.soon { try count() == "1" })
    // A working connection is never closed.
    try await Task.sleep(for: .milliseconds(400))
    #expect(try answer(taken[0], "SELECT 'x'") == "x")
    pool.give(taken.removeFirst())
    #expect(try await Self.soon { try count() == "0" })
    #expect(try answer(pool.take(), "SELECT 'x'") == "x")
  }

  @Test("stores of one address share them; another vault, password or kind of server has its own")
  func sharing() throws {
    func pool(_ vault: String, _ password: String? = nil, _ attributes: String? = nil) throws -> ConnectionPool {
      ConnectionPool.shared(
        try PostgresAddress(parsing: "postgresql://ann@db.example/app?vault=\(vault)"), applicationName: "vault",
        password: password, attributes: attributes)
    }
    let first = try pool("ops")
    #expect(try pool("ops") === first)
    #expect(try pool("dev") !== first)
    #expect(try pool("ops", "another") !== first)
    #expect(try pool("ops", nil, "read-write") !== first)
  }

  /// Whether something becomes true within ten seconds.
  private static func soon(_ condition: () throws -> Bool) async throws -> Bool {
    for _ in 0..<200 {
      if try condition() { return true }
      try await Task.sleep(for: .milliseconds(50))
    }
    return false
  }
}
