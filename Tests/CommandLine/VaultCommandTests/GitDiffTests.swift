import Testing
import VaultTestSupport

@Suite("Two states of a vault, compared", .enabled(if: GitBench.isThere))
struct GitDiffTests {
  /// Runs `vault diff` without any key.
  private func diff(_ bench: GitBench, _ words: String) -> ProcessOutcome {
    bench.here.with(["CVAULT_IDENTITY_FILE": ""]).shell("vault diff " + words)
  }

  private func records(_ bench: GitBench, _ words: String) -> [JSON] {
    let run = diff(bench, words + " --json")
    #expect(run.code == 0, "\(run.errors)")
    return JSON(run.stdout)["records"]?.items ?? []
  }

  /// Ada's record is gone to the trash, Li Wei's has another name and password, and one is new.
  private func change(_ bench: GitBench) throws {
    #expect(bench.here.vault("set", bench.id, "username=ada-ops").code == 0)
    #expect(bench.here.vault("set", bench.id, "--secret-stdin", "password", input: "hyacinth").code == 0)
    #expect(bench.here.vault("remove", "-y", "Ada").code == 0)
    #expect(
      bench.here.vault("add", "login", "--set", "title=New", "--secret-stdin", "password", input: "rose").code == 0)
  }

  private let lines = [
    "added login New", "changed login Li Wei", "  username: \"x\" → \"ada-ops\"", "removed login Ada",
    "  + password: ••••••••",
  ]

  @Test("what is not committed, then two commits, by record and field; no secret, also where a key is at hand")
  func states() throws {
    let bench = try GitBench()
    #expect(diff(bench, "--exit-code").code == 0)
    try change(bench)
    let work = diff(bench, "--exit-code")
    #expect(work.status == .findings, "\(work.errors)")
    for line in lines { #expect(work.output.contains(line), "\(line): \(work.output)") }
    #expect(work.output.contains("  password: •••••••• re"), "replaced, or resealed in the same second")
    let withKey = bench.here.vault("diff")
    #expect(withKey.output == work.output)
    #expect(withKey.code == 0)
    bench.here.shell("git add -A; git commit -qm all; git tag v1")
    #expect(diff(bench, "--exit-code").code == 0)
    for words in ["HEAD^", "HEAD^ v1", "HEAD^ @work"] { #expect(diff(bench, words).output == work.output, "\(words)") }
    let back = diff(bench, "v1 HEAD^").output
    #expect(back.contains("deleted login New"))
    #expect(back.contains("restored login Ada"))
    #expect(!back.contains("went back"))
    for words in ["", "--stat", "--markdown", "--json"] {
      let output = diff(bench, "HEAD^ " + words).output
      #expect(output.contains("ada-ops") || words == "--stat", "\(output)")
      for secret in ["tigerlily", "hyacinth", "rose", "es1:"] {
        #expect(!output.contains(secret), "\(words): \(secret)")
      }
    }
    let document = JSON(diff(bench, "HEAD^ v1 --json").stdout)
    #expect(document["to"]?.text?.count == 40)
    #expect(document["new_root"] == .bool(false))
    let stat = diff(bench, "HEAD^ --stat").output
    #expect(stat.contains("changed login Li Wei: 2 fields\n"))
    #expect(stat.hasSuffix("1 added, 1 changed, 1 removed\n"))
  }

  @Test("records that are named are compared alone, by id or by name, also by that of one that is gone")
  func named() throws {
    let bench = try GitBench()
    try change(bench)
    #expect(records(bench, bench.id).map { $0["id"]?.text } == [bench.id])
    #expect(records(bench, "HEAD @work 'Li Wei' Ada").map { $0["event"]?.text }.count == 2)
    #expect(records(bench, "Ada").map { $0["event"]?.text } == ["removed"])
    bench.here.shell("vault trash empty -y")
    #expect(records(bench, "Ada").map { $0["event"]?.text } == ["deleted"])
    #expect(records(bench, "Shai").isEmpty)
    for words in ["nosuch", "HEAD @work HEAD", "./nosuch", "mysql://db"] {
      let run = diff(bench, words)
      #expect(run.status == .notFound, "\(words): \(run.errors)")
      #expect(run.errors.contains("hint: "), "\(words): \(run.errors)")
    }
    for words in ["--stat --markdown", "--json --stat", "postgres://db"] {
      #expect(diff(bench, words).status == .usage, "\(words)")
    }
  }

  @Test("the folder of a copy is a state; that of another vault and a place without commits are not")
  func folders() throws {
    let bench = try GitBench()
    try bench.there.change("username", "Oslo")
    for words in ["../b", "../b @work", "@work ../b"] {
      #expect(records(bench, words).map { $0["id"]?.text } == [bench.id], "\(words)")
    }
    bench.here.shell("cp -r ../b copy")
    #expect(records(bench, "copy").count == 1, "a folder that no commit is called by")
    let made = bench.here.shell(
      "unset CVAULT_DIR CVAULT_IDENTITY_FILE; cd ..; vault init other --generate-identity other.txt -y")
    #expect(made.code == 0, "\(made.errors)")
    #expect(diff(bench, "../other").status == .unexpectedVault)
    let workspace = try Workspace.withVault()
    #expect(workspace.run("diff", "--vault", "v").status == .inputOutput)
  }

  @Test("a backup is a state, which takes its own key and none of the vault")
  func backups() throws {
    let bench = try GitBench()
    let made = bench.here.shell(
      "echo pw >pw; mkdir ../k; vault backup create --to ../k --new-passphrase-file pw && mv ../k/*.age k.age")
    #expect(made.code == 0, "\(made.errors)")
    let options = " --backup-passphrase-file pw --exit-code"
    #expect(diff(bench, "k.age" + options).code == 0)
    try change(bench)
    let work = diff(bench, "k.age" + options)
    #expect(work.status == .findings, "\(work.output)\(work.errors)")
    #expect(work.output == diff(bench, "HEAD").output, "\(work.output)\(work.errors)")
    #expect(diff(bench, "./k.age k.age" + options).code == 0)
    #expect(diff(bench, "k.age").status == .cannotUnlock)
    #expect(diff(bench, "k.age --backup-passphrase-file k.age").code != 0)
    bench.here.shell("head -c 2000 k.age >cut.age; touch empty.age")
    for file in ["cut.age", "empty.age"] { #expect(diff(bench, file + options).status == .damaged, "\(file)") }
    bench.here.shell("unset CVAULT_DIR CVAULT_IDENTITY_FILE; vault init ../o --generate-identity ../o.txt -y")
    #expect(bench.here.with(["CVAULT_DIR": "../o"]).shell("vault diff k.age" + options).status == .unexpectedVault)
  }

  @Test("what was changed by hand or went back is said, and clear text in a sealed place is not told")
  func faults() throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    bench.here.shell("sed -i s/Oslo/Rome/ \(bench.file)")
    #expect(diff(bench, "").output.contains("\n  was changed without a key"))
    bench.here.shell("git checkout -q HEAD^ -- \(bench.file)")
    #expect(records(bench, "")[0]["fault"]?.text == "not_later")
    bench.here.shell("sed -i 's/\"es1:[^\"]*\"/\"hunter2\"/' \(bench.file)")
    let clear = diff(bench, "").output
    #expect(clear.contains("  password: •••••••• NOT SEALED any more"), "\(clear)")
    #expect(!clear.contains("hunter2"), "\(clear)")
    bench.here.shell("git commit -qam bad; sed -i s/hunter2/hunter3/ \(bench.file)")
    let both = diff(bench, "").output
    #expect(both.contains("  password: •••••••• changed, NOT SEALED"), "\(both)")
    #expect(!both.contains("hunter"), "\(both)")
    bench.here.shell("echo '<<<<<<<' >\(bench.file)")
    #expect(records(bench, "").map { $0["event"]?.text } == ["damaged"])
  }

  @Test("ways to unlock and root keys; a rotation is no change of fields")
  func header() throws {
    let bench = try GitBench()
    for words in ["key add --generate-identity ../two.txt --label 'B|en'", "rekey"] {
      #expect(bench.here.shell("vault \(words)").code == 0)
    }
    let text = diff(bench, "").output
    #expect(text.contains("vault.json has another root key\nvault.json has a new way to unlock: B|en (age1"), "\(text)")
    #expect(!text.contains("lost a way"), "who could unlock before still can")
    #expect(records(bench, "").allSatisfy { $0["event"]?.text == "rewrapped" && $0["changes"]?.items?.isEmpty == true })
    let document = JSON(diff(bench, "--json").stdout)
    #expect(document["new_root"] == .bool(true))
    #expect(document["slots"]?.items?.count == 1)
    #expect(diff(bench, "--markdown").output.contains("- <code>vault&#46;json has a new way to unlock&#58; B&#124;en "))
  }

  @Test("in Markdown no value is markup, a mention, a link or the end of a cell")
  func markdown() throws {
    let bench = try GitBench()
    let hostile = "</code>|`x`@ada #1 [a](http://b) <img src=x> ![](y) \\| *b* _c_ &lt; www.x.y\u{1B}[2J\u{202E}\n| a |"
    #expect(bench.here.vault("set", bench.id, "username=\(hostile)").code == 0)
    let output = diff(bench, "--markdown").output
    let row = output.split(separator: "\n").filter { $0.hasPrefix("| <code>username") }
    try #require(row.count == 1, "\(output)")
    #expect(row[0].hasSuffix("</code> |"), "\(output)")
    let cells = row[0].split(separator: "|")
    #expect(cells.count == 3, "\(row)")
    let content = cells[2].replacing("<code>", with: "").replacing("</code>", with: "")
    #expect(!content.contains { "<>`@[]()*_!\\.:\u{1B}\u{202E}".contains($0) }, "\(content)")
    #expect(content.replacing("&#", with: "").contains("#") == false)
    #expect(diff(bench, "HEAD HEAD --markdown").output == "No record of the vault differs.\n")
  }
}
