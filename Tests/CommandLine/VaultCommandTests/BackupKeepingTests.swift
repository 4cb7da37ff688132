import Testing
import VaultTestSupport

/// `vault backup list`, `prune` and `status`, and `Scripts/backup`.
@Suite("Keeping backups")
struct BackupKeepingTests {
  private let bench: Workspace

  init() throws {
    bench = try Workspace.withVault()
    FileTree.makeFolder(bench.path + "/b")
  }

  private static let script = OwnVectors.package + "/Scripts/backup"

  private func backUp(_ options: String...) throws {
    let made = bench.run(
      ["backup", "create", "--to", "b", "--vault", "v", "--identity", "id.txt", "--prove-with", "id.txt"] + options)
    try #require(made.code == 0, "\(made.errors)")
  }

  /// Puts copies of the one backup that is there in its place, recorded as made at these times.
  private func date(_ days: [String]) throws {
    let names = FileTree.names(in: bench.path + "/b").filter { $0.hasSuffix(".age") }
    try #require(names.count == 1)
    try #require(!days.isEmpty)
    let bytes = try #require(FileTree.contents(of: bench.path + "/b/" + names[0]))
    let recorded = JSON(bench.text(of: "b/backups.json"))["backups"]?[0]
    guard case .object(var entry)? = recorded else { throw NoEntry() }
    let entries = days.map { day in
      entry["name"] = .string("v-\(day).cvault.age")
      return JSON.object(entry)
    }
    for day in days { FileTree.write(bytes, to: bench.path + "/b/v-\(day).cvault.age") }
    FileTree.remove(bench.path + "/b/" + names[0])
    let document = JSON.object(["backups": .array(entries), "format": .number(1)])
    FileTree.write(try document.foundationBytes(), to: bench.path + "/b/backups.json")
  }

  private struct NoEntry: Error {}

  private var names: [String] { FileTree.names(in: bench.path + "/b").filter { $0.hasSuffix(".age") } }

  private func prune(_ options: String...) -> ProcessOutcome { bench.run(["backup", "prune", "b"] + options) }

  @Test("without a rule that keeps something, or with one that cannot be read, nothing is removed: 64")
  func noRule() throws {
    try backUp()
    for rules in [
      [], ["--keep-last", "0"], ["--keep-within", "0d"], ["--keep-daily", "7.5"], ["--keep-last=-2"],
      ["--keep-within", "1w"], ["--keep-weekly", ""],
    ] {
      let refused = bench.run(["backup", "prune", "b", "--yes"] + rules)
      #expect(refused.status == .usage, "\(rules): \(refused.errors)")
      #expect(refused.errorLines.count >= 2, "\(rules): \(refused.errors)")
      #expect(names.count == 1)
    }
  }

  @Test("prune says why each stays, asks, and removes what no rule keeps", .atTerminal)
  func prune() throws {
    try backUp()
    try date(["20261118T010000Z", "20261119T010000Z", "20261119T020000Z", "20261120T010000Z"])
    #expect(bench.run("backup", "list", "b").code == 0)
    let plan = prune("--keep-daily", "2", "--dry-run")
    #expect(plan.code == 0)
    #expect(plan.output.split(separator: "\n").count == 4)
    #expect(plan.output.hasPrefix("remove  v-20261118T010000Z.cvault.age  no rule keeps it\n"))
    #expect(plan.output.contains("keep    v-20261119T020000Z.cvault.age  daily\n"))
    let unasked = prune("--keep-daily", "2")
    #expect(unasked.status == .declined)
    #expect(unasked.output.isEmpty)
    #expect(names.count == 4)
    #expect(prune("--keep-daily", "2", "--json").status == .declined)
    let declined = bench.type(["backup", "prune", "b", "--keep-daily", "2"], [("[y/N]", "n\n")])
    #expect(declined.status == .declined)
    #expect(declined.shown.contains("Remove 2 of 4 backups"))
    #expect(names.count == 4)
    let done = prune("--keep-daily", "2", "--yes", "--json")
    #expect(done.code == 0)
    #expect(JSON(done.stdout)["removed"] == .number(2))
    #expect(names == ["v-20261119T020000Z.cvault.age", "v-20261120T010000Z.cvault.age"])
    let listed = JSON(bench.run("backup", "list", "b", "--json").stdout)["backups"]?.items ?? []
    #expect(listed.map { $0["state"]?.text } == ["recorded", "recorded"])
    #expect(bench.type(["backup", "prune", "b", "--keep-last", "1"], [("[y/N]", "y\n")]).code == 0)
    #expect(names.count == 1)
  }

