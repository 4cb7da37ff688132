import Testing
import VaultTestSupport

@Suite("The versions that git has", .enabled(if: GitBench.isThere))
struct GitLogTests {
  private func versions(_ bench: GitBench, _ words: String..., key: Bool = true) -> [JSON] {
    let clone = key ? bench.here : bench.here.with(["CVAULT_IDENTITY_FILE": ""])
    let run = clone.shell("vault log --json \(bench.id) " + words.joined(separator: " "))
    #expect(run.code == 0, "\(run.errors)")
    return JSON(run.stdout)["versions"]?.items ?? []
  }

  private func commit(_ bench: GitBench, _ command: String) {
    let done = bench.here.shell("vault \(command) && git add -A && git commit -qm step")
    #expect(done.code == 0, "\(command): \(done.errors)")
  }

  @Test(
    "a record's versions, the newest first, with what changed; none of its secrets; each verified where there is a key")
  func record() throws {
    let bench = try GitBench()
    try bench.here.change("username", "ada-ops")
    try bench.here.seal("password", "hyacinth")
    commit(bench, "remove -y \(bench.id)")
    commit(bench, "restore \(bench.id)")
    let found = versions(bench)
    #expect(found.map { $0["revision"] } == [.number(5), .number(4), .number(3), .number(2), .number(1)])
    #expect(found.compactMap { $0["event"]?.text } == ["restored", "removed", "changed", "changed", "added"])
    #expect(found.allSatisfy { $0["verified"] == .bool(true) && $0["author"]?.text == "Ada" })
    #expect(found.allSatisfy { $0["commit"]?.text?.count == 40 && $0["committed_at"]?.text != nil })
    let sealed = found[2]["changes"]?[0]
    #expect(sealed?["path"]?.text == "password")
    #expect(["replaced", "resealed"].contains(sealed?["kind"]?.text))
    #expect(sealed?["before"] == .null)
    #expect(sealed?["after"] == .null)
    let readable = found[3]["changes"]?[0]
    #expect(readable?["before"]?.text == "x")
    #expect(readable?["after"]?.text == "ada-ops")
    let text = bench.here.shell("vault log 'Li Wei'; vault log \(bench.id) --json; vault log --json; vault log")
    #expect(text.output.contains("by Ada  verified  added\n  + password: ••••••••\n"), "\(text.output)")
    #expect(text.output.contains("\n  username: \"x\" → \"ada-ops\"\n"))
    for secret in ["tigerlily", "hyacinth", "es1:"] { #expect(!text.output.contains(secret)) }
    let keyless = versions(bench, key: false)
    #expect(keyless.count == 5)
    #expect(keyless.allSatisfy { $0["verified"] == .bool(false) })
    #expect(bench.here.with(["CVAULT_IDENTITY_FILE": ""]).vault("log", bench.id).output.contains("  not verified\n"))
  }

  @Test("--limit, --since and --fields leave versions out")
  func filters() throws {
    let bench = try GitBench()
    try bench.here.change("username", "ada-ops")
    try bench.here.change("title", "Lee")
    #expect(versions(bench, "--limit", "2").map { $0["revision"] } == [.number(3), .number(2)])
    #expect(versions(bench, "--fields", "username").map { $0["revision"] } == [.number(2), .number(1)])
    #expect(versions(bench, "--fields", "username,title", "--limit", "1").map { $0["revision"] } == [.number(3)])
    #expect(versions(bench, "--since", "1h").count == 3)
    #expect(versions(bench, "--since", "2999-01-01").isEmpty)
    for words in ["--limit 0", "--since soon", "--fields a[", "--since 2026-13-01"] {
      #expect(bench.here.shell("vault log \(bench.id) \(words)").status == .usage, "\(words)")
    }
  }

  @Test("what is not committed stands first, and is verified like the others")
  func uncommitted() throws {
    let bench = try GitBench()
    #expect(versions(bench).count == 1, "what is committed as it is has no line of its own")
    #expect(bench.here.vault("set", bench.id, "username=Oslo").code == 0)
    let found = versions(bench)
    try #require(found.count == 2)
    #expect(found[0]["commit"] == .null)
    #expect(found[0]["verified"] == .bool(true))
    #expect(bench.here.vault("log", bench.id).output.contains("  not committed  verified\n  username: "))
    bench.here.shell("sed -i s/Oslo/Rome/ \(bench.file)")
    let edited = bench.here.vault("log", bench.id).output
    #expect(edited.contains("  not committed  DOES NOT VERIFY\n"), "\(edited)")
    bench.here.shell("git commit -qam bad")
    #expect(versions(bench)[0]["verified"] == .bool(false))
    bench.here.shell("echo '<<<<<<<' >\(bench.file)")
    let damaged = bench.here.vault("log", bench.id)
    #expect(damaged.code == 0)
    #expect(damaged.output.contains("not committed  not a record of this format\n"))
  }

  @Test("a version that cannot follow the one before says so")
  func faults() throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    bench.here.shell("git checkout -q HEAD^ -- \(bench.file) && git commit -qm back")
    bench.here.shell("sed -i 's/\"x\"/\"y\"/' \(bench.file) && git commit -qam hand")
    let found = versions(bench, key: false)
    #expect(found.map { $0["fault"]?.text } == ["unauthenticated", "not_later", nil, nil])
    let text = bench.here.vault("log", bench.id).output
    #expect(text.contains("\n  was changed without a key"))
    #expect(text.contains("the file went back, or a merge lost a version\n"))
  }

