import Testing
import VaultCrypto
import VaultDocument
import VaultTestSupport

@Suite("vault audit")
struct AuditTests {
  private static let strong = "vB7#qLm2!xTz9-pRw4"
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace.withVault()
    add("login", "Good", ["username=a"], "password", Self.strong)
  }

  private func add(_ kind: String, _ name: String, _ fields: [String], _ path: String, _ value: String) {
    let keys = ["--vault", "v", "--identity", "id.txt"]
    let outcome = workspace.run(["add", kind, name] + fields + ["--secret-stdin", path] + keys, input: value)
    #expect(outcome.code == 0, "\(outcome.errors)")
  }

  /// `STATE NAME FIELD` of each finding.
  private func findings(_ options: String...) -> [String] {
    let outcome = workspace.run(["audit"] + options + ["--vault", "v", "--identity", "id.txt"])
    let rows = outcome.output.split(separator: "\n").dropFirst().map {
      $0.split(separator: " ", omittingEmptySubsequences: true).prefix(3).joined(separator: " ")
    }
    #expect(outcome.code == (rows.isEmpty ? 0 : 14), "\(outcome.errors)")
    #expect(!outcome.output.contains(Self.strong))
    #expect(!outcome.errors.contains(Self.strong))
    return rows
  }

  private func write(_ name: String, _ text: String) {
    FileTree.write(Array(text.utf8), to: workspace.path + "/" + name)
  }

  private static func hash(_ text: String) throws -> String {
    Hex.encode(try unsafe SHA1.hash(Array(text.utf8).span.bytes)).uppercased()
  }

  @Test("a strong password of its own is no finding; the same in two records is, in both")
  func reused() {
    #expect(findings() == [])
    add("login", "Twin", ["username=a"], "password", Self.strong)
    #expect(findings() == ["reused Good password", "reused Twin password"])
    #expect(findings("--kind", "api-key") == [])
    let document = workspace.open("audit", "--json")
    let found = JSON(document.stdout)["findings"]
    #expect(found?[0]?["group"]?.text == found?[1]?["group"]?.text)
    #expect(document.status == .findings)
  }

  @Test(
    "weak is a password that is guessed, and nothing else",
    .enabled(if: Need.zxcvbn.isMet(forCases: 1, of: "weak passwords")))
  func weak() {
    add("login", "Weak", ["username=a"], "password", "password1")
    add("api-key", "Token", ["issuer=x", "key_id=k"], "secret", "abc")
    #expect(findings() == ["weak Weak password"])
    #expect(findings("--min-bits", "1") == [])
    #expect(findings("--min-bits", "256") == ["weak Good password", "weak Weak password"])
    #expect(workspace.open("audit", "--min-bits", "0").status == .usage)
  }

  @Test("expired is what says so itself; old is what was sealed long ago")
  func times() {
    add("api-key", "Past", ["issuer=x", "expires_at=2020-01-01T00:00:00Z"], "secret", "abc")
    add("api-key", "Later", ["issuer=x", "expires_at=2999-01-01T00:00:00Z"], "secret", "abcd")
    #expect(findings() == ["expired Past expires_at"])
    #expect(workspace.open("audit", "--older-than", "soon").status == .usage)
    #expect(workspace.open("audit", "--kind", "none").status == .inputRefused)
  }

  @Test("breached by a sorted list, in either case and with either line end, or by a folder of ranges")
  func breached() throws {
    let hash = try Self.hash(Self.strong)
    let others = try (0..<400).map { try Self.hash("other \($0)") }
    for (ending, isUpper) in [("\n", true), ("\r\n", false)] {
      let lines = (others + [hash]).sorted().map { (isUpper ? $0 : $0.lowercased()) + ":7" + ending }
      write("list.txt", lines.joined())
      #expect(findings("--hibp", "list.txt") == ["breached Good password"])
    }
    // Each place in the list, the first and the last too.
    for other in ["", "0", "F"] {
      let name = String(repeating: other, count: 40)
      write("one.txt", [hash, name].filter { !$0.isEmpty }.sorted().joined(separator: ":1\n") + ":1\n")
      #expect(findings("--hibp", "one.txt") == ["breached Good password"])
    }
    write("others.txt", others.sorted().joined(separator: "\n"))
    #expect(findings("--hibp", "others.txt") == [])
    #expect(workspace.shell("mkdir ranges").code == 0)
    #expect(workspace.open("audit", "--hibp", "ranges").status == .inputRefused)
    write("ranges/\(hash.prefix(5)).txt", "\(hash.dropFirst(5)):3\r\n")
    #expect(findings("--hibp", "ranges") == ["breached Good password"])
  }

  @Test(
    "a list that proves nothing is refused",
    arguments: [
      ("", "is empty"), ("hello\n", "hexadecimal"), ("0123456789ABCDEF0123456789ABCDEF:3\n", "hexadecimal"),
      ("F" + String(repeating: "0", count: 39) + ":9\n" + String(repeating: "0", count: 40) + ":8\n", "not sorted"),
      (String(repeating: "0", count: 4000), "hexadecimal"),
    ])
  func refused(_ text: String, _ reason: String) {
    write("list.txt", text)
    let outcome = workspace.open("audit", "--hibp", "list.txt")
    #expect(outcome.status == .inputRefused, "\(outcome.errors)")
    #expect(outcome.errors.contains(reason), "\(outcome.errors)")
  }
}
