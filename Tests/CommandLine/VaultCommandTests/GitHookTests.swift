import Testing
import VaultTestSupport

@Suite("Hooks of a clone", .enabled(if: GitBench.isThere))
struct GitHookTests {
  private func bench() throws -> GitBench {
    let bench = try GitBench()
    let set = bench.here.vault("git", "setup", "--hooks")
    try #require(set.code == 0, "\(set.errors)")
    try #require(set.errors.contains("3 hooks"), "\(set.errors)")
    return bench
  }

  /// Changes a readable value without a key.
  private let forging = "sed -i 's/\"x\"/\"forged\"/'"

  @Test(
    "what is committed is checked, whichever way it is committed, also in a work tree of its own",
    arguments: ["git add -A; git commit -qm c", "git commit -qam c", "git commit -qm c -- FILE"])
  func commits(_ line: String) throws {
    let bench = try bench()
    bench.here.shell("git worktree add -q ../w")
    for folder in [".", "../w"] {
      let words = "cd \(folder); \(forging) FILE; \(line)".replacing("FILE", with: bench.file)
      let refused = bench.here.with(["CVAULT_IDENTITY_FILE": ""]).shell(words)
      #expect(refused.code == 1, "\(refused.errors)")
      #expect(refused.errors.contains("vault: \(bench.file) was changed without a key"), "\(refused.errors)")
      bench.here.shell("cd \(folder); git reset -q --hard")
    }
    try bench.here.change("username", "Oslo")
    #expect(bench.here.shell("git status --short").output.isEmpty, "an honest change is committed")
  }

  @Test("without the program a commit is let through, and that is said")
  func missing() throws {
    let bench = try bench()
    let committed = bench.here.with(["PATH": "/usr/bin:/bin"]).shell("\(forging) \(bench.file); git commit -qam forged")
    #expect(committed.code == 0, "\(committed.errors)")
    #expect(committed.errors.contains("vault is not on the PATH"), "\(committed.errors)")
    // A push is checked again, but only for the commits that the other side lacks.
    bench.here.shell("git init -q --bare ../bare; git remote add origin ../bare")
    let refused = bench.here.shell("git push -q origin HEAD")
    #expect(refused.code == 1, "\(refused.errors)")
    #expect(refused.errors.contains("was changed without a key"), "\(refused.errors)")
    #expect(bench.here.shell("git push -q --no-verify origin HEAD").code == 0)
    #expect(bench.here.vault("accept", bench.id, "--no-baseline", "-y").code == 0)
    let pushed = bench.here.shell(
      "git commit -qam accepted && git push -q origin HEAD && git push -q origin :gone HEAD:two")
    #expect(pushed.errors.contains("was changed without") == false, "\(pushed.errors)")
    #expect(bench.here.shell("git push -q origin HEAD:three").code == 0)
  }

  @Test("after a merge it is said who may unlock since, and that a checkpoint is due")
  func merged() throws {
    let bench = try bench()
    #expect(bench.there.vault("key", "add", "--generate-identity", "../two.txt", "--label", "Ben").code == 0)
    #expect(bench.there.vault("checkpoint").code == 0)
    bench.there.shell("git add -A; git commit -qm key")
    try bench.here.change("username", "Oslo")
    try bench.there.change("username", "Oslo")
    let merged = bench.bring("merge --no-edit")
    #expect(merged.code == 0, "\(merged.errors)")
    #expect(merged.errors.contains("note: vault.json has a new way to unlock: Ben"), "\(merged.errors)")
    #expect(merged.errors.contains("`vault checkpoint` makes a checkpoint of all of them"))
  }

  @Test("a hook that is there is never changed, nor is anything else then; with the line in it, it is enough")
  func foreign() throws {
    let bench = try GitBench(settingUp: false)
    bench.here.shell(
      "printf '#!/bin/sh\\nexit 0\\n' >.git/hooks/pre-push; chmod +x .git/hooks/pre-push; cp -r .git ../before")
    let refused = bench.here.vault("git", "setup", "--hooks")
    #expect(refused.status == .alreadyExists, "\(refused.errors)")
    #expect(refused.errors.contains("vault git hook pre-push \"$@\" || exit"), "\(refused.errors)")
    #expect(bench.here.shell("diff -r .git ../before").code == 0)
    let line = refused.errors.split(separator: "\n").first { $0.contains("this line") }?.split(separator: "run: ").last
    let hook = "#!/bin/sh\n\(try #require(line))\n"
    _ = bench.workspace.write(hook, to: "v/.git/hooks/pre-push")
    bench.here.shell("chmod +x .git/hooks/pre-push")
    #expect(bench.here.vault("git", "setup", "--hooks").code == 0)
    let removed = bench.here.vault("git", "setup", "--remove")
    #expect(removed.code == 0, "\(removed.errors)")
    #expect(removed.errors.contains("pre-push is your own hook and still calls `vault git hook`"), "\(removed.errors)")
    #expect(bench.workspace.text(of: "v/.git/hooks/pre-push") == hook)
    #expect(bench.here.shell("ls .git/hooks | grep -v sample").output == "pre-push\n")
    #expect(!bench.workspace.text(of: "v/.git/config").contains("vault"))
  }

  @Test("hooks go where git looks for them, and are missed only where they were asked for")
  func places() throws {
    let bench = try GitBench()
    #expect(bench.here.vault("git", "setup", "--check").code == 0, "nobody asked for hooks")
    bench.here.shell("git config core.hooksPath ../shared")
    #expect(bench.here.vault("git", "setup", "--hooks").code == 0)
    #expect(bench.here.shell("ls ../shared .git/hooks | grep -c '^p[a-z]*-[a-z]*$'").output == "3\n")
    bench.here.shell("chmod -x ../shared/pre-commit; rm ../shared/pre-push")
    let lacking = bench.here.vault("git", "setup", "--check")
    #expect(lacking.status == .findings, "\(lacking.output)")
    #expect(lacking.output == "hook: pre-commit\nhook: pre-push\n", "\(lacking.output)")
    #expect(bench.here.vault("doctor").output.contains("merging: this clone lacks hook: pre-commit"))
    #expect(bench.here.vault("git", "setup").code == 0)
    #expect(bench.here.vault("git", "setup", "--check").code == 0)
    // A folder of hooks that others share does nothing for them.
    bench.there.shell("git config core.hooksPath ../shared")
    #expect(bench.there.shell("\(forging) \(bench.file); git commit -qam forged").code == 0)
    #expect(bench.here.vault("git", "setup", "--hooks", "--check").status == .usage)
    #expect(bench.here.vault("git", "setup", "--remove").code == 0)
    #expect(bench.here.shell("ls ../shared").output.isEmpty)
  }
}