  @Test("a version under a root key that was replaced is verified with the slots of its commit, and says so")
  func replacedRoot() throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    commit(bench, "key add --generate-identity ../ben.txt --label Ben")
    commit(bench, "rekey")
    try bench.here.change("username", "Rome")
    let found = versions(bench)
    #expect(found.compactMap { $0["event"]?.text } == ["changed", "rewrapped", "changed", "added"])
    #expect(found.map { $0["replaced_root"] } == [.bool(false), .bool(false), .bool(true), .bool(true)])
    #expect(found.allSatisfy { $0["verified"] == .bool(true) })
    let mine = bench.here.vault("log", bench.id)
    #expect(mine.output.contains("  verified under a replaced root key\n"))
    #expect(mine.errors.contains("even later"))
    // Ben had no slot when these were made.
    let late = bench.here.with(["CVAULT_IDENTITY_FILE": bench.workspace.path + "/ben.txt"]).vault("log", bench.id)
    #expect(late.code == 0, "\(late.output)")
    #expect(late.output.contains("  not verified: its root key is missing\n"), "\(late.output)")
  }

  @Test("a record that was deleted for good is found by its id; without a commit there is what the folder holds")
  func gone() throws {
    let bench = try GitBench()
    commit(bench, "remove -y \(bench.id)")
    commit(bench, "trash empty -y")
    #expect(versions(bench).map { $0["event"]?.text } == ["deleted", "removed", "added"])
    #expect(bench.here.vault("log", bench.id).output.contains("  deleted for good\n"))
    #expect(bench.here.vault("log", "Li Wei").status == .notFound)
    #expect(bench.here.vault("log", "00000000-0000-4000-8000-000000000000").status == .notFound)
    let workspace = try Workspace.withVault()
    _ = workspace.open("add", "login", "--set", "title=Wei", "--secret-stdin", "password", input: "rose")
    let alone = workspace.open("log", "Wei")
    #expect(alone.code == 0)
    #expect(alone.output.contains("Z  verified"))
    #expect(!alone.output.contains("committed"))
    #expect(alone.errors.contains("there are no git commits here"), "\(alone.output)\(alone.errors)")
    let vault = workspace.open("log")
    #expect(vault.status == .inputOutput, "\(vault.errors)")
    #expect(vault.errors.contains("hint: "), "\(vault.errors)")
  }

  @Test("the commits of the vault, with what became of records, ways to unlock and the root key")
  func commits() throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    commit(bench, "remove -y \(bench.id)")
    commit(bench, "restore \(bench.id)")
    commit(bench, "key add --generate-identity ../two.txt --label Ben")
    commit(bench, "rekey")
    bench.here.shell("echo x >README && git add -A && git commit -qm 'no file of the vault'")
    let lines = bench.here.vault("log").output.split(separator: "\n").filter { $0.hasPrefix("  ") }
    // Within one commit records stand in the order of their ids.
    #expect(
      Set(lines.map { $0.split(separator: "(")[0] }) == [
        "  rewrapped 3 records", "  vault.json has another root key", "  vault.json has a new way to unlock: Ben ",
        "  restored login Li Wei", "  removed login Li Wei", "  changed login Li Wei", "  added login Shai",
        "  added login Ada", "  added login Li Wei",
      ], "\(lines)")
    let commits = JSON(bench.here.vault("log", "--json").stdout)["commits"]?.items ?? []
    try #require(commits.count == 6)
    #expect(commits[0]["new_root"] == .bool(true))
    #expect(commits[1]["slots"]?[0]?["label"]?.text == "Ben")
    #expect(commits[1]["slots"]?[0]?["change"]?.text == "added")
    #expect(commits[2]["records"]?[0]?["event"]?.text == "restored")
    #expect(JSON(bench.here.vault("log", "--json", "--limit", "1").stdout)["commits"]?.items?.count == 1)
    #expect(JSON(bench.here.vault("log", "--json", "--fields", "username").stdout)["commits"]?.items?.count == 2)
  }

  @Test("of a merge it shows what neither side had, and both sides' commits")
  func merges() throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    try bench.there.seal("password", "hyacinth")
    #expect(bench.bring("merge -q --no-edit").code == 0)
    let found = versions(bench)
    #expect(found.map { $0["revision"] } == [.number(3), .number(2), .number(2), .number(1)])
    #expect(found[0]["changes"]?[0]?["path"]?.text == "password")
    let commits = JSON(bench.here.vault("log", "--json").stdout)["commits"]?.items ?? []
    try #require(commits.count == 4)
    #expect(commits[0]["records"]?.items?.count == 1)
  }

  @Test("a vault in a folder with any name below the top of a work tree; a clone without older commits says so")
  func places() throws {
    let bench = try GitBench()
    let script = """
      mkdir -p "../top/a b/é'\\"
      x" && cp -r records slots trash vault.json "../top/a b/é'\\"
      x" && cd ../top && git init -q && git add -A && git commit -qm one
      cd "a b/é'\\"
      x" && export CVAULT_DIR="$PWD" && vault set -q \(bench.id) username=Oslo && git commit -qam two
      git clone -q --depth 1 "file://$(git rev-parse --show-toplevel)" "$(git rev-parse --show-toplevel)/../cut"
      vault log --json --limit 1; vault set -q \(bench.id) username=Rome; vault diff HEAD^ --json
      """
    let run = bench.here.shell(script)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains(#""event" : "changed""#), "\(run.output)\(run.errors)")
    #expect(run.output.contains(#""after" : "Rome""#))
    #expect(run.output.contains(#""name" : "Li Wei""#))
    for words in ["log", "log \(bench.id)"] {
      let cut = bench.here.shell("cd ../cut/*/* && CVAULT_DIR=\"$PWD\" vault \(words)")
      #expect(cut.code == 0, "\(cut.errors)")
      #expect(cut.errors.contains("git fetch --unshallow"), "\(cut.errors)")
    }
  }

  @Test("what a repository holds reaches no terminal, and git runs nothing that it names")
  func hostile() throws {
    let bench = try GitBench()
    bench.here.shell(
      """
      git config log.showSignature true; git config log.follow true; git config log.showRoot false
      git config diff.external 'touch ../ran'; git config core.fsmonitor 'touch ../ran'; git config color.ui always
      git config log.decorate full; git config format.pretty raw; git config diff.relative true
      git config i18n.logOutputEncoding UTF-16; git config log.diffMerges off
      """)
    #expect(bench.here.vault("set", bench.id, "username=\u{1B}[31mred\u{202E}").code == 0)
    bench.here.with(["GIT_AUTHOR_NAME": "E\u{1B}[2Jve"]).shell(
      "git commit -qam x; rm -f ../ran; git config diff.orderFile /dev/zero")
    for words in [["log"], ["log", bench.id]] {
      let run = bench.here.shell("vault " + words.joined(separator: " "))
      #expect(run.code == 0, "\(run.output)")
      #expect(!run.output.contains("\u{1B}"), "\(run.output)")
      #expect(!run.output.contains("\u{202E}"), "\(run.output)")
      #expect(run.output.contains("by E\\u001b[2Jve"))
    }
    #expect(versions(bench).count == 2)
    #expect(JSON(bench.here.vault("log", "--json").stdout)["commits"]?.items?.count == 2)
    #expect(FileTree.mode(of: bench.workspace.path + "/ran") == nil)
  }
}