  @Test("status is 0 for a newest backup that is as recorded and young enough, else 14 with the reason")
  func status() throws {
    let empty = bench.run("backup", "status", "b", "--max-age", "26h")
    #expect(empty.status == .findings)
    #expect(empty.output.contains("there is no backup"))
    try backUp()
    #expect(bench.run("backup", "status", "b", "--max-age", "26h").output.hasPrefix("ok     v-"))
    #expect(bench.run("backup", "status", "b", "--name", "w").status == .findings)
    let file = bench.path + "/b/" + (try #require(names.first))
    let bytes = try #require(FileTree.contents(of: file))
    FileTree.write(bytes + [0], to: file)
    #expect(fault() == "changed")
    #expect(bench.run("backup", "list", "b").status == .findings)
    FileTree.remove(file)
    #expect(fault() == "gone")
    FileTree.write(bytes, to: file)
    FileTree.remove(bench.path + "/b/backups.json")
    #expect(fault() == "not_recorded")
    #expect(bench.run("backup", "list", "b").code == 0)
  }

  @Test("status looks at the newest backup of each vault, also where two vaults have one name")
  func twoVaultsOfOneName() throws {
    try backUp()
    try date(["20200101T010000Z"])
    let other = try #require(names.first)
    let second = bench.shell(
      """
      mkdir other && \(Binary.path) init other/v --generate-identity other.txt 2>&1 &&
        \(Binary.path) backup create --to b --vault other/v --identity other.txt
      """)
    try #require(second.code == 0, "\(second.errors)")
    let all = bench.run("backup", "status", "b", "--max-age", "26h")
    #expect(all.status == .findings)
    #expect(all.output.contains("fault  \(other)"))
    #expect(all.output.split(separator: "\n").count == 2)
    #expect(all.output.contains("  vault "))
    let fresh = second.output.split(separator: "\n").last.map(String.init) ?? ""
    #expect(bench.run("backup", "status", "b", "--max-age", "26h", "--of", fresh).code == 0)
    #expect(bench.run("backup", "status", "b", "--max-age", "26h", "--of", other).status == .findings)
    #expect(bench.run("backup", "status", "b", "--of", "nothing").status == .usage)
  }

  @Test("status --read finds one flipped byte, which status alone cannot")
  func readingStatus() throws {
    try backUp()
    let file = bench.path + "/b/" + (try #require(names.first))
    #expect(bench.run("backup", "status", "b", "--read").code == 0)
    #expect(JSON(bench.run("backup", "list", "b", "--json").stdout)["backups"]?[0]?["checked_at"]?.text != nil)
    var bytes = try #require(FileTree.contents(of: file))
    bytes[bytes.count / 2] ^= 1
    FileTree.write(bytes, to: file)
    #expect(bench.run("backup", "status", "b").code == 0)
    let read = bench.run("backup", "status", "b", "--read")
    #expect(read.status == .findings)
    #expect(read.output.contains("its content differs from the recorded one"))
  }

  @Test("verify of a directory reads the backups that were read the longest ago first")
  func oldestFirst() throws {
    try backUp()
    try date(["20261118T010000Z", "20261119T010000Z", "20261120T010000Z"])
    let all = names
    for expected in all {
      let outcome = bench.run("backup", "verify", "b", "--oldest", "1")
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.output.hasPrefix("b/\(expected): "))
    }
    #expect(bench.run("backup", "verify", "b").output.split(separator: "\n").count == 3)
    #expect(bench.run("backup", "verify", "b", "--oldest", "0").status == .usage)
    #expect(bench.run("backup", "verify", "b/" + all[0], "--oldest", "1").status == .usage)
  }

  @Test("a backup from a wrong clock does not stop the next one, which says which file to move away")
  func futureBackup() throws {
    try backUp()
    try date(["20990101T010000Z"])
    let made = bench.run("backup", "create", "--to", "b", "--vault", "v", "--identity", "id.txt")
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.errors.contains("note: v-20990101T010000Z.cvault.age has a later time than this backup"))
    #expect(names.count == 2)
    #expect(fault() == "from_the_future")
    FileTree.remove(bench.path + "/b/v-20990101T010000Z.cvault.age")
    #expect(bench.run("backup", "prune", "b", "--keep-last", "9", "--yes").status == .findings)
    #expect(bench.run("backup", "status", "b", "--max-age", "26h").code == 0)
  }

