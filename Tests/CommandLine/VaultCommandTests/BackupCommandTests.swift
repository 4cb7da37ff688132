import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("Backups on the command line")
struct BackupCommandTests {
  private let workspace: Workspace
  private let recipient: String

  init() throws {
    workspace = try Workspace.withCustomers()
    FileTree.makeFolder(workspace.path + "/b")
    // The identity of another vault lies in a safe.
    let safe = workspace.run("init", "safe", "--generate-identity", "safe.txt")
    try #require(safe.code == 0)
    recipient = try #require(
      workspace.text(of: "safe.txt").split(separator: "\n").first { $0.hasPrefix("# public key: ") }
        .map { String($0.dropFirst(14)) })
    FileTree.remove(workspace.path + "/safe")
  }

  @Test(
    "a file whose recipient is a point of low order is damaged, as any other backup that was changed",
    arguments: [["backup", "verify"], ["backup", "restore", "--to", "w"]])
  func lowOrderShare(_ words: [String]) {
    let (zeros, mac) = (String(repeating: "A", count: 43), String(repeating: "A", count: 43))
    let file = workspace.write(
      "age-encryption.org/v1\n-> X25519 \(zeros)\n\(zeros)\n--- \(mac)\n" + String(repeating: "x", count: 64),
      to: "b/v-20260101T000000Z.cvault.age")
    let run = workspace.run(words + [file, "--identity", "id.txt"])
    #expect(run.status == .damaged, "\(run.errors)")
    #expect(run.errors.contains("hint: it is damaged, incomplete or not a backup"), "\(run.errors)")
  }

  private func create(_ more: String...) -> ProcessOutcome {
    workspace.run(
      ["backup", "create", "--vault", "v", "--to", "b", "--recipient", recipient, "--identity", "id.txt"] + more)
  }

  private func made(_ more: String...) throws -> String {
    let outcome = workspace.run(
      ["backup", "create", "--vault", "v", "--to", "b", "--recipient", recipient, "--identity", "id.txt"] + more)
    try #require(outcome.code == 0, "\(outcome.errors)")
    return String(outcome.output.dropLast())
  }

  private func restore(_ file: String, to folder: String, _ more: String...) -> ProcessOutcome {
    workspace.run(
      ["backup", "restore", file, "--to", folder, "--identity", "safe.txt", "--identity", "id.txt"] + more)
  }

  @Test("what was backed up to a key in a safe, and proven, is restored byte by byte")
  func roundTrip() throws {
    let file = try made("--prove-with", "safe.txt", "--label", "before the move")
    #expect(FileTree.mode(of: workspace.path + "/" + file) == 0o600)
    #expect(workspace.text(of: "b/backups.json").contains("\"kind\" : \"proof\""))
    #expect(workspace.text(of: "b/backups.json").contains("before the move"))
    let restored = restore(file, to: "r")
    #expect(restored.output == "r: 24 records, 0 in the trash restored\n", "\(restored.errors)")
    for (path, bytes) in workspace.snapshot() where path != ".lock" {
      #expect(FileTree.contents(of: workspace.path + "/r/" + path) == bytes, "\(path)")
    }
    #expect(workspace.run("verify", "--vault", "r", "--identity", "id.txt").code == 0)
  }

  @Test("a whole vault is restored into a folder, and the address of a database is told so")
  func toDatabase() throws {
    let outcome = restore(try made(), to: "postgresql://nowhere.example/app?vault=team")
    #expect(outcome.status == .usage, "\(outcome.errors)")
    #expect(outcome.errors.contains("vault store copy FOLDER ADDRESS"), "\(outcome.errors)")
  }

  @Test("verify says which checks the keys allowed")
  func depths() throws {
    let file = try made()
    let rows: [(arguments: [String], says: String)] = [
      ([], "an age file for 1 recipient, the recorded size and SHA-256; not opened, because no key is given"),
      (["--identity", "safe.txt"], "opened to its end, its list not verified without a key of the vault"),
      (["--identity", "safe.txt", "--identity", "id.txt"], "opened to its end, attested"),
      (["--identity", "safe.txt", "--identity", "id.txt", "--deep"], "every record verified, attested"),
      (["--identity", "safe.txt", "--identity", "id.txt", "--deep", "--subset", "1/2"], "of the records verified"),
    ]
    for (arguments, says) in rows {
      let outcome = workspace.run(["backup", "verify", file] + arguments)
      #expect(outcome.code == 0, "\(arguments): \(outcome.output)\(outcome.errors)")
      #expect(outcome.output.contains(says), "\(arguments): \(outcome.output)\(outcome.errors)")
    }
    #expect(workspace.run("backup", "verify", file, "--deep").status == .cannotUnlock)
    #expect(workspace.run("backup", "verify", file, "--identity", "id.txt").status == .cannotUnlock)
    #expect(workspace.run("backup", "verify", file, "--deep", "--identity", "safe.txt").status == .cannotUnlock)
    #expect(workspace.run("backup", "verify", file, "--subset", "1/2").status == .usage)
  }

  /// As if `create` had been killed before it could record what it made.
  private func forgetRecords() {
    FileTree.write(Array("{\"backups\": [], \"format\": 1}".utf8), to: workspace.path + "/b/backups.json")
  }

  @Test("a good backup that is not recorded is, once it was verified with a key of the vault; not before")
  func recording() throws {
    let file = try made()
    forgetRecords()
    for keys in [[], ["--identity", "safe.txt"]] {
      let outcome = workspace.run(["backup", "verify", file] + keys)
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.errors.isEmpty, "\(outcome.errors)")
      #expect(workspace.run("backup", "list", "b").output.contains("not recorded"))
    }
    let both = ["--identity", "safe.txt", "--identity", "id.txt"]
    let outcome = workspace.run(["backup", "verify", file] + both)
    #expect(outcome.errorLines == ["note: \(file) was missing in backups.json, and is recorded there now"])
    #expect(workspace.run("backup", "list", "b").output.contains("verified (list)"))
    #expect(workspace.run("backup", "verify", file).output.contains("the recorded size and SHA-256"))
    forgetRecords()
    let deep = workspace.run(["backup", "verify", file, "--deep", "--json"] + both)
    #expect(deep.output.contains("\"recorded\" : true"), "\(deep.output)")
    #expect(workspace.run("backup", "status", "b", "--max-age", "1h").output.contains("verified (deep)"))
    #expect(workspace.run(["backup", "verify", file] + both).errors.isEmpty)
  }

  @Test("no backup is recorded that nobody vouches for, under a wrong time, or where backups are not kept")
  func notRecorded() throws {
    let both = ["--identity", "safe.txt", "--identity", "id.txt"]
    let outcome = workspace.run("backup", "create", "--vault", "v", "--to", "b", "--recipient", recipient)
    let file = String(outcome.output.dropLast())
    forgetRecords()
    for more in [[], ["--deep", "--subset", "1/2"]] {
      #expect(workspace.run(["backup", "verify", file] + both + more).errors.isEmpty)
    }
    #expect(workspace.run(["backup", "verify", file, "--deep"] + both).errors.contains("is recorded there now"))
    let other = "b/v-20200101T000000Z.cvault.age"
    FileTree.write(try #require(FileTree.contents(of: workspace.path + "/" + file)), to: workspace.path + "/" + other)
    let renamed = workspace.run(["backup", "verify", other, "--deep"] + both)
    #expect(renamed.code == 0, "\(renamed.errors)")
    #expect(renamed.errors.hasPrefix("note: the backup was not recorded in backups.json: "), "\(renamed.errors)")
    FileTree.remove(workspace.path + "/b/backups.json")
    #expect(workspace.run(["backup", "verify", file, "--deep"] + both).errors.isEmpty)
    #expect(!FileTree.names(in: workspace.path + "/b").contains("backups.json"))
  }

  @Test("one byte changed is 13 with and without a key, and nothing is restored")
  func damage() throws {
    let file = try made()
    let good = try #require(FileTree.contents(of: workspace.path + "/" + file))
    for offset in stride(from: 0, to: good.count, by: good.count / 9) {
      var bytes = good
      bytes[offset] ^= 1
      FileTree.write(bytes, to: workspace.path + "/" + file)
      #expect(workspace.run("backup", "verify", file).status == .damaged, "byte \(offset)")
      let refused = restore(file, to: "r")
      #expect([11, 13].contains(refused.code), "byte \(offset)")
      #expect(!FileTree.names(in: workspace.path).contains("r"))
    }
  }

  @Test("without the vault's key a backup is made, is not attested, and is restored only when that is said")
  func unattested() throws {
    let outcome = workspace.run("backup", "create", "--vault", "v", "--to", "b", "--recipient", recipient)
    #expect(outcome.code == 0)
    #expect(outcome.errors.contains("note: the backup is not attested"))
    let file = String(outcome.output.dropLast())
    let refused = restore(file, to: "r")
    #expect(refused.status == .inputRefused)
    #expect(refused.errors.contains("--unattested"))
    #expect(restore(file, to: "r", "--unattested").code == 0)
  }

  @Test("a backup does not vouch for a record that went back or is gone: 16, and there is no file")
  func rolledBack() throws {
    let record = try #require(workspace.snapshot().keys.first { $0.hasPrefix("records/") })
    let path = workspace.path + "/v/" + record
    let old = try #require(FileTree.contents(of: path))
    let id = String(try #require(record.split(separator: "/").last).dropLast(5))
    #expect(workspace.open("set", id, "tags[0]=new").code == 0)
    for content in [old, nil] {
      FileTree.remove(path)
      if let content { FileTree.write(content, to: path) }
      let refused = workspace.open("backup", "create", "--to", "b")
      #expect(!refused.errors.contains("sealed to"), "\(refused.errors)")
      #expect(refused.status == .unexpectedVault, "\(refused.errors)")
      #expect(FileTree.names(in: workspace.path + "/b").allSatisfy { !$0.hasSuffix(".age") })
    }
    let made = workspace.run("backup", "create", "--to", "b", "--vault", "v")
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.errors.contains(", according to the unverified header\n"), "\(made.errors)")
  }

  @Test("an older backup replaces a newer vault only when that is said, and the newer one is kept")
  func older() throws {
    let file = try made()
    #expect(workspace.open("add", "customer", "--set", "name=New", "--generate", "access_key").code == 0)
    let newer = workspace.snapshot()
    let refused = restore(file, to: "v")
    #expect(refused.status == .unexpectedVault, "\(refused.errors)")
    #expect(refused.errors.contains("--accept-rollback"), "\(refused.errors)")
    #expect(workspace.snapshot() == newer)
    let restored = restore(file, to: "v", "--accept-rollback", "--json")
    let kept = try #require(JSON(restored.stdout)["kept"]?.text)
    #expect(FileTree.files(below: kept).count == newer.count)
    #expect(workspace.open("verify").output == "24 records, 0 in the trash, 1 slot: all verified\n")
  }

  @Test("in a folder with other things the files change, and those stay")
  func shared() throws {
    let file = try made()
    FileTree.makeFolder(workspace.vault + "/.git")
    FileTree.write([1], to: workspace.vault + "/.git/HEAD")
    let expected = workspace.snapshot()
    #expect(workspace.open("set", "Shai Mishali", "website=https://x.example").code == 0)
    let restored = restore(file, to: "v", "--accept-rollback")
    #expect(restored.code == 0, "\(restored.errors)")
    #expect(workspace.snapshot().filter { $0.key != ".lock" } == expected.filter { $0.key != ".lock" })
  }

  @Test("a single record comes back as a new revision, also from the trash; a newer one is asked about")
  func records() throws {
    let file = try made()
    let id = try #require(
      JSON(workspace.run("show", "Shai Mishali", "--vault", "v", "--json").stdout)["id"]?.text)
    let before = workspace.open("get", id, "access_key").output
    #expect(workspace.open("set", id, "website=https://x.example", "--generate", "access_key").code == 0)
    #expect(restore(file, to: "v", "--records", id).status == .declined)
    let back = restore(file, to: "v", "--records", String(id.prefix(8)), "--yes")
    #expect(back.output == id + "\n", "\(back.errors)")
    #expect(workspace.open("get", id, "access_key").output == before)
    #expect(workspace.open("remove", id, "--yes").code == 0)
    #expect(restore(file, to: "v", "--records", id).output == id + "\n")
    #expect(workspace.open("verify").output == "24 records, 0 in the trash, 1 slot: all verified\n")
    // After a rotation it is sealed under the new key.
    #expect(workspace.open("remove", id, "--yes").code == 0)
    #expect(workspace.open("rekey", "--reseal").code == 0)
    #expect(restore(file, to: "v", "--records", id).output == id + "\n")
    #expect(workspace.open("get", id, "access_key").output == before)
    #expect(workspace.open("verify").code == 0)
  }

  @Test("a backup sealed with a passphrase opens with it, asked for or from a file", .atTerminal)
  func passphrase() throws {
    _ = workspace.write("correct horse battery\n", to: "p.txt")
    let outcome = workspace.open("backup", "create", "--to", "b", "--new-passphrase-file", "p.txt")
    let file = String(outcome.output.dropLast())
    #expect(outcome.code == 0, "\(outcome.errors)")
    let deep = ["backup", "verify", file, "--deep", "--identity", "id.txt"]
    #expect(workspace.run(deep).status == .cannotUnlock)
    #expect(workspace.run(deep + ["--backup-passphrase-file", "p.txt"]).code == 0)
    #expect(workspace.type(deep, [("Passphrase of the backup", "correct horse battery\n")]).code == 0)
    #expect(workspace.type(deep, [("Passphrase of the backup", "wrong\n")]).status == .cannotUnlock)
  }

  @Test("every failure of create has its code and one clear line, and leaves no file")
  func failures() throws {
    FileTree.makeFolder(workspace.path + "/open")
    FileTree.setMode(0o777, of: workspace.path + "/open")
    let rows: [(arguments: [String], code: Int32, line: String)] = [
      (["--to", "nowhere"], 18, "vault: nowhere does not exist"),
      (["--to", "id.txt"], 18, "vault: id.txt is not a folder"),
      (["--to", "v"], 17, "vault: v: a backup cannot be kept in the vault"),
      (["--to", "v/records"], 17, "vault: v/records: a backup cannot be kept in the vault"),
      (["--to", "open"], 18, "vault: open: other users can write to this folder"),
      (["--recipient", "age1x"], 64, "vault: --recipient is not an age recipient"),
      (["--prove-with", "id.txt"], 11, "vault: --prove-with: no identity in the file"),
      (["--to", "-", "--label", "x"], 64, "vault: --label cannot be combined"),
    ]
    for (arguments, code, line) in rows {
      let joined = workspace.run(
        ["backup", "create", "--vault", "v", "--recipient", recipient, "--identity", "id.txt"]
          + (arguments.contains("--to") ? [] : ["--to", "b"]) + arguments)
      #expect(joined.code == code, "\(arguments): \(joined.errors)")
      #expect(joined.errorLines.first { $0.hasPrefix("vault: ") }?.hasPrefix(line) == true, "\(joined.errors)")
      #expect(joined.output.isEmpty)
    }
    #expect(FileTree.names(in: workspace.path + "/open").isEmpty)
  }

  @Test("a record that cannot be read, or is a link, ends it without a file")
  func unreadable() throws {
    let record = try workspace.recordFile("Shai Mishali")
    let path = workspace.vault + "/" + record
    FileTree.remove(path)
    FileTree.link(path, to: "/etc/hostname")
    let outcome = create()
    #expect(outcome.status == .damaged, "\(outcome.errors)")
    #expect(outcome.errors.hasPrefix("vault: \(record) is a symbolic link"), "\(outcome.errors)")
    #expect(FileTree.names(in: workspace.path + "/b").filter { $0.hasSuffix(".age") || $0.hasSuffix(".tmp") }.isEmpty)
  }

  @Test("a checkpoint, slot or record from which nothing could be restored ends it with 13 and leaves no file")
  func notRestorable() throws {
    FileTree.makeFolder(workspace.path + "/b2")
    let slot = "slots/" + (try #require(FileTree.names(in: workspace.vault + "/slots").first))
    let record = try #require(FileTree.files(below: workspace.vault + "/records").first)
    for (file, bytes) in [
      ("checkpoint.jsonl", [UInt8](repeating: 0, count: 17 << 20)), (slot, Array("no slot".utf8)),
      ("records/" + record, Array("<<<<<<< HEAD\n{}\n".utf8)),
    ] {
      let path = workspace.vault + "/" + file
      let good = FileTree.contents(of: path)
      FileTree.write(bytes, to: path)
      for key in [["--identity", "id.txt"], []] where file != slot || key.isEmpty {
        let refused = workspace.run(["backup", "create", "--vault", "v", "--to", "b2"] + key)
        #expect(refused.status == .damaged, "\(file): \(refused.errors)")
        #expect(refused.errors.contains("vault: \(file) "), "\(file): \(refused.errors)")
      }
      if let good { FileTree.write(good, to: path) } else { FileTree.remove(path) }
    }
    #expect(FileTree.names(in: workspace.path + "/b2").isEmpty)
  }

  @Test("age and tar list what a backup holds")
  func publicTools() throws {
    guard Need.command("age").isMet(forCases: 1, of: "age | tar") else { return }
    let file = try made()
    let listed = ProcessRun(
      path: "/bin/sh", arguments: ["-c", "age -d -i safe.txt \(file) | tar t"], environment: ["PATH": "/usr/bin:/bin"],
      directory: workspace.path
    ).run()
    let names = listed.output.split(separator: "\n").map(String.init)
    let expected = workspace.snapshot().keys.filter { $0 != ".lock" }.map { "vault/" + $0 } + ["backup.jsonl"]
    #expect(Set(names) == Set(expected))
    #expect(names.first == "vault/vault.json")
    #expect(names.last == "backup.jsonl")
  }
}
