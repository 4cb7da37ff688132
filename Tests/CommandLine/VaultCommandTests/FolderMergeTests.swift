import Testing
import VaultDocument
import VaultStorage
import VaultTestSupport

@Suite("Folders that sync")
struct FolderMergeTests {
  private static let names =
    ConflictCopy.services.map(\.example) + [
      " (conflicted copy ada 2026-11-21 014028)", " (Copie en conflit de Ada 2026-11-21)", " [Conflict]",
      ".sync-conflict-20261121-014028-ABCDEFG.sync-conflict-20261122-014028-ABCDEFG", "-MacBook Pro-2",
      "_conflict-20261121-014028",
    ]

  private static func name(_ file: String, _ mark: String) -> String {
    let dot = file.lastIndex(of: ".") ?? file.endIndex
    return file[..<dot] + mark + file[dot...]
  }

  @Test("two edits of one record are joined, however the service names the copy", arguments: names)
  func joins(_ mark: String) throws {
    let bench = try FolderBench()
    waitForNextSecond()
    try bench.a.seal("of-a")
    try bench.b.must("set", bench.id, "fields.pin=of-b")
    let copy = Self.name(bench.file, mark)
    bench.conflict(over: bench.file, wonBy: bench.b, copy: copy)
    let refused = bench.a.vault("get", bench.id, "password")
    #expect(refused.status == .unexpectedVault)
    #expect(refused.errors.contains("`vault merge`"), "\(refused.errors)")
    for command in ["check", "verify", "lint"] {
      let checked = bench.b.vault(command)
      #expect(checked.status == .findings, "\(command): \(checked.errors)")
      #expect(checked.errors.contains("`vault merge`"), "\(checked.errors)")
    }
    #expect(bench.b.vault("repair", "--dry-run").errors.contains("`vault merge`"))
    for machine in [bench.a, bench.b] {
      let merged = machine.vault("merge")
      #expect(merged.code == 0, "\(merged.errors)")
      #expect(machine.value("password") == "of-a")
      #expect(machine.value("fields.pin") == "of-b")
      #expect(machine.vault("verify").code == 0)
      #expect(machine.bytes(copy) == nil)
      #expect(machine.aside.count == 1)
    }
    #expect(bench.a.files == bench.b.files)
  }

  @Test("of two sealed values the later one counts, on both machines, and of two readable ones the later version's")
  func laterWins() throws {
    let bench = try FolderBench()
    try bench.b.seal("earlier")
    waitForNextSecond()
    try bench.a.seal("later")
    try bench.a.must("set", bench.id, "username=a")
    waitForNextSecond()
    try bench.b.must("set", bench.id, "username=b")
    let copy = Self.name(bench.file, " 2")
    bench.conflict(over: bench.file, wonBy: bench.a, copy: copy)
    let planned = bench.b.vault("merge", "--dry-run")
    #expect(planned.output.hasPrefix("merged \(bench.file) (Mail)"), "\(planned.output)\(planned.errors)")
    #expect(bench.b.bytes(copy) != nil)
    for machine in [bench.a, bench.b] {
      #expect(machine.vault("merge").code == 0)
      #expect(machine.value("password") == "later")
      #expect(machine.value("username") == "b")
    }
    #expect(bench.a.files == bench.b.files)
  }

  private func waitForNextSecond() {
    // The times of seals have seconds.
    let start = Timestamp.now()
    while Timestamp.now().secondsSinceEpoch == start.secondsSinceEpoch {}
  }

  @Test("--ours and --theirs pick a side", arguments: [("--ours", "u-a"), ("--theirs", "u-b"), ("--newest", "u-b")])
  func picks(_ option: String, _ value: String) throws {
    let bench = try FolderBench()
    try bench.a.must("set", bench.id, "username=u-a")
    waitForNextSecond()
    try bench.b.must("set", bench.id, "username=u-b")
    bench.conflict(over: bench.file, wonBy: bench.a, copy: Self.name(bench.file, " 2"))
    let merged = bench.a.vault("merge", option)
    #expect(merged.code == 0, "\(merged.errors)")
    #expect(bench.a.value("username") == value)
    #expect(bench.a.vault("verify").code == 0)
  }

