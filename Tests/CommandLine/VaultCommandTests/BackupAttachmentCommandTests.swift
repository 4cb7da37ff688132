import Testing
import VaultTestSupport

@Suite("Backups: attachments, by commands")
struct BackupAttachmentCommandTests {
  /// A vault with two records, of which one has three attachments and the other, in the trash, one; and its backup.
  private func backedUp() throws -> (workspace: Workspace, backup: String) {
    let workspace = try Workspace.withVault()
    workspace.prepare("head -c 3000000 /dev/urandom >big; printf x >small; : >empty; mkdir -m 700 b")
    for name in ["Office", "Old"] { try #require(workspace.open("add", "login", name, "-g").code == 0) }
    try #require(workspace.open("attach", "Office", "big", "small", "empty").code == 0)
    try #require(workspace.open("attach", "Old", "big").code == 0)
    try #require(workspace.open("rm", "Old", "--yes").code == 0)
    let made = workspace.open("backup", "create", "--to", "b", "--json")
    try #require(made.code == 0, "\(made.errors)")
    #expect(JSON(made.stdout)["attachments"]?.number == 4)
    return (workspace, try #require(JSON(made.stdout)["file"]?.text))
  }

  /// Compares the files of two vaults; folders that are empty make no difference.
  private static let same =
    "sums() { (cd $1 && find . -type f ! -name .lock -exec sha256sum {} + | sort); }; "
    + "same() { test \"$(sums $1)\" = \"$(sums $2)\"; }; "

  private func restore(_ workspace: Workspace, _ arguments: String...) -> ProcessOutcome {
    workspace.run(["backup", "restore"] + arguments + ["--identity", workspace.identity])
  }

  @Test("verify counts them, restore brings them back byte for byte, and --dry-run says so and writes nothing")
  func roundTrip() throws {
    let (workspace, backup) = try backedUp()
    for deep in [[], ["--deep"]] {
      let verified = workspace.run(["backup", "verify", backup, "--identity", workspace.identity] + deep)
      #expect(verified.code == 0, "\(verified.errors)")
      #expect(verified.output.contains(": 1 record, 1 in the trash, 4 attachments; "), "\(verified.output)")
    }
    let tried = restore(workspace, backup, "--to", "w", "--dry-run")
    #expect(tried.output == "w: 1 record, 1 in the trash, 4 attachments would be restored\n", "\(tried.errors)")
    #expect(!FileTree.names(in: workspace.path).contains { $0 == "w" || $0.hasPrefix(".w") })
    let restored = restore(workspace, backup, "--to", "w")
    #expect(restored.output == "w: 1 record, 1 in the trash, 4 attachments restored\n", "\(restored.errors)")
    workspace.prepare(Self.same + "same v w")
    let read = workspace.run(
      "get", "Office", "--attachment", "big", "-o", "out", "--vault", "w", "--identity", "id.txt")
    #expect(read.code == 0, "\(read.errors)")
    workspace.prepare("cmp big out")
    // Over the vault that is there: a folder with attachments is a vault and nothing else.
    workspace.prepare("mv w w2")
    #expect(workspace.open("detach", "Office", "big", "--yes").code == 0)
    let over = restore(workspace, backup, "--to", "v", "--accept-rollback")
    #expect(over.code == 0, "\(over.errors)")
    workspace.prepare(Self.same + "same v w2 && test -d v.before-restore-*/attachments")
    #expect(workspace.open("verify").code == 0)
  }

  @Test("a single record brings its attachments")
  func single() throws {
    let (workspace, backup) = try backedUp()
    let shown = workspace.run("show", "Office", "--vault", "v", "--json")
    let id = try #require(JSON(shown.stdout)["id"]?.text)
    workspace.prepare("find v/attachments -type f | sort >before")
    #expect(workspace.open("rm", "Office", "--yes").code == 0)
    #expect(workspace.open("trash", "empty", "--yes").code == 0)
    workspace.prepare("test -z \"$(find v/attachments -type f)\"")
    let tried = restore(workspace, backup, "--to", "v", "--records", id, "--dry-run", "--json")
    #expect(JSON(tried.stdout)["attachments"]?.number == 3, "\(tried.errors)")
    workspace.prepare("test -z \"$(find v/attachments -type f)\"")
    let back = restore(workspace, backup, "--to", "v", "--records", id)
    #expect(back.code == 0, "\(back.errors)")
    #expect(back.output == id + "\n", "\(back.errors)")
    #expect(workspace.open("get", "Office", "--attachment", "big", "-o", "out").code == 0)
    workspace.prepare("cmp big out")
    #expect(workspace.open("verify").code == 0)
  }

  @Test("an attachment that is missing or changed ends a backup with 13 and its name, and leaves no file")
  func damaged() throws {
    for change in ["rm $A", "printf X | dd of=$A bs=1 seek=9 conv=notrunc 2>/dev/null", "truncate -s -1 $A"] {
      let (workspace, _) = try backedUp()
      let file = try #require(FileTree.files(below: workspace.vault).first { $0.hasPrefix("attachments/") })
      workspace.prepare("A=v/\(file); \(change); mkdir -m 700 c")
      let made = workspace.open("backup", "create", "--to", "c")
      #expect(made.status == .damaged, "\(change): \(made.errors)")
      #expect(made.errors.contains("\(file) is "), "\(change): \(made.errors)")
      #expect(FileTree.names(in: workspace.path + "/c").allSatisfy { !$0.contains(".age") })
    }
  }

  @Test("killed at any moment of create and restore: a whole backup or none, the old vault or the new")
  func killed() throws {
    let (workspace, backup) = try backedUp()
    workspace.prepare("cp -a v w; mkdir -m 700 c")
    for step in 0..<8 {
      var plan = ProcessRun(
        path: "/bin/sh",
        arguments: [
          "-c",
          """
          \(Self.same)
          $V backup create --vault v --to c --identity id.txt -q >/dev/null 2>&1 & p=$!
          sleep 0.\(step)5; kill -KILL $p 2>/dev/null; wait $p
          for f in c/*.age; do test -e "$f" || continue; $V backup verify "$f" --identity id.txt -q || exit 9; done
          rm -f c/*.age c/backups.json
          $V backup restore \(backup) --to w --identity id.txt -q >/dev/null 2>&1 & p=$!
          sleep 0.\(step)5; kill -KILL $p 2>/dev/null; wait $p
          for d in w w.before*; do test -e $d || continue; same v $d || exit 8; done
          rm -rf w.before*
          """,
        ], environment: workspace.environment, directory: workspace.path)
      plan.environment["V"] = Binary.path
      let outcome = plan.run()
      #expect(outcome.code == 0, "\(step): \(outcome.output) \(outcome.errors)")
    }
  }

  @Test("a full disk makes no backup and restores nothing, neither a vault nor a record, and leaves nothing")
  func full() throws {
    let (workspace, backup) = try backedUp()
    let shown = workspace.run("show", "Office", "--vault", "v", "--json")
    let id = try #require(JSON(shown.stdout)["id"]?.text)
    let script = "mkdir m && mount -t tmpfs -o size=2m,mode=700 tmpfs m"
    let mounted = ProcessRun(
      path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment, directory: workspace.path
    ).run()
    guard mounted.code == 0 else { return Need.notRun("backups of attachments on a full disk", Need.noMounts) }
    defer { workspace.prepare("umount m || umount -l m") }
    #expect(workspace.open("backup", "create", "--to", "m").status == .inputOutput)
    #expect(restore(workspace, backup, "--to", "m/w").status == .inputOutput)
    workspace.prepare("test -z \"$(ls -A m)\"")
    #expect(workspace.open("rm", "Office", "--yes").code == 0)
    #expect(workspace.open("trash", "empty", "--yes").code == 0)
    workspace.prepare("cp -a v m/v")
    #expect(restore(workspace, backup, "--to", "m/v", "--records", id).status == .inputOutput)
    workspace.prepare("test -z \"$(find m/v/attachments m/v/.staging -type f)\"")
    #expect(workspace.run("verify", "--vault", "m/v", "--identity", "id.txt").code == 0)
  }
}
