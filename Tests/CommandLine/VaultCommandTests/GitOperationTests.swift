import Testing
import VaultTestSupport

/// One repository in which each record is a case: the changes of `ours` since the base, and those of `theirs`.
private struct CaseBench {
  struct Case {
    let name: String
    /// The commands for either side; NAME is the record.
    let ours: String
    let theirs: String
    /// Whether git is to wait for a person although the key is there.
    let conflicts: Bool
    /// Whether it joins without a key.
    var joinsAlone = false
    /// The fields of the record after joining.
    var values: [String: String] = [:]
  }

  static let cases = [
    Case(
      name: "one side", ours: "vault set NAME username=o", theirs: ":", conflicts: false, joinsAlone: true,
      values: ["username": "o"]),
    Case(
      name: "two fields", ours: "vault set NAME username=o", theirs: "vault set NAME fields.a=t", conflicts: false,
      values: ["username": "o", "fields.a": "t"]),
    Case(
      name: "a field and a secret", ours: "vault set NAME username=o", theirs: "seal t-secret", conflicts: false,
      values: ["username": "o", "password": "t-secret"]),
    Case(
      name: "one value", ours: "vault set NAME username=s", theirs: "vault set NAME username=s", conflicts: false,
      joinsAlone: true, values: ["username": "s"]),
    Case(name: "two values", ours: "vault set NAME username=o", theirs: "vault set NAME username=t", conflicts: true),
    Case(
      name: "one secret", ours: "seal s-secret", theirs: "seal s-secret", conflicts: false,
      values: ["password": "s-secret"]),
    Case(name: "two secrets", ours: "seal o-secret", theirs: "seal t-secret", conflicts: true),
    Case(
      name: "tags", ours: "vault set NAME 'tags[0]=o'", theirs: "vault set NAME 'tags[0]=t'", conflicts: false,
      values: ["tags[0]": "o", "tags[1]": "t"]),
    Case(
      name: "a field gone", ours: "vault restore -y NAME@1 fields.a", theirs: "vault set NAME fields.a=t",
      conflicts: true),
    Case(name: "removed", ours: "vault remove -y NAME", theirs: "vault set NAME username=t", conflicts: true),
    Case(
      name: "removed twice", ours: "vault remove -y NAME", theirs: "vault remove -y NAME", conflicts: false,
      joinsAlone: true),
    Case(
      name: "deleted", ours: "vault remove -y NAME && vault trash empty -y NAME", theirs: "vault set NAME username=t",
      conflicts: true),
    Case(
      name: "by hand", ours: "vault set NAME username=o", theirs: "sed -i 's/by-hand/forged/' records/*/*.json",
      conflicts: true),
  ]

  let bench: GitBench
  /// By the names of the cases.
  private(set) var ids: [String: String] = [:]
  var here: GitBench.Clone { bench.here }

  init() throws {
    bench = try GitBench()
    for one in Self.cases {
      let added = here.vault(
        "add", "login", "--json", "--set", "title=\(one.name)", "--set",
        "username=\(one.name == "by hand" ? "by-hand" : "x")", "--secret-stdin", "password", input: "tigerlily")
      ids[one.name] = try #require(JSON(added.stdout)["id"]?.text, "\(added.errors)")
    }
    try run("git add -A; git commit -qm new; vault set 'a field gone' fields.a=x")
    try run("git commit -qam cases; git branch base; git branch theirs; git branch ours")
    try make("theirs", Self.cases.map { ($0.name, $0.theirs) })
    try make("ours", Self.cases.map { ($0.name, $0.ours) })
  }

  private func run(_ script: String) throws {
    let done = here.shell(script)
    try #require(done.code == 0, "\(script): \(done.output)\(done.errors)")
  }

  /// One commit on a branch; each side is another machine.
  func make(_ branch: String, _ changes: [(name: String, script: String)]) throws {
    let machine = here.with(["CVAULT_STATE_DIR": bench.workspace.path + "/state-" + branch])
    let lines = changes.map { change in
      let name = "'\(change.name)'"
      return change.script.replacing("seal ", with: "seal \(name) ").replacing("NAME", with: name)
    }
    let script = """
      set -e; git checkout -q \(branch); seal() { printf %s "$2" | vault set "$1" --secret-stdin password; }
      \(lines.joined(separator: "\n")); git add -A; git commit -qm \(branch)
      """
    let done = machine.shell(script)
    try #require(done.code == 0, "\(branch): \(done.output)\(done.errors)")
  }
}

extension String {
  fileprivate func replacing(_ text: String, with other: String) -> String {
    split(separator: text, omittingEmptySubsequences: false).joined(separator: other)
  }
}

