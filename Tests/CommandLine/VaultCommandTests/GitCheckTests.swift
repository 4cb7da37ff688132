import Testing
import VaultTestSupport

@Suite("Commits, checked without a key", .enabled(if: GitBench.isThere))
struct GitCheckTests {
  private func check(_ bench: GitBench, _ words: String...) -> ProcessOutcome {
    bench.here.with(["CVAULT_IDENTITY_FILE": ""]).shell("vault git check " + words.joined(separator: " "))
  }

  @Test("an honest history has no finding; who can unlock, and another root key, are notes")
  func honest() throws {
    let bench = try GitBench()
    let start = bench.here.shell("git rev-parse HEAD").output.filter { $0 != "\n" }
    try bench.here.change("username", "Oslo")
    try bench.there.seal("password", "rose")
    #expect(bench.bring("merge -q --no-edit").code == 0)
    for words in [
      "remove -y \(bench.id)", "trash restore \(bench.id)", "key add --generate-identity ../two.txt --label Ben",
      "rekey", "checkpoint", "add login --set title=New",
    ] {
      let done = bench.here.shell("vault \(words) && git add -A && git commit -qm step")
      #expect(done.code == 0, "\(words): \(done.errors)")
    }
    let checked = check(bench, start)
    #expect(checked.code == 0, "\(checked.output)\(checked.errors)")
    #expect(checked.output.isEmpty, "\(checked.output)\(checked.errors)")
    #expect(checked.errors.contains("note: vault.json has a new way to unlock: Ben (age1"))
    #expect(checked.errors.contains("note: vault.json has another root key (commit "))
    #expect(check(bench, "\(start)..HEAD", "--format", "github").output.hasPrefix("::notice file=vault.json::"))
    #expect(check(bench).output.isEmpty, "nothing is staged")
    let issues = JSON(check(bench, start, "--format", "gitlab").stdout).items
    #expect(issues?.first?["severity"]?.text == "info")
    #expect(issues?.first?["location"]?["path"]?.text == "vault.json")
  }

  @Test(
    "what should not be committed is found where it is staged, and later with its commit",
    arguments: [
      ("sed -i s/Wei/Lee/ FILE", "FILE was changed without a key"),
      ("git checkout -q HEAD^ -- FILE", "FILE has revision 1, not above the 2 before it"),
      ("cp FILE trash/ID.json", "trash/ID.json is among the records and in the trash"),
      ("echo AGE-SECRET-KEY-1X >key.txt", "key.txt is probably a private key"),
      ("mkdir -p .staging; echo >.staging/x", ".staging/x is part of an unfinished write, and must not be committed"),
      ("cp FILE records/00/x.json || { mkdir records/00; cp FILE records/00/x.json; }", "x.json does not belong"),
      ("(echo '<<<<<<< ours'; cat FILE) >x; mv x FILE", "FILE has both sides of a conflict"),
      ("sed -i 's/\"es1:[^\"]*\"/\"hunter2\"/' FILE", "FILE: password must be sealed, but it is clear text"),
      ("echo {} >>vault.json", "vault.json: "),
      ("sed -i 's/\"id\" : \"'ID'/\"id\" : \"00000000-0000-4000-8000-000000000000/' FILE", "FILE is not the record"),
    ])
  func found(_ script: String, _ finding: String) throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    func filled(_ text: String) -> String {
      text.replacing("FILE", with: bench.file).replacing("ID", with: bench.id)
    }
    bench.here.shell(filled(script) + "; git add -fA")
    let staged = check(bench, "--staged")
    #expect(staged.status == .findings, "\(staged.output)\(staged.errors)")
    #expect(staged.output.contains(filled(finding)), "\(staged.output)\(staged.errors)")
    #expect(!staged.output.contains("hunter2"))
    bench.here.shell("git commit -qm bad; git commit -q --allow-empty -m later")
    let range = check(bench, "HEAD~3..HEAD")
    let commit = bench.here.shell("git rev-parse HEAD^").output.prefix(12)
    #expect(range.status == .findings, "\(range.output)")
    #expect(range.output.contains(filled(finding)), "\(range.output)")
    #expect(range.output.contains("(commit \(commit))"))
    #expect(check(bench, "HEAD^").code == 0)
  }

  @Test("a slot and an attachment that were not committed with what names them are found")
  func forgotten() throws {
    let bench = try GitBench()
    _ = bench.here.shell(
      "vault key add --generate-identity ../two.txt --label Ben; vault attach \(bench.id) ../two.txt")
    let files = bench.here.shell("git ls-files -o slots attachments").output.split(separator: "\n").map {
      "\($0) is missing"
    }
    #expect(files.count == 2)
    bench.here.shell("git add -u")
    let staged = check(bench, "--staged")
    #expect(staged.status == .findings, "\(staged.errors)")
    for line in files { #expect(staged.output.contains(line + "\n"), "\(staged.output)") }
    bench.here.shell("git commit -qm forgotten; git add -A; git commit -qm all")
    let commit = bench.here.shell("git rev-parse HEAD^").output.prefix(12)
    let range = check(bench, "HEAD~2..HEAD")
    #expect(range.status == .findings, "\(range.output)")
    #expect(range.output.split(separator: "\n").count == 2, "\(range.output)")
    for line in files { #expect(range.output.contains("\(line) (commit \(commit))"), "\(range.output)") }
    #expect(check(bench, "HEAD^").code == 0)
    bench.here.shell("git rm -q --cached slots/*")
    #expect(check(bench, "--staged").output.contains(".age is missing"))
  }

  @Test("a merge that lost a side, and one that is not finished, are found")
  func merges() throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    try bench.there.change("username", "Milan")
    #expect(bench.bring("merge").code == 1)
    let unfinished = check(bench)
    #expect(unfinished.status == .findings, "\(unfinished.output)")
    #expect(unfinished.output == "\(bench.file) is left unmerged\n", "\(unfinished.output)")
    bench.here.shell("git checkout -q --ours -- \(bench.file); git add -A; git commit -qm lost")
    let lost = check(bench, "HEAD^")
    #expect(lost.status == .findings, "\(lost.output)")
    #expect(lost.output.contains("or a merge lost a version (commit "), "\(lost.output)")
    #expect(JSON(check(bench, "HEAD^", "--json").stdout)["findings"]?.items?.count == 1)
  }

  @Test("what is no range, and no work tree, is said")
  func refused() throws {
    let bench = try GitBench()
    for range in ["nosuch..HEAD", "HEAD..nosuch", "nosuch"] {
      let refused = check(bench, range)
      #expect(refused.status == .notFound, "\(refused.errors)")
      #expect(refused.errors.contains("\(range) does not name a commit in this clone"), "\(refused.errors)")
    }
    for words in ["--staged HEAD", "-x"] { #expect(check(bench, words).status == .usage, "\(words)") }
    let workspace = try Workspace.withVault()
    #expect(workspace.run("git", "check", "--vault", "v").status == .inputOutput)
  }
}
