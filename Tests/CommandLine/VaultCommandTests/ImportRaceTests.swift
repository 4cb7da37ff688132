import Testing
import VaultTestSupport

@Suite("Imports at the same time")
struct ImportRaceTests {
  /// A table of Bitwarden with so many logins.
  private static func table(_ count: Int, password: String = "pw") -> String {
    "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
      + (1...count).map { ",,login,site \($0),,,0,https://s\($0).example,user\($0),\(password)\($0),\n" }.joined()
  }

  @Test("several imports of one file store each entry once", arguments: [[], ["--update"]])
  func sameFile(_ options: [String]) throws {
    let bench = try FaultBench()
    let workspace = bench.workspace
    let count = 300
    _ = workspace.write(Self.table(count), to: "t.csv")
    let run = bench.shell(
      """
      for p in 1 2 3 4; do
        ( $V import bitwarden-csv t.csv \(options.joined(separator: " ")) $K --lock-timeout 120 >out.$p 2>err.$p; echo $? >code.$p ) &
      done; wait; cat code.*; cat err.* >&2
      """, timeout: 300)
    #expect(run.output == "0\n0\n0\n0\n", "\(run.output)\(run.errors)")
    let names = workspace.open("list", "--format", "tsv", "--kind", "login").output
    #expect(names.split(separator: "\n").count == count)
    let stored = (1...4).map { workspace.text(of: "out.\($0)").split(separator: " ").first.flatMap { Int($0) } ?? -1 }
    #expect(stored.reduce(0, +) == count, "\(stored)")
  }

  @Test("of two imports of a file that differs, the later one compares with what the first has stored")
  func otherValues() throws {
    let bench = try FaultBench()
    let workspace = bench.workspace
    _ = workspace.write(Self.table(200), to: "a.csv")
    _ = workspace.write(Self.table(200, password: "new"), to: "b.csv")
    let run = bench.shell(
      """
      for p in a b; do
        ( $V import bitwarden-csv $p.csv --update $K --lock-timeout 120 >out.$p 2>err.$p; echo $? >code.$p ) &
      done; wait; cat code.*; cat err.* >&2
      """, timeout: 300)
    #expect(run.output == "0\n0\n", "\(run.output)\(run.errors)")
    let names = workspace.open("list", "--format", "tsv", "--kind", "login").output
    #expect(names.split(separator: "\n").count == 200)
  }
}
