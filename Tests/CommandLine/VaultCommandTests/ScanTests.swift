import Testing
import VaultTestSupport

@Suite("vault scan")
struct ScanTests {
  private static let token = "tok-4711 \"x\" end"
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace.withVault()
    for (name, value) in [("GitHub", Self.token), ("Bank", "1234"), ("Old", "removed-value-11")] {
      let added = workspace.open(
        "add", "login", name, "--set", "username=ada", "--secret-stdin", "password", input: value)
      #expect(added.code == 0, "\(added.errors)")
    }
    #expect(workspace.open("remove", "Old", "--yes").code == 0)
    #expect(workspace.shell("mkdir -p src/sub src/.git; echo nothing > src/a").code == 0)
  }

  private func rows(_ outcome: ProcessOutcome) -> [String] {
    outcome.output.split(separator: "\n").dropFirst().map {
      $0.split(separator: " ", omittingEmptySubsequences: true).prefix(3).joined(separator: " ")
    }
  }

  @Test("files, by line, each line once; links and .git are left out of folders")
  func files() {
    #expect(workspace.open("scan", "src").code == 0)
    let prepared = workspace.shell(
      #"""
      printf 'a: 1\nb: "tok-4711 \\"x\\" end"\nc: removed-value-11\n' > src/sub/b.json
      printf 'tok-4711 "x" end' | base64 > src/.git/config; cp src/.git/config src/c; ln -s ../src/c src/link
      """#)
    #expect(prepared.code == 0, "\(prepared.errors)")
    let found = workspace.open("scan", "src")
    #expect(found.status == .findings)
    #expect(
      rows(found) == ["src/c:1 GitHub password", "src/sub/b.json:2 GitHub password", "src/sub/b.json:3 Old (in"],
      "\(found.output)\(found.errors)")
    #expect(!found.output.contains("tok-"))
    #expect(!found.errors.contains("tok-"))
    #expect(found.errors.contains("1 value is too short to be found"))
    #expect(workspace.open("scan", "src/a", "src/link").status == .findings)
    let input = workspace.open("scan", "-", input: "\n\n" + Self.token)
    #expect(input.status == .findings)
    #expect(rows(input) == ["-:3 GitHub password"])
  }

  @Test("what cannot be read is said, and the rest is looked at")
  func unreadable() {
    let partly = workspace.open("scan", "src", "none")
    #expect(partly.status == .partlyDone)
    #expect(partly.errors.contains("none does not exist"))
    let both = workspace.open("scan", "none", "-", input: Self.token)
    #expect(both.status == .findings)
    #expect(both.errors.contains("none does not exist"))
    #expect(workspace.open("scan", "--staged", "--since", "HEAD").status == .usage)
    #expect(workspace.open("scan", "--value", "-", "src", input: "x").status == .usage)
    let outside = workspace.shell("cd / && \(Binary.path) scan --staged --vault \(workspace.path)/v --no-input")
    #expect(outside.status == .inputOutput)
    #expect(outside.errors.contains("is not in a work tree of git"))
  }

  @Test("in git: what is staged, and what commits brought, with their messages")
  func commits() throws {
    let git = "git -c user.name=Ada -c user.email=ada@example.com"
    let prepared = workspace.shell(
      #"""
      mkdir w && cd w && git init -q . && echo 'tok-4711 "x" end' > first && git add . && \#(git) commit -qm first
      printf '\nremoved-value-11' > 'a b' && git add .
      """#)
    #expect(prepared.code == 0, "\(prepared.errors)")
    let scan = "cd w && \(Binary.path) scan --vault ../v --identity ../id.txt "
    let staged = workspace.shell(scan + "--staged")
    #expect(staged.status == .findings, "\(staged.output)\(staged.errors)")
    #expect(rows(staged) == ["a b:2 Old"], "\(staged.output)\(staged.errors)")
    #expect(workspace.shell("cd w && \(git) commit -qm 'with' -m 'removed-value-11' && rm 'a b'").code == 0)
    #expect(workspace.shell(scan + "--staged").code == 0)
    let since = workspace.shell(scan + "--since HEAD~1")
    #expect(since.status == .findings)
    let places = since.output.split(separator: "\n").dropFirst().map { $0.split(separator: ":").dropFirst().joined() }
    try #require(places.count == 2, "\(since.output)")
    #expect(places[0].hasPrefix("(message)3"))
    #expect(places[1].hasPrefix("a b2"))
    let unknown = workspace.shell(scan + "--since none")
    #expect(unknown.status == .notFound)
    #expect(unknown.errors.contains("none does not name a commit in this clone"))
  }

  @Test(
    "--value: is, holds, is part of, or nothing of it",
    arguments: [
      ("1234", "is Bank"), (Self.token, "is GitHub"), (Self.token + "\n", "is GitHub"),
      ("Bearer removed-value-11", "holds Old"), ("tok-4711", "is part"), ("end", ""), ("12345", ""),
    ])
  func value(_ text: String, _ relation: String) {
    let outcome = workspace.open("scan", "--value", "-", input: text)
    #expect(outcome.code == (relation.isEmpty ? 0 : 14), "\(outcome.errors)")
    #expect(relation.isEmpty || rows(outcome)[0].hasPrefix(relation), "\(outcome.output)")
  }
}
