import Testing
import VaultTestSupport

/// Deposits of many processes, in git, in sets, in backups, and on a full disk.
@Suite("Deposits, kept")
struct DepositKeepingTests {
  @Test("twenty writers without a key make 1,000 deposits at once: all are accepted, none is readable by another")
  func thousand() throws {
    let bench = try FaultBench()
    let outcome = bench.shell(
      """
      for p in $(seq 20); do
        ( for i in $(seq 50); do
            echo secret-$p-$i | CVAULT_STATE_DIR=s$p $V deposit login $p-$i --secret-stdin password --vault v -q \\
              --lock-timeout 300 >>ids.$p || echo failed $?
          done ) &
      done; wait
      ls v/inbox | wc -l
      ! grep -r -e secret- v/inbox
      $V inbox accept --all $K -q --lock-timeout 300 | wc -l
      ls -A v/inbox | wc -l
      """, timeout: 900)
    #expect(outcome.output == "1000\n1000\n0\n", "\(outcome.output)\(outcome.errors)")
    #expect(outcome.errors == "", "\(outcome.errors)")
    let verified = bench.workspace.open("verify")
    #expect(verified.output == "1024 records, 0 in the trash, 1 slot: all verified\n", "\(verified.errors)")
    #expect(bench.workspace.open("get", "7-31", "password").output == "secret-7-31")
  }

  @Test("two machines accept the same deposit: git merges it as one record", .enabled(if: GitBench.isThere))
  func git() throws {
    let bench = try GitBench()
    let made = bench.here.vault(
      "deposit", "login", "GitHub", "--secret-stdin", "password", input: DepositBench.secret)
    #expect(made.code == 0, "\(made.errors)")
    bench.here.shell("git add -A && git commit -qm deposit")
    #expect(bench.bring("merge -q --no-edit", into: bench.there).code == 0)
    for clone in [bench.here, bench.there] {
      let accepted = clone.vault("inbox", "accept", "--all")
      #expect(accepted.code == 0, "\(accepted.errors)")
      clone.shell("git add -A && git commit -qm accept")
    }
    let merged = bench.bring("merge -q --no-edit")
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    #expect(bench.here.vault("get", "GitHub", "password").output == DepositBench.secret)
    #expect(bench.here.vault("verify").code == 0)
    #expect(bench.here.shell("ls inbox 2>/dev/null | wc -l").output == "0\n")
    #expect(bench.here.vault("list").output.split(separator: "\n").count == 4)
  }

  @Test("deposits of two clones are a union", .enabled(if: GitBench.isThere))
  func union() throws {
    let bench = try GitBench()
    for clone in [bench.here, bench.there] {
      let made = clone.vault("deposit", "login", clone.name, "--secret-stdin", "password", input: DepositBench.secret)
      #expect(made.code == 0, "\(made.errors)")
      clone.shell("git add -A && git commit -qm deposit")
    }
    let merged = bench.bring("merge -q --no-edit")
    #expect(merged.code == 0, "\(merged.errors)")
    #expect(bench.here.vault("inbox").output.split(separator: "\n").count == 2)
    #expect(bench.here.vault("git", "check").code == 0)
    #expect(bench.here.vault("lint").code == 0)
  }

  @Test(
    "two clones that enable deposits or list signers apart are merged, and both keys open",
    .enabled(if: GitBench.isThere))
  func headers() throws {
    let bench = try GitBench()
    bench.here.shell("printf 'ada@example.org ssh-ed25519 AAAA\\n' >../signers")
    #expect(bench.here.vault("inbox", "signers", "--set", "../signers").code == 0)
    bench.here.shell("git commit -qam signers")
    let added = bench.there.vault("key", "add", "--generate-identity", "../second.txt", "--label", "second")
    #expect(added.code == 0, "\(added.errors)")
    bench.there.shell("git add -A && git commit -qm key")
    let merged = bench.bring("merge -q --no-edit")
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    #expect(bench.here.vault("inbox", "signers").output == "ada@example.org ssh-ed25519 AAAA\n")
    #expect(bench.here.vault("key", "list").output.contains("second"))
  }

  @Test("a deposit goes into the vault of a set that its name stands for")
  func set() throws {
    let bench = try SetBench()
    #expect(bench.run(["vaults", "accept", "finance", "--yes"], as: "cleo").code == 0)
    let made = bench.run(
      ["deposit", "login", "New", "--secret-stdin", "password", "--in", "finance"], as: "cleo",
      input: DepositBench.secret)
    #expect(made.code == 0, "\(made.errors)")
    #expect(bench.run(["inbox", "--in", "finance"], as: "cleo").code != 0)
    let accepted = bench.run(["inbox", "accept", "--all", "--in", "finance"])
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(bench.run(["get", "New", "password", "--in", "finance"]).output == DepositBench.secret)
  }

