import Testing
import VaultTestSupport

@Suite("The vault as a commit has it", .enabled(if: GitBench.isThere))
struct GitEarlierTests {
  private let bench: GitBench
  private var here: GitBench.Clone { bench.here }
  private var there: GitBench.Clone { bench.there }

  /// Five states with tags: `one` as it began, `two` after changes and a removal, `slot`, `root` and `resealed`.
  init() throws {
    bench = try GitBench(settingUp: false)
    let done = here.shell(
      """
      git tag one; set -e
      vault set 'Li Wei' username=Oslo; printf rose | vault set 'Li Wei' --secret-stdin password; vault remove -y Ada
      git add -A; git commit -qm two; git tag two
      vault key add --generate-identity ../two.txt --label Ben; git add -A; git commit -qm slot; git tag slot
      vault rekey -y; git add -A; git commit -qm root; git tag root
      vault rekey --reseal -y --drop-slot Ben || vault rekey --reseal -y; git add -A; git commit -qm r; git tag resealed
      """)
    try #require(done.code == 0, "\(done.errors)")
  }

  private func state(_ clone: GitBench.Clone) -> FolderState {
    let folders = ["state-" + clone.name, "home/.cache", clone.name].map { bench.workspace.path + "/" + $0 }
    return folders.reduce(into: FolderState()) { all, folder in
      for file in FileTree.files(below: folder) where !file.hasPrefix(".git/") {
        all[folder + "/" + file] = FileTree.contents(of: folder + "/" + file) ?? []
      }
    }
  }

  @Test("every command that reads reads it, and nothing is remembered of it")
  func reading() throws {
    let before = state(here)
    #expect(here.vault("list", "--at", "one").output.contains("  Ada  "))
    #expect(!here.vault("list", "--at", "two").output.contains("  Ada  "))
    #expect(here.vault("list", "--at", "one", "--verify").errors.contains("replaced at"))
    #expect(here.vault("find", "x", "--at", "one").output.split(separator: "\n").count == 3)
    #expect(here.vault("find", "Oslo", "--at", "one").status == .notFound)
    let shown = here.vault("show", "Li Wei", "--at", "one", "--reveal")
    #expect(shown.output.contains("username: x"), "\(shown.errors)")
    #expect(shown.output.contains("tigerlily"), "\(shown.errors)")
    #expect(here.vault("get", "Li Wei", "password", "--at", "one").output == "tigerlily")
    #expect(here.vault("get", "Li Wei", "password", "--at", "resealed^{/two}").output == "rose")
    #expect(here.vault("trash", "list", "--at", "slot").output.contains("  Ada  "))
    for tag in ["one", "two", "slot", "root", "resealed", "HEAD", "HEAD~2"] {
      let verified = here.vault("verify", "--at", tag)
      #expect(verified.code == 0, "\(tag): \(verified.errors)")
      #expect(verified.output.contains("all verified"), "\(tag): \(verified.errors)")
      #expect(here.vault("lint", "--at", tag).code == 0)
    }
    let exported = here.vault("export", "--at", "one", "--reveal", "--kind", "login")
    #expect(JSON(exported.stdout).items?.count == 3, "\(exported.errors)")
    #expect(state(here) == before)
    #expect(here.shell("git status --porcelain").output == "")
  }

  @Test("what is older than what this machine has seen is a note, and no alarm")
  func older() throws {
    let shown = here.vault("get", "Li Wei", "username", "--at", "root")
    #expect(shown.code == 0, "\(shown.errors)")
    #expect(shown.errors.contains("under a root key that was replaced at"), "\(shown.errors)")
    #expect(here.vault("get", "Li Wei", "username", "--at", "HEAD").errors.isEmpty)
    // The other clone never saw another root than the first.
    there.shell("git fetch -q ../v --tags")
    let first = there.vault("get", "Li Wei", "username", "--at", "slot")
    #expect(first.output == "Oslo", "\(first.errors)")
    #expect(first.errors.isEmpty, "\(first.errors)")
    there.shell("git merge -q slot")
    #expect(there.vault("verify").code == 0)
    let old = there.vault("get", "Li Wei", "username", "--at", "one")
    #expect(old.output == "x", "\(old.errors)")
    #expect(old.errors.contains("older than the one that this machine has seen"), "\(old.errors)")
  }

