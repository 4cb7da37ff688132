import Testing
import VaultPostgresStore
import VaultStorage
import VaultTestSupport
import VaultTesting

/// Vaults of tests in the server of the tests, each under a name of its own.
enum PostgresVault {
  static func address(pooled: Bool = false, settings: String = "") throws -> PostgresAddress {
    let server = try #require(PostgresServer.shared)
    let port = pooled ? try #require(server.poolerPort) : server.port
    return try PostgresAddress(
      parsing: server.address("v\(UInt64.random(in: .min ... .max))", port: port, settings: settings))
  }

  static func create(pooled: Bool = false) throws -> PostgresStore {
    try PostgresStore.create(at: address(pooled: pooled), makingTables: true)
  }
}

@Suite("A store in a database keeps the contract") struct PostgresConformanceTests {
  @Test("of PostgreSQL", arguments: StoreConformance.all)
  func server(_ conformance: StoreConformance) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: "the contract, in a database") else { return }
    try conformance.check(PostgresVault.create())
  }

  @Test("of PostgreSQL behind PgBouncer", arguments: StoreConformance.all)
  func pooler(_ conformance: StoreConformance) throws {
    guard PostgresServer.poolerNeed.isMet(forCases: 1, of: "the contract, through a pooler") else { return }
    try conformance.check(PostgresVault.create(pooled: true))
  }
}
