import Foundation
import Testing
import VaultTestSupport

/// Commands whose last commit nobody vouches for: it is stored and may be lost, or nobody knows whether it is stored.
@Suite("A change that may be lost", .serialized) struct DatabaseDoubtTests {
  private static let title = "a change that may be lost"

  /// A command that writes, and what the vault has of it afterwards.
  struct Writer: Sendable, CustomTestStringConvertible {
    let words: [String]
    let isThere: @Sendable (DatabaseBench) -> Bool

    var testDescription: String { words.joined(separator: " ") }
  }

  private static func holds(_ words: String...) -> @Sendable (DatabaseBench) -> Bool {
    { bench in bench.run(words).code == 0 }
  }

  static let writers = [
    Writer(words: ["set", "GitLab", "username=grace"]) { $0.run("get", "GitLab", "username").output == "grace" },
    Writer(words: ["add", "login", "New", "-g"], isThere: holds("show", "New")),
    Writer(words: ["import", "jsonl", "records.jsonl", "--kind", "login"], isThere: holds("show", "I3")),
    Writer(words: ["attach", "GitLab", "file.txt"], isThere: holds("get", "GitLab", "--attachment", "file.txt")),
    Writer(words: ["remove", "GitLab", "-y"]) { $0.run("show", "GitLab").status == .notFound },
    Writer(words: ["checkpoint"], isThere: holds("verify", "--since-checkpoint")),
    Writer(words: ["rekey", "-y"], isThere: holds("verify")),
    Writer(words: ["key", "add", "--generate-identity", "second.txt"]) {
      $0.workspace.run(
        ["list", "--verify"], adding: $0.variables().merging(["CVAULT_IDENTITY_FILE": "second.txt"]) { $1 }
      )
      .code == 0
    },
    Writer(words: ["kinds", "add", "wifi.json"], isThere: holds("kinds", "show", "wifi")),
  ]

  @Test("a commit whose wait for a standby is cancelled is stored, and ends with 19", arguments: writers)
  func cancelled(_ writer: Writer) async throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let bench = try DatabaseBench.withVault(server)
    _ = bench.workspace.write(
      (0..<5).map { #"{"title":"I\#($0)","username":"a","password":"b"}"# }.joined(separator: "\n"), to: "records.jsonl"
    )
    _ = bench.workspace.write("text", to: "file.txt")
    _ = bench.workspace.write(
      #"{"title":"wifi","type":"object","properties":{"title":{"type":"string"}}}"#, to: "wifi.json")
    let run = await Self.run(bench, writer.words, endingWaitsOf: server)
    #expect(run.status == .mayBeLost, "\(run.code) \(run.errors)")
    #expect(run.errors.contains("standby"), "\(run.errors)")
    #expect(writer.isThere(bench))
    #expect(bench.run("verify").code == 0)
  }

  @Test("the error document has a code of its own, and says what to do")
  func document() async throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let bench = try DatabaseBench.withVault(server)
    let run = await Self.run(bench, ["set", "GitLab", "username=grace", "--json"], endingWaitsOf: server)
    #expect(run.status == .mayBeLost)
    #expect(run.errors.contains(#""may_be_lost""#), "\(run.errors)")
  }

  @Test("a connection that is lost in a commit, to a server that stays away, ends with 20")
  func unknown() async throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try DatabaseBench.withVault()
    let id = try #require(JSON(bench.run("show", "GitLab", "--json").stdout)["id"]?.text)
    // Behind the commit the lock is given back, by a statement or two.
    for back in 1...4 {
      let proxy = try #require(PostgresProxy(of: bench.server))
      let address = bench.address(through: proxy)
      // The first command at an address also notes the address.
      #expect(bench.run("set", id, "username=zeroth", at: address).code == 0)
      let before = proxy.count
      #expect(bench.run("set", id, "username=first", at: address).code == 0)
      proxy.hold(.after, proxy.count - before - back)
      async let end = Self.run(bench, ["set", id, "username=second", "--json"], at: address)
      // A run that has ended needs no more statements.
      for _ in 0..<1000 where !proxy.isReached { try await Task.sleep(for: .milliseconds(5)) }
      proxy.stop()
      let run = await end
      guard run.code != 0 else { continue }
      #expect(run.status == .outcomeUnknown, "\(run.code) \(run.errors)")
      #expect(run.errors.contains(#""outcome_unknown""#), "\(run.errors)")
      #expect(run.errors.contains("vault show"), "\(run.errors)")
      #expect(bench.run("get", id, "username").output == "second")
      return
    }
    Issue.record("no statement was the commit")
  }

  @Test("a change that is lost with its connection, after another writer took the lock, begins anew")
  func lostLock() async throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let bench = try DatabaseBench.withVault(server)
    let id = try #require(JSON(bench.run("show", "GitLab", "--json").stdout)["id"]?.text)
    let proxy = try #require(PostgresProxy(of: bench.server))
    defer { proxy.stop() }
    let address = bench.address(through: proxy)
    #expect(bench.run("set", id, "username=zeroth", at: address).code == 0)
    let before = proxy.count
    #expect(bench.run("set", id, "username=first", at: address).code == 0)
    proxy.hold(.before, proxy.count - before - 1)
    async let end = Self.run(bench, ["set", id, "username=second"], at: address)
    for _ in 0..<1000 where !proxy.isReached { try await Task.sleep(for: .milliseconds(5)) }
    // As another writer leaves it, whose server did not have the first one's lock.
    #expect(server.run("UPDATE vault.vaults SET generation = generation + 1, fence = 42").code == 0)
    proxy.release()
    let run = await end
    #expect(run.code == 0, "\(run.code) \(run.errors)")
    #expect(bench.run("get", id, "username").output == "second")
    #expect(server.run("SELECT count(*) FROM vault.vaults WHERE fence = 42").output == "0\n")
    #expect(bench.run("verify").code == 0)
  }

  private static func run(
    _ bench: DatabaseBench, _ words: [String], endingWaitsOf server: PostgresServer
  ) async -> ProcessOutcome {
    server.waitForStandby(true)
    defer { server.waitForStandby(false) }
    async let end = run(bench, words)
    let watch = Task {
      while !Task.isCancelled {
        server.endWaits()
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    let outcome = await end
    watch.cancel()
    await watch.value
    return outcome
  }

  /// On a thread of its own: a test waits for it.
  private static func run(_ bench: DatabaseBench, _ words: [String], at address: String? = nil) async -> ProcessOutcome
  {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: bench.run(words, at: address)) }
    }
  }
}
