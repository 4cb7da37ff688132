import Foundation
import Synchronization
import Testing
import VaultTestSupport

/// Commands whose process, or whose server, is killed at each statement.
@Suite("A command that dies in a database", .serialized) struct DatabaseCrashTests {
  private static let title = "deaths at each statement of a command"

  /// The process that dies, before or after the statement.
  enum Death: CaseIterable {
    case clientBefore, clientAfter, serverBefore, serverAfter

    var isOfServer: Bool { self == .serverBefore || self == .serverAfter }
    var side: PostgresProxy.Side { self == .clientBefore || self == .serverBefore ? .before : .after }
  }

  /// The work of the process.
  enum Work: CaseIterable {
    case reseal, importing, set, attaching

    /// Imports are left out: at each statement of one they take many minutes.
    static let tried: [Work] = [.reseal, .set, .attaching]

    /// How many statements further the next death is: a reseal has hundreds of them, most of which read.
    var stride: Int { self == .reseal ? 97 : 1 }
  }

  /// The state of the vault, as far as the work changes it.
  private enum State: Equatable {
    case value(String), count(Int), attached(Int), whole

    /// The expected state after the work of a number.
    func following(_ number: Int) -> State {
      switch self {
      case .value: .value("u\(number)")
      case .count(let count): .count(count + Self.importedCount)
      case .attached(let count): .attached(count + 2)
      case .whole: .whole
      }
    }

    /// So many that they are staged first.
    static let importedCount = 70
  }

  private struct Bench {
    let vault: DatabaseBench
    let proxy: PostgresProxy
    let through: String
    /// That of the first record: a name would be looked for in all of them.
    let id: String

    init(_ server: PostgresServer) throws {
      vault = try DatabaseBench.withVault(server)
      proxy = try #require(PostgresProxy(of: server))
      through = vault.address(through: proxy)
      for name in ["Mail", "Wiki"] {
        let added = vault.run("add", "login", name, "username=x", "-g")
        try #require(added.code == 0, "\(added.errors)")
      }
      id = try #require(JSON(vault.run("show", "GitLab", "--json").stdout)["id"]?.text)
      vault.workspace.prepare("head -c 1500000 /dev/urandom >big; cp big z")
      let attached = vault.run("attach", "Wiki", "z")
      try #require(attached.code == 0, "\(attached.errors)")
    }

