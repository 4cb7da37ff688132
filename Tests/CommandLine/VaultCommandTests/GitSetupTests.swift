import Testing
import VaultTestSupport

@Suite("A clone that merges and shows by field", .enabled(if: GitBench.isThere))
struct GitSetupTests {
  @Test("setup adds what is missing once, --check says what is, --remove takes all of it out again")
  func setup() throws {
    let bench = try GitBench(settingUp: false)
    let before = bench.workspace.text(of: "v/.gitattributes")
    let lacking = bench.here.vault("git", "setup", "--check")
    #expect(lacking.status == .findings, "\(lacking.errors)")
    #expect(lacking.output.contains("git config: merge.vault.driver\n"), "\(lacking.errors)")
    #expect(lacking.errors == "note: run `vault git setup` to add what is missing\n")
    #expect(bench.here.vault("doctor").output.contains("merging: this clone does not merge by field"))
    #expect(bench.here.vault("git", "setup").code == 0)
    #expect(bench.here.vault("git", "setup", "--check").code == 0)
    let after = bench.workspace.text(of: "v/.gitattributes")
    #expect(after.hasPrefix(before))
    #expect(after.hasSuffix("\ncheckpoint.jsonl merge=vault diff=vault\n"))
    #expect(!bench.here.vault("doctor").output.contains("does not merge by field"))
    #expect(bench.here.vault("git", "setup").errors == "note: this clone was set up already\n")
    #expect(bench.workspace.text(of: "v/.gitattributes") == after)
    #expect(bench.here.vault("git", "setup", "--remove").code == 0)
    #expect(bench.workspace.text(of: "v/.gitattributes") == before)
    #expect(!bench.workspace.text(of: "v/.git/config").contains("vault"))
  }

  @Test("outside of a work tree there is nothing to set up, and links are not written through")
  func refused() throws {
    let workspace = try Workspace.withVault()
    let refused = workspace.run("git", "setup", "--vault", "v")
    #expect(refused.status == .inputOutput, "\(refused.errors)")
    #expect(refused.errors.contains("is not in a work tree of git"), "\(refused.errors)")
    workspace.prepare("cd v; git init -q; mv .gitattributes ../elsewhere; ln -s ../elsewhere .gitattributes")
    let linked = workspace.run("git", "setup", "--vault", "v")
    #expect(linked.status == .inputOutput, "\(linked.errors)")
    #expect(linked.errors.contains("is not a regular file"), "\(linked.errors)")
    #expect(!workspace.text(of: "elsewhere").contains("merge=vault"))
  }

  @Test("a new vault in a work tree is set up, also with --json and --quiet, and with --no-git it is not")
  func newVault() throws {
    let workspace = try Workspace()
    workspace.prepare("git init -q .")
    for (options, isSetUp) in [([], true), (["--json"], true), (["-q"], true), (["--no-git"], false)] {
      workspace.prepare("rm -rf v id.txt .git/config; git init -q .")
      let made = workspace.run(["init", "v", "--generate-identity", "id.txt"] + options)
      #expect(made.code == 0, "\(made.errors)")
      #expect(made.errors.contains("git merges") == options.isEmpty, "\(options): \(made.errors)")
      #expect((workspace.run("git", "setup", "--check", "--vault", "v").code == 0) == isSetUp, "\(options)")
    }
  }

  @Test("a configuration that cannot be written is a note, and the vault is made")
  func locked() throws {
    let workspace = try Workspace()
    workspace.prepare("git init -q .; touch .git/config.lock")
    let made = workspace.run("init", "v", "--generate-identity", "id.txt")
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.errors.contains("note: git is not set up for the vault: "), "\(made.errors)")
    #expect(made.errors.contains("note: `vault git setup` tries that again"), "\(made.errors)")
    #expect(workspace.run("list", "--vault", "v").code == 0)
  }

  @Test("a diff shows which fields changed, and of sealed ones only that and when")
  func diff() throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    try bench.here.seal("password", "rose")
    let diff = bench.here.shell("git diff HEAD^^").output
    #expect(diff.contains("-username: x\n+username: Oslo\n"), "\(diff)")
    #expect(diff.contains("+password: •••••••• sealed 20"))
    #expect(!diff.contains("es1:"))
    #expect(!diff.contains("rose"))
    #expect(!diff.contains("tigerlily"))
  }

  @Test("the text of a file says what is not sealed, and any file has one")
  func textconv() throws {
    let bench = try GitBench()
    let clear = bench.workspace.text(of: "v/" + bench.file).replacing(/"es1:[^"]*"/, with: "\"hunter2\"")
    let file = bench.workspace.write(clear, to: "clear.json")
    let shown = bench.here.vault("git", "textconv", file)
    #expect(shown.output.contains("password: •••••••• NOT SEALED\n"))
    #expect(!shown.output.contains("hunter2"))
    let broken = bench.workspace.write("<<<<<<< ours\n{\u{1B}", to: "broken.json")
    let told = bench.here.vault("git", "textconv", broken)
    #expect(told.code == 0)
    #expect(told.output.hasPrefix("<<<<<<< ours\n{"))
    #expect(!told.output.contains("\u{1B}"))
  }
}