  @Test("another root key is taken only where this machine has verified that the vault had it")
  func roots() throws {
    there.shell("git fetch -q ../v --tags; git merge -q resealed")
    let before = state(there)
    for words in [["list"], ["get", "Li Wei", "password"], ["verify"]] {
      let refused = there.with(["CVAULT_STATE_DIR": bench.workspace.path + "/new"]).shell(
        "vault \(words.map { "'\($0)'" }.joined(separator: " ")) --at one")
      #expect(refused.status == .unexpectedVault, "\(words)")
      #expect(refused.errors.contains("has another root key than this machine knows"), "\(words)")
      #expect(refused.output.isEmpty)
    }
    #expect(there.vault("list", "--at", "resealed").status == .unexpectedVault, "pinned is the root before")
    #expect(there.vault("list", "--at", "one").code == 0)
    let print = there.shell("git stash -q; git checkout -q one; vault fingerprint 2>/dev/null; git checkout -q -")
    let named = there.with(["CVAULT_STATE_DIR": bench.workspace.path + "/new"]).vault(
      "get", "Li Wei", "password", "--at", "one", "--require-fingerprint", print.output.filter { $0 != "\n" })
    #expect(named.output == "tigerlily", "\(named.errors) \(print.output)")
    #expect(state(there).filter { $0.key.contains("/state-") } == before.filter { $0.key.contains("/state-") })
    // Anybody who can write to the repository may put another vault there.
    bench.workspace.prepare("cp -r v w; cd w; rm -rf vault.json records slots trash checkpoint.jsonl")
    let made = here.shell(
      """
      cd ../w && CVAULT_DIR= vault init . --recipient $(sed -n 's/.*public key: //p' ../id.txt) && git add -A &&
      git commit -qm other && git push -q ../v HEAD:refs/heads/other
      """)
    #expect(made.code == 0, "\(made.errors)")
    let other = here.vault("list", "--at", "other")
    #expect(other.status == .unexpectedVault, "\(other.errors)")
    #expect(other.errors.contains("is from another vault than"), "\(other.errors)")
  }

  @Test("who had a slot then, and has none now, reads what was theirs")
  func former() throws {
    there.shell("git fetch -q ../v --tags; git merge -q slot")
    let ben = there.with(["CVAULT_IDENTITY_FILE": bench.workspace.path + "/two.txt"])
    #expect(ben.vault("get", "Li Wei", "password").output == "rose")
    there.shell("git merge -q resealed; git rm -q --cached vault.json; rm vault.json")
    let read = ben.vault("get", "Li Wei", "password", "--at", "slot")
    #expect(read.output == "rose", "also where the vault is not there any more: \(read.errors)")
    #expect(ben.vault("get", "Li Wei", "password", "--at", "one").status == .cannotUnlock, "nor was it before")
  }

  @Test("no such commit, no vault in it, no git, and commands that write")
  func refused() throws {
    for name in ["nosuch", "-x", "one:records", "HEAD\nHEAD", "0000000"] {
      let refused = here.vault("list", "--at=" + name)
      #expect(refused.status == .notFound, "\(name)")
      #expect(refused.errors.contains("does not name a commit in this clone"), "\(name)")
    }
    #expect(here.vault("list", "--at", "").status == .usage)
    here.shell("git checkout -q --orphan bare; git rm -rqf --cached .; git commit -q --allow-empty -m none")
    #expect(here.vault("list", "--at", "bare").status == .noVault)
    for words in [
      ["set", "Li Wei", "username=y"], ["remove", "Li Wei"], ["rekey"], ["checkpoint"], ["lint", "--fix"],
    ] {
      let refused = here.shell("vault " + words.map { "'\($0)'" }.joined(separator: " ") + " --at one")
      #expect(refused.status == .usage, "\(words)")
    }
    let workspace = try Workspace.withVault()
    #expect(workspace.open("list", "--at", "HEAD").status == .inputOutput)
    bench.workspace.prepare("git clone -q --bare v bare.git")
    let bare = here.vault("list", "--at", "two", "--vault", bench.workspace.path + "/bare.git")
    #expect(bare.status == .inputOutput, "\(bare.errors)")
    #expect(bare.errors.contains("it is not in a work tree of git, or that work tree is damaged"), "\(bare.errors)")
    #expect(here.with(["PATH": Binary.parent(Binary.path)]).vault("list", "--at", "HEAD").status == .inputOutput)
  }

  @Test("a damaged file of a commit is told as in a folder")
  func damaged() throws {
    here.shell("sed -i s/Oslo/Rome/ \(bench.file); git commit -qam edited")
    here.shell("git checkout -q HEAD~1")
    let verified = here.vault("verify", "--at", "HEAD@{1}")
    #expect(verified.status == .damaged, "\(verified.errors)")
    #expect(verified.errors.contains(bench.file), "\(verified.errors)")
    #expect(here.vault("get", "Li Wei", "username", "--at", "HEAD@{1}").status == .damaged)
    #expect(here.vault("verify").code == 0)
  }
}
