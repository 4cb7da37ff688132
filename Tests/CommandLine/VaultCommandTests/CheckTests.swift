import Testing
import VaultTestSupport

@Suite("check")
struct CheckTests {
  private static let key = ["--vault", "v", "--identity", "id.txt"]

  @Test("--no-key uses no key, also if one is given, and --deep wants one")
  func depth() throws {
    let workspace = try Workspace.withVault()
    try #require(workspace.open("add", "login", "A", "-g").code == 0)
    func members(_ words: [String]) -> JSON { JSON(workspace.run(["check", "--json"] + words).stdout) }
    #expect(members(Self.key)["verification"]?["records"] == .number(1))
    #expect(members(Self.key + ["--no-key"])["lint"]?["records"] == .number(1))
    #expect(members(Self.key + ["--deep"])["verification"]?["records"] == .number(1))
    // Without a key and a terminal, the usual check goes on, and the deep one ends.
    #expect(workspace.run("check", "--vault", "v").status != .cannotUnlock)
    #expect(workspace.run("check", "--vault", "v", "--deep").status == .cannotUnlock)
    #expect(workspace.run(["check", "--deep", "--no-key"] + Self.key).status == .usage)
  }
}
