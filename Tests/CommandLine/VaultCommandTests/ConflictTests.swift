import Testing
import VaultTestSupport

@Suite("Conflicts in git, and hostile repositories")
struct ConflictTests {
  private static let isThere = FileTree.mode(of: "/usr/bin/git") != nil

  /// A vault in git with two records, of which a clone has changed one in another way.
  private struct Bench {
    let workspace: Workspace
    let id: String
    var elsewhere: [String: String] { ["CVAULT_STATE_DIR": workspace.path + "/elsewhere"] }

    /// - Parameter removing: whether the clone has removed the record; else it has changed the same member.
    init(removing: Bool) throws {
      workspace = try Workspace.withVault()
      for name in ["Li Wei", "Shai"] {
        let added = workspace.open(
          "add", "login", "--set", "title=\(name)", "--set", "username=x", "--secret-stdin", "password",
          input: "tigerlily")
        try #require(added.code == 0, "\(added.errors)")
      }
      id = String(try workspace.recordFile("Li Wei").dropFirst("records/00/".count).dropLast(".json".count))
      shell("cd v; git init -q; git add -A; git commit -qm all; cd ..; git clone -q v b")
      let change = removing ? ["rm", "-y", id] : ["set", id, "username=Oslo"]
      let there = workspace.run(change + ["--vault", "b", "--identity", "id.txt"], adding: elsewhere)
      try #require(there.code == 0, "\(there.errors)")
      try #require(workspace.open("set", id, "username=Milan").code == 0)
      shell("for d in b v; do (cd $d; git add -A; git commit -qm $d); done; cd v; git fetch -q ../b")
    }

    /// Runs a script with git's own settings.
    @discardableResult
    func shell(_ script: String) -> String {
      var environment = workspace.environment
      for role in ["AUTHOR", "COMMITTER"] {
        (environment["GIT_\(role)_NAME"], environment["GIT_\(role)_EMAIL"]) = ("Ada", "ada@example.com")
      }
      return ProcessRun(
        path: "/bin/sh", arguments: ["-c", script], environment: environment, directory: workspace.path
      ).run().output
    }

    /// The file in which git left both sides.
    func conflict(by command: String) throws -> String {
      shell("cd v; git \(command) FETCH_HEAD")
      let lines = shell("cd v; git ls-files --unmerged").split(separator: "\n")
      return try #require(lines.first?.split(separator: "\t").last.map(String.init), "git \(command) made no conflict")
    }
  }