  @Test("a removal and a change: the later one counts, and nothing is lost", arguments: [true, false])
  func removal(_ isRemovedLast: Bool) throws {
    let bench = try FolderBench()
    func remove() throws { try bench.a.must("remove", bench.id, "-y") }
    if !isRemovedLast { try remove() }
    waitForNextSecond()
    try bench.b.seal("changed")
    waitForNextSecond()
    if isRemovedLast { try remove() }
    // A service keeps the changed file and brings the file of the trash.
    bench.bring("trash/\(bench.id).json", from: bench.a)
    bench.bring(bench.file, from: bench.b)
    #expect(bench.a.vault("check").errors.contains("`vault merge`"))
    for machine in [bench.a, bench.b] {
      let merged = machine.vault("merge")
      #expect(merged.code == 0, "\(merged.errors)")
      #expect(machine.vault("verify").code == 0, "\(machine.vault("verify").errors)")
      #expect((machine.bytes(bench.file) == nil) == isRemovedLast)
    }
    #expect(bench.a.files == bench.b.files)
    if isRemovedLast { try bench.a.must("trash", "restore", bench.id) }
    #expect(isRemovedLast || bench.a.value("password") == "changed")
  }

  @Test("a whole copy of the vault is joined, and stays as it is")
  func wholeCopy() throws {
    let bench = try FolderBench()
    waitForNextSecond()
    try bench.a.seal("of-a")
    try bench.b.must("set", bench.id, "fields.pin=of-b")
    try bench.b.must("add", "login", "New", "username=n", "--secret-stdin", "password", input: "new")
    let before = bench.b.files
    let merged = bench.a.vault("merge", bench.b.folder)
    #expect(merged.code == 0, "\(merged.errors)")
    #expect(bench.a.value("password") == "of-a")
    #expect(bench.a.value("fields.pin") == "of-b")
    #expect(bench.a.vault("get", "New", "password").output == "new")
    #expect(bench.a.vault("verify").code == 0)
    #expect(bench.b.files == before)
    let again = bench.a.vault("merge", bench.b.folder)
    #expect(again.code == 0, "\(again.errors)")
  }