  @Test("--name says what the file's name begins with")
  func named() throws {
    try backUp("--name", "team.ops")
    #expect(names.first?.hasPrefix("team.ops-2") == true)
    #expect(bench.run("backup", "create", "--to", "b", "--vault", "v", "--name", "a/b").status == .inputRefused)
    #expect(bench.run("backup", "create", "--to", "-", "--vault", "v", "--name", "a").status == .usage)
  }

  @Test(
    "status tells a backup that is too old, and one from the future",
    arguments: [("2020", "too_old"), ("2199", "from_the_future")])
  func clock(_ year: String, _ code: String) throws {
    try backUp()
    try date([year + "0101T010000Z"])
    #expect(fault() == code)
  }

  private func fault() -> String? {
    let status = bench.run("backup", "status", "b", "--max-age", "26h", "--json")
    #expect(status.status == .findings)
    let faults = JSON(status.stdout)["newest"]?.items?.first?["faults"]?.items ?? []
    return faults.count == 1 ? faults[0].text : nil
  }

  @Test("a directory that is not there is 18, a backups.json that is damaged 13 and never written over")
  func unreachable() throws {
    _ = bench.write("", to: "file")
    for arguments in [["list"], ["status"], ["prune", "--keep-last", "1", "--yes"]] {
      let missing = bench.run(["backup", arguments[0], "none"] + arguments.dropFirst())
      #expect(missing.status == .inputOutput, "\(missing.errors)")
      #expect(missing.errorLines.first == "vault: none does not exist", "\(missing.errors)")
      #expect(bench.run(["backup", arguments[0], "file"] + arguments.dropFirst()).status == .inputOutput)
    }
    try backUp()
    _ = bench.write("{}", to: "b/backups.json")
    for arguments in [["list"], ["status"], ["prune", "--keep-last", "1", "--yes"]] {
      let damaged = bench.run(["backup", arguments[0], "b"] + arguments.dropFirst())
      #expect(damaged.status == .damaged, "\(damaged.errors)")
      #expect(damaged.errors.contains("hint: "), "\(damaged.errors)")
    }
    #expect(bench.text(of: "b/backups.json") == "{}")
  }

  @Test("a full disk while a prune records what goes is 18, and nothing is gone")
  func full() throws {
    try backUp()
    try date((1...9).map { "2026110\($0)T010000Z" })
    let outcome = bench.shell(
      """
      mkdir m && mount -t tmpfs -o size=1m tmpfs m && cp b/* m && chmod 700 m || exit 99
      dd if=/dev/zero of=m/fill bs=4k 2>/dev/null
      \(Binary.path) backup prune m --keep-last 1 --yes; echo $?; ls m/*.age | wc -l; ls -A m | grep -c tmp
      rm m/fill; \(Binary.path) backup prune m --keep-last 1 --yes -q >/dev/null; echo $?; ls m/*.age | wc -l; umount m
      """)
    guard outcome.code != 99 else { return Need.notRun("prune on a full disk", Need.noMounts) }
    #expect(outcome.output == "18\n9\n0\n0\n1\n", "\(outcome.errors)")
    #expect(outcome.errors.contains("no space is left"))
  }