  @Test("a backup holds the deposits, and a restored vault accepts them")
  func backup() throws {
    let bench = try DepositBench()
    let id = try bench.login("GitHub")
    let workspace = bench.workspace
    workspace.prepare("mkdir backups")
    let made = workspace.open("backup", "create", "--to", "backups")
    #expect(made.code == 0, "\(made.errors)")
    let file = try #require(FileTree.names(in: workspace.path + "/backups").first { $0.hasSuffix(".age") })
    let verified = workspace.run("backup", "verify", "backups/\(file)", "--identity", "id.txt")
    #expect(verified.code == 0, "\(verified.errors)")
    let restored = workspace.run("backup", "restore", "backups/\(file)", "--to", "w", "--identity", "id.txt")
    #expect(restored.code == 0, "\(restored.errors)")
    #expect(FileTree.names(in: workspace.path + "/w/inbox") == ["\(id).age"])
    let accepted = workspace.run("inbox", "accept", id, "--vault", "w", "--identity", "id.txt")
    #expect(accepted.code == 0, "\(accepted.errors)")
  }

  @Test("a conflict copy of a deposit is a duplicate, which `vault merge` takes away")
  func conflictCopy() throws {
    let bench = try DepositBench()
    let id = try bench.login("GitHub")
    bench.workspace.prepare("cp v/inbox/\(id).age 'v/inbox/\(id).sync-conflict-20261121-014028-ABCDEFG.age'")
    #expect(bench.workspace.open("inbox").output.split(separator: "\n").count == 1)
    let merged = bench.workspace.open("merge")
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    #expect(bench.inbox == ["\(id).age"])
  }

  @Test("entries of the inbox that are not deposits are noted, do not stop a drop, and are no damage of the vault")
  func strays() throws {
    let bench = try DepositBench()
    let id = try bench.login("GitHub")
    let folder = "00000000-0000-4000-8000-000000000000.age"
    bench.workspace.prepare(
      "cd v/inbox; mkdir \(folder); touch junk.age; ln -s /etc/passwd 10000000-0000-4000-8000-000000000000.age")
    for words in [["verify"], ["check"]] {
      let run = bench.workspace.run(words + ["--vault", "v", "--identity", "id.txt"])
      #expect(run.code == 0, "\(words): \(run.output)\(run.errors)")
    }
    let verified = bench.workspace.open("verify")
    #expect((verified.output + verified.errors).contains("inbox/junk.age"), "\(verified)")
    let dropped = bench.workspace.open("inbox", "drop", "--all", "--yes")
    #expect(dropped.code != 0 && dropped.errors.contains("inbox/\(folder)"), "\(dropped)")
    #expect(!bench.inbox.contains("\(id).age") && bench.inbox == [folder, "junk.age"], "\(bench.inbox)")
  }

  @Test("`vault merge FOLDER` takes the deposits of the folder, except those that were accepted here")
  func folder() throws {
    let bench = try DepositBench()
    let accepted = try bench.login("Accepted")
    bench.workspace.prepare("cp -r v copy")
    #expect(bench.workspace.open("inbox", "accept", accepted).code == 0)
    let new = try bench.login("New")
    bench.workspace.prepare("mv v/inbox/\(new).age copy/inbox/")
    let merged = bench.workspace.open("merge", "./copy", "--yes")
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    #expect(merged.output.contains("inbox/\(new).age"), "\(merged.output)")
    #expect(bench.inbox.contains("\(new).age") && !bench.inbox.contains("\(accepted).age"))
    #expect(bench.workspace.open("inbox", "accept", new).code == 0)
  }

  @Test("a process that is killed at any moment leaves a whole deposit or none")
  func killed() throws {
    let bench = try FaultBench()
    let outcome = bench.shell(
      """
      echo secret | $V deposit login whole --secret-stdin password --vault v -q || echo deposit $?
      for i in $(seq 40); do
        echo secret | $V deposit login killed-$i --secret-stdin password --vault v -q >/dev/null 2>&1 & p=$!
        sleep 0.$((i % 4))$((i % 10)); kill -KILL $p 2>/dev/null; wait $p 2>/dev/null
      done
      $V lint --vault v -q || echo lint $?
      $V inbox accept --all $K -q >accepted || echo accept $?
      $V verify $K -q >/dev/null || echo verify $?
      ls -A v/inbox v/.staging
      """, timeout: 300)
    #expect(outcome.output.hasSuffix("v/inbox:\n"), "\(outcome.output)\(outcome.errors)")
    for word in ["deposit", "lint", "accept", "verify"] {
      #expect(!outcome.output.contains("\(word) "), "\(outcome.output)")
    }
  }

  @Test("on a full disk a deposit ends with 18 and leaves nothing")
  func fullDisk() throws {
    let bench = try FaultBench()
    guard bench.shell("mkdir m && mount -t tmpfs -o size=1m tmpfs m && cp -a v m/v").code == 0 else {
      return Need.notRun("tmpfs", Need.noMounts)
    }
    defer { _ = bench.shell("umount m || umount -l m") }
    let full = bench.shell(
      """
      dd if=/dev/zero of=m/fill bs=4k 2>/dev/null
      echo secret | $V deposit login A --secret-stdin password --vault m/v -q; echo $?
      ls -A m/v/inbox 2>/dev/null; rm m/fill
      echo secret | $V deposit login A --secret-stdin password --vault m/v -q >/dev/null; echo $?
      """)
    #expect(full.output == "18\n0\n", "\(full.output)\(full.errors)")
    #expect(!full.errors.contains("secret"))
  }
}