  @Test(
    "every command says the same of both sides of a conflict, nothing is written in clear, and either side is whole",
    .enabled(if: isThere),
    arguments: [("merge", true), ("merge", false), ("rebase", true), ("cherry-pick", true)])
  func conflict(_ operation: String, _ removing: Bool) throws {
    let bench = try Bench(removing: removing)
    let workspace = bench.workspace
    let file = try bench.conflict(by: operation)
    FileTree.makeFolder(workspace.path + "/backups")
    for command in [
      ["verify"], ["checkpoint"], ["rekey"], ["repair", "--dry-run"], ["backup", "create", "--to", "backups"],
    ] {
      let outcome = workspace.run(command + ["--vault", "v", "--identity", "id.txt"])
      let said = outcome.output + outcome.errors
      #expect(outcome.status == .damaged, "\(command): \(said)")
      #expect(said.contains("has both sides of a conflict") && said.contains(file), "\(command): \(said)")
      #expect(said.contains("`git checkout --ours -- \(file)`"), "\(command): \(said)")
    }
    #expect(
      workspace.run("lint", "--vault", "v").output
        == "\(file) has both sides of a conflict that git left for you to resolve\n")
    for command in ["doctor", "status"] {
      let said = workspace.run(command, "--vault", "v").output
      #expect(said.contains("a \(operation) is under way: \(file) has conflicts"), "\(said)")
    }
    let plan = workspace.open("repair", "-y")
    #expect(plan.output.hasPrefix("leave \(file): the file has both sides"), "\(plan.output)")
    #expect(!plan.output.contains("salvage"), "\(plan.output)")
    #expect(!FileTree.names(in: workspace.path).contains { $0.contains("repair-") })
    for side in ["ours", "theirs"] {
      bench.shell("rm -rf c; cp -r v c; cd c; git checkout -q --\(side) -- \(file)")
      let key = ["--vault", "c", "--identity", "id.txt"]
      #expect([0, 13].contains(workspace.run(["repair", "-y"] + key, adding: bench.elsewhere).code))
      let state = ["CVAULT_STATE_DIR": workspace.path + "/fresh-" + side]
      #expect(workspace.run(["verify"] + key, adding: state).code == 0, "\(side)")
    }
  }

  @Test(
    "of a conflict that was committed as it is both sides are said; in the header it is told with the way on",
    .enabled(if: isThere))
  func committed() throws {
    let bench = try Bench(removing: true)
    let workspace = bench.workspace
    _ = try bench.conflict(by: "merge")
    bench.shell("cd v; git add -A")
    #expect(
      workspace.open("repair", "--dry-run").output.contains("`git checkout MERGE_HEAD -- trash/\(bench.id).json`"))
    bench.shell("cd v; git commit -qm merged")
    let plan = workspace.open("repair", "--dry-run")
    #expect(plan.output.hasPrefix("leave trash/\(bench.id).json: the file has both sides"), "\(plan.output)")
    for (parent, folder) in [("HEAD^1", "records/\(bench.id.prefix(2))"), ("HEAD^2", "trash")] {
      let commit = bench.shell("cd v; git rev-parse \(parent)").prefix(12)
      #expect(plan.output.contains("`git checkout \(commit) -- \(folder)/\(bench.id).json`"), "\(plan.output)")
    }
    #expect(!workspace.run("doctor", "--vault", "v", "--identity", "id.txt").output.contains("is under way"))
    let header = workspace.text(of: "v/vault.json")
    _ = workspace.write("<<<<<<< HEAD\n\(header)=======\n\(header)>>>>>>> b\n", to: "v/vault.json")
    for command in [["list"], ["verify"], ["repair"], ["status"]] {
      let refused = workspace.run(command + ["--vault", "v", "--identity", "id.txt"])
      #expect(refused.status == .damaged, "\(refused.errors)")
      #expect(refused.errors.contains("`git checkout --ours -- vault.json`"), "\(refused.errors)")
    }
  }

  @Test(
    "a head of git that leads nowhere takes no version away: the record comes back from HEAD", .enabled(if: isThere),
    arguments: ["git rev-parse HEAD >.git/REVERT_HEAD", "echo $(printf %040d 7) >.git/CHERRY_PICK_HEAD"])
  func deadHead(_ command: String) throws {
    let bench = try Bench(removing: false)
    // One commit, which has no parent.
    bench.shell("cd v; rm -rf .git; git init -q; git add -A; git commit -qm all; \(command)")
    try bench.workspace.damage("records/\(bench.id.prefix(2))/\(bench.id).json", "\"username\" : \"")
    let plan = bench.workspace.open("repair", "--dry-run")
    #expect(plan.output.hasPrefix("restore records/"), "\(plan.output)\(plan.errors)")
    #expect(plan.output.contains(": the file does not authenticate"), "\(plan.output)")
  }

  @Test(
    "a version that is another than the one seen has the same whole way on in every command, and it helps",
    .enabled(if: isThere))
  func forked() throws {
    let bench = try Bench(removing: false)
    let workspace = bench.workspace
    bench.shell("cd v; git checkout -q FETCH_HEAD -- records")
    let fingerprint = workspace.run("fingerprint", "--vault", "v").output.filter { $0 != "\n" }
    let line = "vault pin update --fingerprint \(fingerprint) --record \(bench.id)"
    for command in [
      ["list"], ["get", bench.id, "username"], ["verify"], ["checkpoint"], ["rekey"], ["set", bench.id, "username=z"],
      ["export", "--reveal", "-y"], ["repair", "--dry-run"],
    ] {
      let refused = workspace.run(command + ["--vault", "v", "--identity", "id.txt"])
      let said = refused.output + refused.errors
      #expect(refused.code == (command[0] == "repair" ? 13 : 16), "\(command): \(said)")
      #expect(said.contains("`\(line)`"), "\(command): \(said)")
      #expect(!said.contains("accept-rollback"), "\(command)")
    }
    let words = line.split(separator: " ").dropFirst().map(String.init)
    #expect(workspace.run(words + ["--vault", "v"]).code == 0)
    #expect(workspace.open("verify").code == 0)
    #expect(workspace.open("get", bench.id, "username").output == "Oslo")
  }

  /// Every setting that names a program which git itself could be made to run.
  private static func hostileConfiguration(_ workspace: Workspace, _ trap: String) -> String {
    """
    [core]
    \trepositoryformatversion = 1
    \tfsmonitor = \(trap)
    \thooksPath = \(workspace.path)/hooks
    \tpager = \(trap)
    \tsshCommand = \(trap)
    [extensions]
    \tpartialClone = origin
    [protocol "file"]
    \tallow = always
    [remote "origin"]
    \turl = file://\(workspace.vault)
    \tpromisor = true
    \tuploadpack = \(trap)
    [diff]
    \texternal = \(trap)
    [filter "evil"]
    \tsmudge = \(trap)
    [alias]
    \tcat-file = "!\(trap)"

    """
  }

  @Test("a hostile repository runs nothing, also through a git that fetches what is missing", .enabled(if: isThere))
  func hostile() throws {
    let bench = try Bench(removing: false)
    let workspace = bench.workspace
    let file = "records/\(bench.id.prefix(2))/\(bench.id).json"
    let trap = "touch \(workspace.path)/ran;"
    _ = workspace.write(Self.hostileConfiguration(workspace, trap), to: "v/.git/config")
    bench.shell(
      "cd v; o=$(GIT_NO_LAZY_FETCH=1 git rev-parse HEAD:\(file)); rm -f .git/objects/$(echo $o | sed 's,^..,&/,'); cp -r . ../proof"
    )
    bench.shell("cd proof; git -c core.fsmonitor=false -c protocol.allow=never cat-file blob HEAD:\(file)")
    #expect(FileTree.mode(of: workspace.path + "/ran") != nil, "the trap does not work")
    FileTree.remove(workspace.path + "/ran")
    // A git that does not know GIT_NO_LAZY_FETCH.
    FileTree.makeFolder(workspace.path + "/bin")
    _ = workspace.write(
      "#!/bin/sh\nunset GIT_NO_LAZY_FETCH\necho \"$GIT_DIR-$GIT_ALLOW_PROTOCOL-\" >> \(workspace.path)/calls\nexec /usr/bin/git \"$@\"\n",
      to: "bin/git")
    bench.shell("chmod +x bin/git")
    try workspace.damage(file, "\"username\" : \"")
    let adding = ["PATH": workspace.path + "/bin:/usr/bin:/bin", "GIT_DIR": "/nowhere", "GIT_ALLOW_PROTOCOL": "file"]
    for command in [["repair", "--dry-run"], ["accept", "-y", bench.id], ["doctor"], ["status"], ["repair", "-y"]] {
      _ = workspace.run(command + ["--vault", "v", "--identity", "id.txt"], adding: adding)
      #expect(FileTree.mode(of: workspace.path + "/ran") == nil, "\(command)")
    }
    let calls = workspace.text(of: "calls").split(separator: "\n")
    #expect(calls.count > 4, "\(calls)")
    #expect(calls.allSatisfy { $0 == "--" }, "\(calls)")
  }
}