@Suite("git's operations on a vault", .enabled(if: GitBench.isThere))
struct GitOperationTests {
  /// Whether and how the program and a key are there.
  enum Driver: CaseIterable {
    case key, noKey, otherKey, missing, killed
  }

  private static let operations = [
    "merge": "git checkout -q ours && git merge --no-edit theirs",
    "rebase": "git checkout -q theirs && git rebase ours",
    "cherry-pick": "git checkout -q ours && git cherry-pick theirs",
    "stash pop":
      "git checkout -q base && git cherry-pick -n theirs && git stash -q && git checkout -q ours && git stash pop",
    "am": "git checkout -q ours && git format-patch -1 --stdout theirs | git am -3",
    "worktree":
      "git checkout -q base; git worktree prune; git worktree add -q ../linked ours && cd ../linked && git merge --no-edit theirs",
  ]

  private func environment(_ driver: Driver, _ workspace: Workspace) -> [String: String] {
    switch driver {
    case .key: return [:]
    case .noKey: return ["CVAULT_IDENTITY_FILE": ""]
    case .otherKey: return ["CVAULT_IDENTITY_FILE": workspace.path + "/other.txt"]
    case .missing: return ["PATH": "/usr/bin:/bin"]
    case .killed: return ["PATH": workspace.path + "/killed:/usr/bin:/bin"]
    }
  }

  @Test(
    "every case joins or waits as it should, whatever git does, and with whatever is there",
    arguments: operations.keys.sorted())
  func table(_ operation: String) throws {
    let cases = try CaseBench()
    let workspace = cases.bench.workspace
    #expect(workspace.run("init", "other", "--generate-identity", "other.txt").code == 0)
    FileTree.makeFolder(workspace.path + "/killed")
    _ = workspace.write("#!/bin/sh\nkill -9 $$\n", to: "killed/vault")
    workspace.prepare("chmod +x killed/vault")
    let script = try #require(Self.operations[operation])
    for driver in Driver.allCases {
      workspace.prepare("rm -rf b linked state-c; cp -r v b")
      let folder = operation == "worktree" ? "linked" : "b"
      // A machine without memory; other tests are about the memory.
      let clone = GitBench.Clone(
        bench: cases.bench, name: "b", adding: ["CVAULT_STATE_DIR": workspace.path + "/state-c"])
      let done = clone.with(environment(driver, workspace)).shell(script)
      let place = clone.with(["CVAULT_DIR": workspace.path + "/" + folder])
      expect(
        driver, in: place, folder: workspace.path + "/" + folder, cases,
        "\(operation), \(driver): \(done.output)\(done.errors)")
    }
  }

  private func expect(
    _ driver: Driver, in clone: GitBench.Clone, folder: String, _ cases: CaseBench, _ said: String
  ) {
    let waiting = clone.shell("cd \(folder) && git ls-files -u").output
    for one in CaseBench.cases {
      guard let id = cases.ids[one.name] else { continue }
      let waits =
        switch driver {
        case .key: one.conflicts
        case .noKey, .otherKey: !one.joinsAlone
        // A text merge joins nothing that both have changed.
        case .missing, .killed: one.theirs != ":"
        }
      let stages = waiting.split(separator: "\n").filter { $0.contains(id) }
      #expect(!stages.isEmpty == waits, "\(one.name): \(said)")
      if waits {
        #expect(stages.contains { $0.contains(" 3\t") } || one.ours.contains("trash"), "\(one.name): theirs is kept")
        continue
      }
      for (field, value) in one.values {
        #expect(clone.vault("get", id, field).output == value, "\(one.name), \(field): \(said)")
      }
    }
    // The rest is finished with the key, except for versions that do not verify. Then all of it verifies.
    guard driver == .key || driver == .noKey else { return }
    let finished = clone.shell("cd \(folder) && vault merge --continue --ours")
    #expect(finished.code == 0, "\(said)\n\(finished.output)\(finished.errors)")
    let verified = clone.shell("cd \(folder) && git ls-files -u && vault verify")
    #expect(verified.code == 0, "\(said)\n\(verified.errors)")
    #expect(clone.vault("get", cases.ids["two values"] ?? "", "username").output == "o")
  }

