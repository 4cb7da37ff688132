import Foundation
import Testing
import VaultTestSupport

/// Commands that read from a server which follows another: a temporary lag is not a rollback.
@Suite("A vault that is read from a replica", .serialized) struct DatabaseReplicaTests {
  private static let title = "a vault that is read from a replica"

  /// A vault of one login, a server that follows its server, and the vault's address there.
  private struct Bench {
    let vault: DatabaseBench
    let replica: String
    var server: PostgresServer { vault.server }

    init(_ server: PostgresServer) throws {
      vault = try .withVault(server)
      let port = try #require(server.replicaPort)
      replica = vault.address.replacing(":\(server.port)/", with: ":\(port)/")
      try arrive()
    }

    /// Waits until the replica has all.
    func arrive() throws {
      let position = try vault.administer("SELECT pg_current_wal_lsn()").trimmingCharacters(in: .newlines)
      for _ in 0..<200 {
        let answer = server.run("SELECT pg_last_wal_replay_lsn() >= '\(position)'", onReplica: true)
        if answer.output == "t\n" { return }
        Thread.sleep(forTimeInterval: 0.05)
      }
      Issue.record("the replica did not catch up")
    }

    func hold(_ isHeld: Bool) { server.holdReplica(isHeld) }
  }

  private static let server = PostgresServer.need.isMet(forCases: 1, of: title) ? PostgresServer(hasReplica: true) : nil

  static let readers: [[String]] = [
    ["get", "GitLab", "username"], ["show", "GitLab"], ["list", "--verify"], ["verify"],
    ["export", "--format", "json"], ["check"], ["backup", "create", "--to", "home"],
  ]

  @Test("a replica that is behind for a moment is waited for", arguments: readers)
  func moment(_ words: [String]) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(try #require(Self.server))
    #expect(bench.vault.run(words, at: bench.replica).code == 0)
    bench.hold(true)
    #expect(bench.vault.run("set", "GitLab", "username=grace").code == 0)
    let server = bench.server
    // A thread of its own: other tests may fill the pool of Swift's tasks.
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 1)
      server.holdReplica(false)
    }
    let run = bench.vault.run(words, at: bench.replica)
    #expect(run.code == 0, "\(run.code) \(run.errors)")
    if words[0] == "get" { #expect(run.output == "grace") }
    try bench.arrive()
  }

  @Test(
    "a replica that stays behind is told as one, and nobody is asked to take an older state",
    arguments: readers.filter { $0[0] != "backup" })
  func lag(_ words: [String]) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(try #require(Self.server))
    #expect(bench.vault.run(words, at: bench.replica).code == 0)
    bench.hold(true)
    defer { bench.hold(false) }
    for change in [["set", "GitLab", "username=grace"], ["key", "add", "--generate-identity", "second.txt"]] {
      #expect(bench.vault.run(change).code == 0)
      let run = bench.vault.run(words + ["--wait-for-primary", "1", "--lock-timeout", "60"], at: bench.replica)
      #expect([.inputOutput, .partlyDone].contains(run.status), "\(run.code) \(run.errors)")
      #expect(run.errors.contains("a replica that has not caught up"), "\(run.errors)")
      for word in ["pin update", "git ", "--accept-rollback", "gone back"] {
        #expect(!run.errors.contains(word), "\(run.errors)")
      }
    }
  }

  @Test("what was put back is found on the server and on its replica, in words of databases", arguments: [false, true])
  func rollback(isReplica: Bool) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(try #require(Self.server))
    let row = "vault = (SELECT v.vault FROM vault.vaults AS v WHERE v.\(bench.vault.isItsRow))"
    let name = DatabaseBench.name("saved")
    try bench.vault.administer("CREATE TABLE \(name) AS SELECT * FROM vault.documents WHERE \(row)")
    #expect(bench.vault.run("set", "GitLab", "username=grace").code == 0)
    try bench.vault.administer(
      "DELETE FROM vault.documents WHERE \(row); INSERT INTO vault.documents SELECT * FROM \(name)")
    try bench.arrive()
    for words in Self.readers where !["export", "backup"].contains(words[0]) {
      let run = bench.vault.run(words, at: isReplica ? bench.replica : bench.vault.address)
      #expect(run.status == .unexpectedVault, "\(words): \(run.code) \(run.errors)")
      #expect(run.errors.contains("administrator of the database"), "\(words): \(run.errors)")
      #expect(!run.errors.contains("git "), "\(words): \(run.errors)")
    }
  }

  @Test(
    "of two servers the one that accepts changes gets them, whatever the address asks for",
    arguments: ["", "&target_session_attrs=any", "&target_session_attrs=prefer-standby"])
  func twoServers(_ setting: String) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(try #require(Self.server))
    let (replica, port) = (try #require(bench.server.replicaPort), bench.server.port)
    let hosts = "127.0.0.1:\(replica),127.0.0.1:\(port)/"
    let address = bench.vault.address.replacing("127.0.0.1:\(port)/", with: hosts) + setting
    let changed = bench.vault.run("set", "GitLab", "username=grace", at: address)
    #expect(changed.code == 0, "\(changed.errors)")
    let read = bench.vault.run("get", "GitLab", "username", at: address)
    #expect(read.output == "grace", "\(read.errors)")
    #expect(bench.vault.run("rekey", "--yes", at: address).code == 0)
    #expect(bench.vault.run("verify", at: address).code == 0)
  }

  @Test("the check of a store says how far a commit has come, and how many standbys follow")
  func standbys() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(try #require(Self.server))
    func check(_ address: String) -> String { bench.vault.run("store", "check", address).output }
    #expect(check(bench.vault.address).contains("waits for no standby (synchronous_commit is on), and 1 follow"))
    #expect(check(bench.vault.address + "&synchronous_commit=remote_apply").contains("is remote_apply"))
    #expect(check(bench.replica).contains("follows another one"))
  }

  @Test("a replica is not called a copy that goes on alone, and a backup of it says what it is")
  func notes() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(try #require(Self.server))
    let run = bench.vault.run("list", "--verify", at: bench.replica)
    #expect(run.code == 0)
    #expect(!run.errors.contains("copy"), "\(run.errors)")
    let backup = bench.vault.run("backup", "create", "--to", "home", at: bench.replica)
    #expect(backup.code == 0)
    #expect(backup.errors.contains("the server is a replica"), "\(backup.errors)")
  }
}

extension PostgresServer {
  /// Lets the replica stay where it is, or go on.
  fileprivate func holdReplica(_ isHeld: Bool) {
    run("SELECT pg_wal_replay_\(isHeld ? "pause" : "resume")()", onReplica: true)
  }
}
