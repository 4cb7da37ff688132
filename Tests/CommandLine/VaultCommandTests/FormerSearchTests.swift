import Testing
import VaultTestSupport

@Suite("Former values in searches")
struct FormerSearchTests {
  private let bench: FormerBench
  private var workspace: Workspace { bench.workspace }

  init() throws { bench = try FormerBench() }

  private func rows(_ outcome: ProcessOutcome, _ count: Int) -> [String] {
    outcome.output.split(separator: "\n").dropFirst().map {
      $0.split(separator: " ", omittingEmptySubsequences: true).prefix(count).joined(separator: " ")
    }
  }

  private func add(_ name: String, _ password: String) throws {
    let added = workspace.open("add", "login", name, "--secret-stdin", "password", input: password)
    try #require(added.code == 0, "\(added.errors)")
  }

  @Test("audit: a value that is a former one of another record is found; both places are named, and no value")
  func audit() throws {
    #expect(!workspace.open("audit").output.contains("reused"))
    try add("Shop", FormerBench[0])
    let found = workspace.open("audit")
    #expect(found.status == .findings)
    let line = try #require(found.output.split(separator: "\n").first { $0.contains("reused") }, "\(found.output)")
    #expect(line.contains("Shop"))
    #expect(line.contains("the same as a former value of password of Mail"))
    #expect(found.output.split(separator: "\n").count { $0.contains("reused") } == 1, "\(found.output)")
    let document = workspace.open("audit", "--json")
    let reused = JSON(document.stdout)["findings"]?.items?.filter { $0["state"]?.text == "reused" }
    #expect(reused?.compactMap { $0["name"]?.text } == ["Shop"])
    bench.requireSilent(found)
    bench.requireSilent(document)
  }

  @Test("audit: present values come first in the reason, and former ones are counted behind them")
  func auditOfSeveral() throws {
    try add("Shop", FormerBench[0])
    try add("Bank", FormerBench[0])
    let lines = workspace.open("audit").output.split(separator: "\n").filter { $0.contains("reused") }
    #expect(lines.count == 2)
    #expect(lines.contains { $0.contains("the same as password of Bank, and 1 more") }, "\(lines)")
    #expect(lines.contains { $0.contains("the same as password of Shop, and 1 more") }, "\(lines)")
  }

  @Test(
    "audit: a former value is neither weak, breached nor old",
    .enabled(if: Need.zxcvbn.isMet(forCases: 1, of: "weak former values")))
  func auditOfWeak() throws {
    try add("Shop", "password1")
    try bench.seal("vB7#qLm2!xTz9-pRw4", in: "Shop")
    #expect(!workspace.open("audit", "--older-than", "1000d").output.contains("Shop"))
  }

  @Test("scan: a leaked former value is found and is called one; a value that is present elsewhere is named there")
  func scan() throws {
    workspace.prepare("mkdir src; echo 'a \(FormerBench[0])' > src/a; printf '%s' \(FormerBench[1]) | base64 > src/b")
    let found = workspace.open("scan", "src")
    #expect(found.status == .findings)
    #expect(rows(found, 4) == ["src/a:1 Mail password (former)", "src/b:1 Mail password (former)"], "\(found.output)")
    bench.requireSilent(found)
    let values = JSON(workspace.open("scan", "src", "--json").stdout)["findings"]?.items?.map { $0["value"] }
    #expect(values?.allSatisfy { $0?["former"] == .bool(true) && $0?["field"]?.text == "password" } == true)
    try add("Shop", FormerBench[0])
    #expect(rows(workspace.open("scan", "src/a"), 3) == ["src/a:1 Shop password"])
    #expect(workspace.open("remove", "Shop", "--yes").code == 0)
    #expect(rows(workspace.open("scan", "src/a"), 4).first?.hasPrefix("src/a:1 Shop (in") == true)
    let value = workspace.open("scan", "--value", "-", input: FormerBench[1])
    #expect(rows(value, 4) == ["is Mail password (former)"], "\(value.output)")
  }

  @Test("scan: the former values of a removed record are found, and those that were forgotten are not")
  func scanOfRemoved() throws {
    workspace.prepare("echo 'a \(FormerBench[0])' > a")
    #expect(workspace.open("remove", "Mail", "--yes").code == 0)
    #expect(rows(workspace.open("scan", "a"), 2) == ["a:1 Mail"])
    #expect(workspace.open("restore", "Mail").code == 0)
    #expect(workspace.open("forget", "Mail", "--yes").code == 0)
    #expect(workspace.open("scan", "a").code == 0)
  }

  @Test("run: the former values of a delivered field are replaced in the output, under another mark")
  func redaction() {
    let outcome = workspace.run([
      "run", "--vault", "v", "--identity", "id.txt", "--env", "A=cvault://Mail/password", "--", "echo",
      FormerBench.passwords.joined(separator: " "),
    ])
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(
      outcome.output == "«Mail/password (former)» «Mail/password (former)» «Mail/password»\n", "\(outcome.output)")
    let other = workspace.run([
      "run", "--vault", "v", "--identity", "id.txt", "--env", "A=cvault://Mail/username", "--", "echo", FormerBench[0],
    ])
    #expect(other.output == FormerBench[0] + "\n")
  }

  @Test("run: an address masks the former passwords, and a former value that is too short is told")
  func redactionOfAddress() throws {
    let added = workspace.open(
      "add", "database", "Orders", "engine=mysql", "host=h", "user=u", "--secret-stdin", "password",
      input: FormerBench[0])
    #expect(added.code == 0, "\(added.errors)")
    try bench.seal("1234", in: "Orders")
    try bench.seal(FormerBench[2], in: "Orders")
    let outcome = workspace.run([
      "run", "--vault", "v", "--identity", "id.txt", "--env", "A=cvault://Orders?view=url", "--", "echo",
      FormerBench[0],
    ])
    #expect(outcome.output == "«Orders (former)»\n", "\(outcome.output)\(outcome.errors)")
    #expect(outcome.errors.contains("a former value of Orders is too short to be found"), "\(outcome.errors)")
  }
}