  @Test("a merge of three is refused where two have changed one record, and a revert where it was changed since")
  func refused() throws {
    let cases = try CaseBench()
    let (here, bench) = (cases.here, cases.bench)
    #expect(
      here.shell("git checkout -q base && git checkout -qb third && git commit -q --allow-empty -m third").code == 0)
    let octopus = here.shell("git checkout -q ours && git merge --no-edit third theirs base")
    #expect(octopus.code != 0 || octopus.output.contains("Already"), "\(octopus.output)")
    let three = here.shell(
      "git merge --abort; git reset -q --hard; git commit -q --allow-empty -m more && git merge --no-edit third theirs")
    #expect(three.code != 0, "\(three.output)\(three.errors)")
    // The index of git has the three versions, and none of the commits do.
    let finished = here.vault("merge", "--continue", "--ours")
    #expect(finished.code == 0, "\(finished.output)\(finished.errors)")
    let both = cases.ids["two fields"] ?? ""
    #expect(here.vault("get", both, "username").output == "o")
    #expect(here.vault("get", both, "fields.a").output == "t")
    here.shell("git merge --abort; git reset -q --hard; rm -rf ../state-v")
    // Changes of theirs that were changed again since cannot be undone by anybody.
    let changed = ["two fields", "a field and a secret", "one value", "two secrets", "tags"]
    here.shell("git branch later theirs")
    try cases.make("later", changed.map { ($0, "vault set NAME username=later") })
    for driver in Driver.allCases {
      let reverted = here.with(environment(driver, bench.workspace)).shell("git revert --no-edit theirs")
      #expect(reverted.code == 1, "\(reverted.output)\(reverted.errors)")
      let waiting = here.shell("git ls-files -u").output
      for name in changed { #expect(waiting.contains(cases.ids[name] ?? "-"), "\(driver): \(name)") }
      #expect(here.shell("git revert --abort").code == 0)
    }
  }

  @Test("who offers each older commit as theirs brings nothing back that was verified as undone")
  func replayed() throws {
    let bench = try GitBench()
    let here = bench.here
    // The user name was x, then y, and is x again: a merge sees nothing of ours that speaks for it.
    for value in ["y", "x", "x"] {
      try here.change("username", value == "x" ? "x" : value)
      try here.seal("password", "secret-\(value)")
      #expect(here.vault("verify").code == 0)
    }
    let commits = here.shell("git rev-list HEAD").output.split(separator: "\n").map(String.init)
    let good = here.shell("git rev-parse HEAD").output.filter { $0 != "\n" }
    for commit in commits.dropFirst() {
      for parent in Set([commits.last, commits.dropFirst(3).first, good].compactMap { $0 }) {
        let forged = here.shell("git commit-tree '\(commit)^{tree}' -p \(parent) -m forged").output.filter {
          $0 != "\n"
        }
        for operation in ["git merge --no-edit", "vault merge"] {
          here.shell("git merge --abort; git reset -q --hard \(good)")
          let done = here.shell("\(operation) \(forged)")
          let (name, password) = (here.vault("get", bench.id, "username"), here.vault("get", bench.id, "password"))
          #expect(name.code != 0 || name.output == "x", "\(operation) \(commit): \(done.output)\(done.errors)")
          #expect(password.code != 0 || password.output == "secret-x", "\(operation): \(done.output)\(done.errors)")
        }
      }
    }
    here.shell("git merge --abort; git reset -q --hard \(good)")
    #expect(here.vault("verify").code == 0)
  }

  @Test("no secret is in what git prints, keeps or leaves behind")
  func canary() throws {
    let bench = try GitBench()
    let here = bench.here
    try here.seal("password", "canary-one")
    #expect(here.vault("set", bench.id, "--secret-stdin", "notes", input: "canary-two").code == 0)
    here.shell("git commit -qam notes")
    try bench.there.seal("password", "canary-three")
    #expect(bench.bring("merge").code == 1)
    let printed = here.shell(
      """
      git diff; git diff --text HEAD; git log -p --all; git log -p --no-textconv --all; git blame \(bench.file)
      git show; git notes list; cat .git/*_MSG .git/MERGE_* 2>/dev/null; vault log Ada; vault log \(bench.id)
      vault diff HEAD~2 HEAD; vault merge --continue --dry-run; vault git check HEAD~2..HEAD
      """)
    #expect(!(printed.output + printed.errors).contains("canary-"))
    #expect(printed.output.contains("•••••••• sealed"))
    #expect(here.vault("merge", "--continue", "--theirs").code == 0)
    #expect(here.shell("git commit -q --no-edit").code == 0)
    #expect(here.value("password") == "canary-three")
    let kept = here.shell(
      "git cat-file --batch-all-objects --batch --buffer | grep -ac canary-; grep -rac canary- .git ../tmp . | grep -v ':0$'"
    )
    #expect(kept.output == "0\n", "\(kept.output)")
  }
}