  @Test("two prunes at once: the second waits, and one that waits too long is 12")
  func locked() throws {
    try backUp()
    try date(["20261118T010000Z", "20261119T010000Z"])
    let outcome = bench.shell(
      """
      exec 9>b/.backups.lock; flock 9
      \(Binary.path) backup prune b --keep-last 1 --yes --lock-timeout 1 9>&-; echo $?; ls b/*.age | wc -l
      """)
    #expect(outcome.output == "12\n2\n", "\(outcome.errors)")
  }

  private func script(_ options: String, before: String = "") -> ProcessOutcome {
    bench.shell("\(before)\nbash \(Self.script) --command \(Binary.path) --vault v --to b \(options)")
  }

  @Test("the script creates, verifies, prunes and reports, one line of JSON for each")
  func wholeScript() throws {
    try backUp()
    try date(["20261118T010000Z", "20261119T010000Z"])
    let run = script("--identity id.txt --prove-with id.txt --deep --keep-last=2")
    #expect(run.code == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").map { JSON(Array($0.utf8)) }
    #expect(lines.map { $0["step"]?.text } == ["create", "verify", "prune", "scrub", "report"])
    #expect(run.errors == "")
    #expect(lines.allSatisfy { $0["schema"] == .number(1) && $0["exit"] == .number(0) && $0["run"] == lines[0]["run"] })
    try #require(names.count == 2)
    #expect(lines[0]["file"]?.text == "b/" + names[1])
  }

  @Test("the script's first step that fails is its last, and its exit code the script's")
  func failingScript() throws {
    for (options, before, code, steps) in [
      ("--identity none.txt", "", 18, ["create"]), ("--to none", "", 18, ["lock"]),
      ("--identity id.txt", "exec 8>b/.backup-run.lock; flock 8", 12, ["lock"]),
      ("--identity id.txt --keep-last 1 --max-age 0x", "", 64, ["create", "verify", "prune", "scrub", "report"]),
      ("--identity id.txt --scrub 0 --max-age 0x", "sleep 1", 64, ["create", "verify", "report"]),
      ("--identity id.txt --lock-timeout 1", "exec 8>v/.lock; flock 8", 12, ["create"]),
      ("--scrub all", "", 64, ["start"]), ("--command nowhere", "", 64, ["start"]),
      ("--identity id.txt --keep-last 0", "sleep 1", 64, ["create", "verify", "prune"]),
      ("--keep-last", "", 64, []), ("--retry 3", "", 64, []),
    ] as [(String, String, Int32, [String])] {
      let run = script(options, before: before)
      #expect(run.code == code, "\(options): \(run.errors)")
      let lines = run.output.split(separator: "\n").map { JSON(Array($0.utf8)) }
      #expect(lines.map { $0["step"]?.text } == steps, "\(options)")
      if let last = lines.last { #expect(last["exit"] == .number(Double(code))) }
    }
  }

  @Test("a signal to the script ends its step and itself, with nothing half done")
  func signalledScript() throws {
    let run = bench.shell(
      """
      printf '#!/bin/sh\\ntouch started; exec sleep 60\\n' >slow; chmod 700 slow
      bash \(Self.script) --command ./slow --to b >out.txt & p=$!
      until test -e started; do sleep 0.05; done; sleep 0.2; kill -TERM $p; wait $p; echo $?
      """)
    #expect(run.output == "143\n", "\(run.errors)")
    #expect(JSON(FileTree.contents(of: bench.path + "/out.txt") ?? [])["exit"] == .number(143))
  }
}

extension Workspace {
  /// A shell in the workspace.
  func shell(_ text: String) -> ProcessOutcome {
    ProcessRun(path: "/bin/bash", arguments: ["-c", text], environment: environment, directory: path).run()
  }
}