  @Test("kinds and ways to unlock of both sides stay")
  func header() throws {
    let bench = try FolderBench()
    try bench.a.must("key", "add", "--generate-identity", bench.workspace.path + "/new.txt", "--label", "phone")
    let schema = bench.workspace.write(
      #"{"x-kind": "door", "type": "object", "properties": {"title": {"type": "string"}}}"#, to: "door.json")
    try bench.b.must("kinds", "add", schema)
    for slot in bench.a.files.keys where slot.hasPrefix("slots/") { bench.bring(slot, from: bench.a) }
    bench.conflict(over: "vault.json", wonBy: bench.b, copy: "vault 2.json")
    let refused = bench.a.vault("list")
    #expect(refused.status == .unexpectedVault)
    #expect(refused.errors.contains("`vault merge`"), "\(refused.errors)")
    for machine in [bench.a, bench.b] {
      let merged = machine.vault("merge")
      #expect(merged.code == 0, "\(merged.errors)")
      #expect(machine.vault("key", "list").output.contains("phone"))
      #expect(machine.vault("kinds").output.contains("door"))
      #expect(machine.vault("verify").code == 0)
    }
    #expect(bench.a.files == bench.b.files)
  }

  @Test("a version that this machine has seen and that is nowhere in the folder is not given up")
  func missing() throws {
    let bench = try FolderBench()
    try bench.a.seal("of-a")
    try bench.b.seal("of-b")
    bench.bring(bench.file, from: bench.b)
    let refused = bench.a.vault("get", bench.id, "password")
    #expect(refused.status == .unexpectedVault)
    #expect(refused.errors.contains("wait until it is done"), "\(refused.errors)")
    #expect(!refused.errors.contains("git switch"), "\(refused.errors)")
    #expect(bench.a.vault("merge").errors.contains("nothing to join"))
  }

  @Test("a copy that is not authentic, of another record or not a record is left, and so is the record")
  func unauthentic() throws {
    let bench = try FolderBench()
    let copy = Self.name(bench.file, " 2")
    let text = String(decoding: bench.a.bytes(bench.file) ?? [], as: UTF8.self)
    let edited = Array(text.replacing("\"u\"", with: "\"forged\"").utf8)
    bench.a.put(edited, at: copy)
    let before = bench.a.bytes(bench.file)
    let left = bench.a.vault("merge")
    #expect(left.status == .partlyDone)
    #expect(left.output.contains("does not verify"), "\(left.output)\(left.errors)")
    bench.a.put(Array("no record".utf8), at: copy)
    #expect(bench.a.vault("verify").status == .damaged)
    #expect(bench.a.vault("merge").status == .partlyDone)
    #expect(bench.a.bytes(bench.file) == before)
    #expect(bench.a.bytes(copy) != nil)
  }

  @Test("attachments of both sides stay, although each machine has written the header for its first one")
  func attachments() throws {
    let bench = try FolderBench()
    for machine in [bench.a, bench.b] {
      let file = bench.workspace.write("of \(machine.name)", to: "\(machine.name).txt")
      try machine.must("attach", bench.id, file)
    }
    for machine in [bench.a, bench.b] {
      for file in machine.files.keys where file.hasPrefix("attachments/") { bench.bring(file, from: machine) }
    }
    bench.conflict(over: bench.file, wonBy: bench.b, copy: Self.name(bench.file, " (1)"))
    bench.conflict(over: "vault.json", wonBy: bench.a, copy: "vault (1).json")
    let attachment = try #require(bench.a.files.keys.first { $0.hasPrefix("attachments/") })
    for machine in [bench.a, bench.b] {
      machine.put(machine.bytes(attachment), at: attachment + " (1)")
      let merged = machine.vault("merge")
      #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
      for name in ["a", "b"] {
        #expect(machine.vault("get", bench.id, "--attachment", "\(name).txt", "-o", "-").output == "of \(name)")
      }
      #expect(machine.vault("verify").code == 0, "\(machine.vault("verify").errors)")
    }
    #expect(bench.a.files == bench.b.files)
  }

  @Test("a record whose attachment has not arrived is left until it has")
  func lateAttachment() throws {
    let bench = try FolderBench()
    let file = bench.workspace.write("of b", to: "b.txt")
    try bench.b.must("attach", bench.id, file)
    bench.bring("vault.json", from: bench.b)
    bench.a.put(bench.b.bytes(bench.file), at: Self.name(bench.file, " 2"))
    let left = bench.a.vault("merge")
    #expect(left.status == .partlyDone)
    #expect(left.errors.contains("wait until the service has brought the file"), "\(left.errors)")
    for file in bench.b.files.keys where file.hasPrefix("attachments/") { bench.bring(file, from: bench.b) }
    #expect(bench.a.vault("merge").code == 0)
    #expect(bench.a.vault("get", bench.id, "--attachment", "b.txt", "-o", "-").output == "of b")
  }

  @Test("two checkpoints are joined")
  func checkpoints() throws {
    let bench = try FolderBench()
    for machine in [bench.a, bench.b] { try machine.must("checkpoint") }
    bench.conflict(over: "checkpoint.jsonl", wonBy: bench.b, copy: "checkpoint-DESKTOP-51AB.jsonl")
    for machine in [bench.a, bench.b] {
      let merged = machine.vault("merge")
      #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
      #expect(machine.vault("verify").code == 0, "\(machine.vault("verify").errors)")
    }
  }

  @Test("a change under the root key before a rekey is left, and adopted from a copy", arguments: [[], ["--reseal"]])
  func rekey(_ options: [String]) throws {
    let bench = try FolderBench()
    waitForNextSecond()
    try bench.b.seal("of-b")
    let rekeyed = bench.a.run(["rekey", "-y"] + options)
    #expect(rekeyed.code == 0, "\(rekeyed.errors)")
    bench.a.put(bench.b.bytes(bench.file), at: Self.name(bench.file, " 2"))
    let left = bench.a.vault("merge")
    #expect(left.status == .partlyDone)
    #expect(left.errors.contains("--adopt-old-root"), "\(left.errors)")
    let adopted = bench.a.vault("merge", bench.b.folder, bench.a.folder, bench.id, "--adopt-old-root", "-y")
    #expect(adopted.code == 0, "\(adopted.output)\(adopted.errors)")
    #expect(bench.a.value("password") == "of-b")
    #expect(bench.a.vault("verify").code == 0, "\(bench.a.vault("verify").errors)")
  }

  @Test("a single file of another copy is joined, and stays; a file that is none is refused")
  func file() throws {
    let bench = try FolderBench()
    try bench.b.must("set", bench.id, "fields.pin=of-b")
    let path = bench.b.folder + "/" + bench.file
    let before = bench.b.files
    #expect(bench.a.vault("merge", path).code == 0)
    #expect(bench.a.value("fields.pin") == "of-b")
    #expect(bench.b.files == before)
    #expect(bench.a.aside.isEmpty)
    let refused = bench.a.vault("merge", bench.workspace.identity)
    #expect(refused.status == .inputRefused, "\(refused.errors)")
    #expect(bench.a.vault("merge", "./nothing").status == .inputOutput)
  }

  @Test("a copy of another vault is refused")
  func otherVault() throws {
    let bench = try FolderBench()
    let other = try FolderBench()
    let refused = bench.a.vault("merge", other.a.folder)
    #expect(refused.status == .unexpectedVault, "\(refused.errors)")
    let left = bench.a.vault("merge", other.a.folder + "/" + other.file)
    #expect(left.status == .partlyDone, "\(left.output)\(left.errors)")
  }

  @Test("a version of HEAD is the base, if both sides are later", .enabled(if: GitBench.isThere))
  func gitBase() throws {
    let bench = try FolderBench()
    bench.workspace.prepare(
      "cd a && git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm x")
    try bench.a.must("set", bench.id, "username=of-a")
    try bench.b.must("set", bench.id, "fields.pin=1", "title=Post")
    bench.a.put(bench.b.bytes(bench.file), at: Self.name(bench.file, " 2"))
    let merged = bench.a.vault("merge")
    #expect(merged.code == 0, "\(merged.errors)")
    #expect(bench.a.value("username") == "of-a")
    #expect(bench.a.value("title") == "Post")
  }

  @Test("at a terminal the person is asked about a readable field, and not about a sealed one", .atTerminal)
  func asks() throws {
    let bench = try FolderBench()
    waitForNextSecond()
    try bench.b.seal("earlier")
    waitForNextSecond()
    try bench.a.seal("later")
    try bench.a.must("set", bench.id, "username=a")
    try bench.b.must("set", bench.id, "username=b")
    let copy = Self.name(bench.file, " 2")
    bench.a.put(bench.b.bytes(bench.file), at: copy)
    let left = bench.a.type(["merge"], [("[o]urs, [t]heirs, [l]eave, [s]top: ", "l\n")])
    #expect(left.status == .partlyDone, "\(left.shown)")
    #expect(bench.a.bytes(copy) != nil)
    let merged = bench.a.type(["merge"], [("[o]urs, [t]heirs, [l]eave, [s]top: ", "t\n")])
    #expect(merged.code == 0, "\(merged.shown)")
    #expect(bench.a.value("username") == "b")
    #expect(bench.a.value("password") == "later")
  }
}