    /// Lets the work be done by a process that tells its number first.
    func begin(_ work: Work, _ number: Int) -> Process {
      let words: [String]
      switch work {
      case .set: words = ["set", id, "username=u\(number)"]
      case .importing:
        let records = (0..<State.importedCount).map { #"{"title":"\#(number)-\#($0)","username":"a","password":"b"}"# }
        _ = vault.workspace.write(records.joined(separator: "\n"), to: "records.jsonl")
        words = ["import", "jsonl", "records.jsonl", "--kind", "login"]
      case .reseal: words = ["rekey", "--reseal", "--yes"]
      case .attaching:
        vault.workspace.prepare("ln -f big b\(number); ln -f big c\(number)")
        words = ["attach", id, "b\(number)", "c\(number)"]
      }
      FileTree.remove(vault.workspace.path + "/pid")
      return Process(
        ["-c", #"echo $$ >pid; exec "$0" "$@""#, Binary.path] + words,
        vault.workspace.environment.merging(vault.variables(through)) { $1 }, vault.workspace.path)
    }

    func state(of work: Work) -> State {
      switch work {
      case .set: .value(vault.run("get", id, "username").output)
      case .importing: .count(vault.run("list", "--no-index").output.split(separator: "\n").count)
      case .attaching: .attached(vault.run("attachments", id).output.split(separator: "\n").count)
      case .reseal: .whole
      }
    }

    /// Expects a whole vault in the old or the new state; an acknowledged change must be there.
    ///
    /// - Returns: whether it is in the new state.
    func check(_ work: Work, _ before: State, _ number: Int, _ outcome: ProcessOutcome) -> Bool {
      let what = Comment("\(work), statement \(number): \(outcome.code) \(outcome.errors)")
      let verified = vault.run("verify")
      #expect(verified.code == 0, "\(what.rawValue): \(verified.errors)")
      let (now, wanted) = (state(of: work), before.following(number))
      #expect(now == wanted || now == before && outcome.code != 0, what)
      guard work == .reseal else { return now == wanted }
      #expect(vault.run("get", id, "password").output == "pw1", what)
      guard JSON(vault.run("status", "--json").stdout)["unfinished_rotation"] != .null else { return true }
      let finished = vault.run("rekey", "--yes")
      #expect(finished.code == 0, "\(what.rawValue): \(finished.errors)")
      #expect(vault.run("verify").code == 0, "\(what.rawValue): \(finished.errors)")
      return false
    }

    /// How many rows are there of writes that never ended, once a repair has removed attachments that no record names.
    func leftovers() throws -> String {
      let repaired = vault.run("repair", "--yes")
      #expect(repaired.code == 0, "\(repaired.errors)")
      let named = ["Wiki", id].map { vault.run("attachments", $0).output.split(separator: "\n").count }
      return try vault.administer(
        """
        SELECT (SELECT count(*) FROM vault.staged AS s WHERE s.vault = v.vault)
          + (SELECT count(*) FROM vault.attachments AS a WHERE a.vault = v.vault) - \(2 * (named[0] + named[1]))
          + (SELECT count(*) FROM vault.documents AS d WHERE d.vault = v.vault AND d.live > 0 AND d.live <> v.live)
        FROM vault.vaults AS v WHERE v.\(vault.isItsRow)
        """)
    }
  }

  /// A process that runs meanwhile.
  private final class Process: Sendable {
    private let outcome = Mutex<ProcessOutcome?>(nil)

    init(_ arguments: [String], _ environment: [String: String], _ folder: String) {
      Thread.detachNewThread { [self] in
        let ended = ProcessRun(path: "/bin/sh", arguments: arguments, environment: environment, directory: folder).run()
        outcome.withLock { $0 = ended }
      }
    }

    var ended: ProcessOutcome? { outcome.withLock { $0 } }

    func wait() async throws -> ProcessOutcome {
      while true {
        if let ended { return ended }
        try await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  @Test(
    "it leaves a vault that is whole, as it was or as it was to be, and the next one clears up",
    arguments: Work.tried, Death.allCases)
  func dies(_ work: Work, _ death: Death) async throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(death.isOfServer ? PostgresServer() : .shared)
    defer { if death.isOfServer { server.stop() } }
    let bench = try Bench(server)
    defer { bench.proxy.stop() }
    var storedCount = 0
    for number in stride(from: 0, to: 5000, by: work.stride) {
      let before = bench.state(of: work)
      bench.proxy.hold(death.side, number)
      let process = bench.begin(work, number)
      while !bench.proxy.isReached, process.ended == nil { try await Task.sleep(for: .milliseconds(2)) }
      let isReached = bench.proxy.isReached
      if isReached {
        // At its last statement it may have ended by itself.
        let killing = "kill -KILL $(cat pid) || true"
        if death.isOfServer { server.cutPower() } else { bench.vault.workspace.prepare(killing) }
        bench.proxy.release()
        if death.isOfServer { server.start() }
      }
      let outcome = try await process.wait()
      #expect(
        death.isOfServer || !isReached ? [0, 12, 18].contains(outcome.code) : [-9, 0].contains(outcome.code),
        "\(outcome.errors)")
      if bench.check(work, before, number, outcome), work == .importing { storedCount += 1 }
      // Each import that is stored makes the next one longer: behind a few there is nothing new.
      guard isReached, storedCount < 6 else {
        #expect(number >= 3, "\(work): \(number) round trips")
        #expect(bench.vault.run("set", bench.id, "username=last").code == 0)
        #expect(try bench.leftovers() == "0\n")
        return
      }
    }
    Issue.record("\(work) was not done in 5000 statements")
  }
}
