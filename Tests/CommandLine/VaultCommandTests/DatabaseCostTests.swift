import Testing
import VaultTestSupport

/// What commands cost between this machine and the server, counted by a proxy.
@Suite("What a database costs") struct DatabaseCostTests {
  private static let title = "what a database costs"

  /// A command, and the most round trips and statements that it may take in a vault of 50 logins.
  struct Cost: CustomTestStringConvertible, Sendable {
    let words: [String]
    let trips: Int
    let statements: Int

    init(_ words: String..., trips: Int, statements: Int) {
      (self.words, self.trips, self.statements) = (words, trips, statements)
    }

    var testDescription: String { words.joined(separator: " ") }
  }

  private static let costs = [
    Cost("get", "Login 7", "username", trips: 1, statements: 4),
    Cost("show", "Login 7", trips: 1, statements: 4),
    Cost("list", trips: 1, statements: 4),
    Cost("find", "Login 7", trips: 1, statements: 4),
    Cost("set", "Login 7", "username=grace", trips: 3, statements: 11),
    Cost("add", "login", "New", "--set", "username=grace", trips: 3, statements: 11),
    Cost("remove", "Login 8", "--yes", trips: 4, statements: 13),
  ]

  /// A vault of 50 logins behind a proxy.
  private struct Bench {
    let vault: DatabaseBench
    let proxy: PostgresProxy
    let address: String

    init(recordCount: Int = 50) throws {
      let bench = try DatabaseBench.withVault()
      let records = (0..<recordCount).map { #"{"title":"Login \#($0)","username":"ada","password":"b"}"# }
      _ = bench.workspace.write(records.joined(separator: "\n"), to: "records.jsonl")
      try #require(bench.run("import", "jsonl", "records.jsonl", "--kind", "login").code == 0)
      (vault, proxy) = (bench, try #require(PostgresProxy(of: bench.server)))
      address = bench.address(through: proxy)
      // The first command that unlocks the vault notes the new address.
      let first = bench.run("get", "Login 1", "username", at: address)
      try #require(first.code == 0, "\(first.errors)")
    }

    func run(_ words: [String]) -> (trips: Int, statements: Int, connections: Int) {
      proxy.reset()
      let run = vault.run(words, at: address)
      #expect(run.code == 0, "\(words): \(run.errors)")
      return proxy.costs
    }
  }

  @Test("a command takes few round trips, on one connection", arguments: costs)
  func trips(_ cost: Cost) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench()
    defer { bench.proxy.stop() }
    let found = bench.run(cost.words)
    #expect(found.trips <= cost.trips && found.trips > 0, "\(found.trips) round trips")
    #expect(found.statements <= cost.statements, "\(found.statements) statements")
    #expect(found.connections == 1)
  }

  @Test("a name is found in two round trips among 300 records, too")
  func large() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(recordCount: 300)
    defer { bench.proxy.stop() }
    // The first look-up makes the index.
    _ = bench.run(["get", "Login 7", "username"])
    let found = bench.run(["get", "Login 7", "username"])
    #expect(found.trips == 2)
  }
}
