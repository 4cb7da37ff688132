import Testing
import VaultTestSupport

/// Commands of several processes at once, on a vault in a folder and on one in a database.
@Suite("Commands at the same time", .serialized) struct DatabaseRaceTests {
  private static let title = "commands at the same time"
  private static let count = 300

  /// Runs a script, in which `$V` is the program.
  fileprivate static func shell(
    _ workspace: Workspace, _ script: String, _ variables: [String: String]
  ) -> ProcessOutcome {
    var plan = ProcessRun(
      path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment, directory: workspace.path)
    plan.environment.merge(variables) { $1 }
    plan.environment["V"] = Binary.path
    plan.timeoutSeconds = 400
    return plan.run()
  }

  fileprivate static func logins(_ numbers: ClosedRange<Int>, _ name: String) -> String {
    numbers.map { #"{"title":"\#(name) \#($0)","username":"user\#($0)","password":"pw\#($0)"}"# + "\n" }.joined()
  }

  @Test("three imports of one file into a database store each entry once", arguments: ["", "--update"])
  func imports(_ option: String) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try DatabaseBench.withVault()
    let table =
      "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
      + (1...Self.count).map { ",,login,site \($0),,,0,https://s\($0).example,user\($0),pw\($0),\n" }.joined()
    _ = bench.workspace.write(table, to: "t.csv")
    let run = Self.shell(
      bench.workspace,
      """
      for p in 1 2 3; do
        ( $V import bitwarden-csv t.csv \(option) --lock-timeout 200 >out.$p 2>err.$p; echo $? >code.$p ) &
      done; wait; cat code.*; cat err.* >&2
      """, bench.variables())
    #expect(run.output == "0\n0\n0\n", "\(run.output)\(run.errors)")
    let lines = bench.run("list", "--format", "tsv", "--kind", "login").output.split(separator: "\n")
    // One was there before.
    #expect(lines.count == Self.count + 1)
    #expect(bench.run("verify").code == 0)
  }

  @Test("move, store copy and restores at once lose nothing and double nothing", arguments: [false, true])
  func movesAndCopies(isDatabase: Bool) throws {
    if isDatabase { guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return } }
    let bench = try Pair(isDatabase ? PostgresServer.shared : nil)
    let run = Self.shell(
      bench.workspace,
      """
      ( for n in $(seq 20); do
          $V move "a:moved $n" --to b --yes -q --lock-timeout 200 || echo move $n: $?; done ) &
      ( for n in $(seq 20); do
          $V restore "kept $n" --vault "$A" -q --lock-timeout 200 || echo restore $n: $?; done ) &
      ( for n in 1 2 3 4; do $V store copy "$A" copy$n --lock-timeout 200 -q || echo copy $n: $?; done ) &
      wait
      """, bench.variables)
    #expect(!run.output.contains(": "), "\(run.output)\(run.errors)")
    #expect(bench.names(at: bench.places[0]) == (1...20).map { "kept \($0)" }.sorted())
    #expect(bench.names(at: bench.places[1]) == (1...20).map { "moved \($0)" }.sorted())
    for place in bench.places + (1...4).map({ "copy\($0)" }) {
      let verified = bench.workspace.run("verify", "--vault", place, adding: bench.variables)
      #expect(verified.status != .damaged, "\(place): \(verified.errors)")
      // A record is in a copy once, or removed.
      let copied = bench.names(at: place)
      #expect(Set(copied).count == copied.count)
    }
  }

  /// Two vaults of a set: 20 records that will move, and 20 removed ones that will come back.
  private struct Pair {
    let workspace: Workspace
    let places: [String]
    let variables: [String: String]

    init(_ server: PostgresServer?) throws {
      workspace = try Workspace.withVault()
      places = ["a", "b"].map { name in server.map { $0.address(DatabaseBench.name(name)) } ?? name }
      variables = [
        "CVAULT_IDENTITY_FILE": workspace.identity, "A": places[0], "B": places[1],
        "CVAULT_VAULTS": workspace.path + "/set.json",
      ]
      for name in ["moved", "kept"] { _ = workspace.write(DatabaseRaceTests.logins(1...20, name), to: name + ".jsonl") }
      let made = DatabaseRaceTests.shell(
        workspace,
        """
        set -e; R=$(grep -o 'age1[a-z0-9]*' $CVAULT_IDENTITY_FILE | head -n 1)
        for place in "$A" "$B"; do $V init "$place" \(server == nil ? "" : "--create-tables") --recipient $R -q; done
        $V vaults add a "$A" -y -q; $V vaults add b "$B" -y -q
        for file in moved kept; do $V import jsonl $file.jsonl --kind login --vault "$A" -q; done
        for n in $(seq 20); do $V remove "kept $n" --vault "$A" -y -q; done
        """, variables)
      try #require(made.code == 0, "\(made.output)\(made.errors)")
    }

    /// The names of the records there, sorted, one for each row.
    func names(at place: String) -> [String] {
      let list = workspace.run("list", "--format", "tsv", "--vault", place, adding: variables)
      #expect(list.code == 0, "\(list.errors)")
      let names = list.output.split(separator: "\n").compactMap { line in
        line.split(separator: "\t").first { $0.hasPrefix("moved ") || $0.hasPrefix("kept ") }.map(String.init)
      }
      return names.sorted()
    }
  }
}
