import Testing
import VaultTestSupport

@Suite("vault doctor")
struct DoctorTests {
  /// The state of the line with this name, and its text.
  private func check(
    _ name: String, _ workspace: Workspace, _ arguments: [String] = ["--identity", "id.txt"],
    adding: [String: String] = [:]
  ) throws -> (state: String, text: String) {
    let outcome = workspace.run(["doctor", "--vault", "v", "--json"] + arguments, adding: adding)
    let checks = try #require(JSON(outcome.stdout)["checks"]?.items, "\(outcome.errors)")
    let found = try #require(checks.first { $0["name"]?.text?.hasPrefix(name) == true })
    let states = checks.compactMap { $0["state"]?.text }
    #expect(outcome.code == (states.allSatisfy { $0 == "ok" } ? 0 : 14))
    let state = found["state"]?.text ?? ""
    if state != "ok" { #expect(found["advice"]?.text != nil || name == "journal", "\(name) says what to do") }
    return (state, found["text"]?.text ?? "")
  }

  private func expect(
    _ state: String, _ name: String, _ workspace: Workspace, _ arguments: [String] = ["--identity", "id.txt"],
    adding: [String: String] = [:]
  ) throws {
    let found = try check(name, workspace, arguments, adding: adding)
    #expect(found.state == state, "\(name): \(found.text)")
  }

  @Test("in a good vault every line but that of the memory is ok, and nothing is changed")
  func good() throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    let outcome = workspace.run("doctor", "--vault", "v", "--identity", "id.txt")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count >= 8)
    #expect(lines.allSatisfy { $0.hasPrefix("ok ") || $0.contains(" memory: ") }, "\(outcome.output)")
    #expect(workspace.snapshot() == before)
  }

  @Test("key: none, one that is not there, another's, and one that others may read")
  func key() throws {
    let workspace = try Workspace.withVault()
    try expect("warn", "key", workspace, [])
    try expect("fault", "key", workspace, ["--identity", "missing.txt"])
    try expect("fault", "key", workspace, ["--passphrase-file", "missing.txt"])
    #expect(workspace.run("init", "w", "--generate-identity", "other.txt").code == 0)
    try expect("fault", "key", workspace, ["--identity", "other.txt"])
    try expect("ok", "key", workspace)
    workspace.prepare("chmod 644 id.txt")
    try expect("warn", "key", workspace)
    try expect("warn", "key", workspace, [], adding: ["CVAULT_IDENTITY_FILE": workspace.identity])
  }

  @Test("slots: a weak work factor, a file that was exchanged, a file that is gone")
  func slots() throws {
    let workspace = try Workspace()
    _ = workspace.write("correct horse\n", to: "pass.txt")
    let made = workspace.run(
      "init", "v", "--passphrase", "--new-passphrase-file", "pass.txt", "--work-factor", "10")
    try #require(made.code == 0, "\(made.errors)")
    let weak = try check("slot", workspace, [])
    #expect(weak.state == "warn")
    #expect(weak.text.contains("work factor 10"))
    #expect(workspace.run("status", "--vault", "v").output.contains("work factor 10, weak"))
    workspace.prepare("for slot in v/slots/*.age; do echo >> $slot; done")
    try expect("fault", "slot", workspace, [])
    workspace.prepare("rm v/slots/*.age")
    try expect("fault", "slot", workspace, [])
  }

  @Test("no slot is said to open the vault that does not")
  func nothingOpens() throws {
    let workspace = try Workspace.withVault()
    _ = workspace.write("a passphrase\n", to: "pass.txt")
    #expect(try check("key", workspace, ["--passphrase-file", "pass.txt"]).text.contains("no intact slot"))
    workspace.prepare("mv v/slots/*.age .")
    let outcome = workspace.run("doctor", "--vault", "v", "--identity", "id.txt")
    #expect(outcome.status == .findings, "\(outcome.output)")
    #expect(outcome.output.contains("until then nothing opens the vault"), "\(outcome.output)")
    #expect(try check("key", workspace).state == "fault")
    #expect(!outcome.output.contains("other slot"))
    workspace.prepare("mv *.age v/slots/")
    #expect(workspace.open("key", "add", "--generate-identity", "id2.txt").code == 0)
    let id = try #require(
      JSON(workspace.run("key", "list", "--vault", "v", "--json").stdout)["slots"]?.items?.last?["id"]?.text)
    workspace.prepare("rm v/slots/\(id).age")
    let one = workspace.run("doctor", "--vault", "v", "--identity", "id.txt")
    #expect(one.output.contains("until then only one other slot opens the vault"), "\(one.output)")
    try expect("ok", "key", workspace)
  }

  @Test("what is no folder where one belongs, and a private key in the vault's folder, which is not printed")
  func surroundings() throws {
    let workspace = try Workspace.withVault()
    for make in ["ln -s / v/.staging", "ln -s nowhere v/.staging", "mkfifo v/.staging", "touch v/.staging"] {
      workspace.prepare("rm -rf v/.staging; " + make)
      try expect("fault", "folder", workspace)
      #expect(workspace.open("verify").status == .damaged, "\(make)")
      let lint = workspace.run("lint", "--vault", "v")
      #expect(lint.status == .findings, "\(make): \(lint.errors)")
      #expect(lint.output.hasPrefix(".staging is "), "\(make): \(lint.errors)")
    }
    workspace.prepare("rm -rf v/.staging")
    for make in ["rm -f v/.lock; ln -s / v/.lock", "mv v/trash t; ln -s / v/trash"] {
      workspace.prepare(make)
      let lint = workspace.run("lint", "--vault", "v")
      #expect(lint.status == .findings, "\(make): \(lint.output)\(lint.errors)")
      #expect(lint.output.split(separator: "\n").count == 1, "\(make): \(lint.output)\(lint.errors)")
      try expect("fault", "folder", workspace)
      workspace.prepare("rm -f v/.lock; test ! -e t || { rm v/trash; mv t v/trash; }")
    }
    workspace.prepare("cp id.txt v/key.txt; printf -- '-----BEGIN PRIVATE KEY-----' > v/slots/pem")
    let lint = workspace.run("lint", "--vault", "v", "--json")
    let codes = JSON(lint.stdout)["findings"]?.items?.compactMap { $0["code"]?.text }
    #expect(lint.status == .findings)
    #expect(codes == ["private_key", "private_key"])
    try expect("fault", "private key", workspace)
    let verified = workspace.open("verify")
    #expect(verified.code == 0)
    #expect(verified.errors.contains("note: key.txt is probably a private key"))
    for outcome in [lint, verified, workspace.run("doctor", "--vault", "v")] {
      #expect(!(outcome.output + outcome.errors).contains("AGE-SECRET-KEY-"))
    }
  }

  @Test("memory that cannot be locked")
  func memory() throws {
    let workspace = try Workspace.withVault()
    let run = ProcessRun(
      path: "/bin/sh",
      arguments: ["-c", "ulimit -l 0; exec '\(Binary.path)' doctor --vault v --identity id.txt"],
      environment: workspace.environment, directory: workspace.path
    ).run()
    guard !run.output.contains("ok    memory: ") else {
      return Need.notRun("vault doctor", "memory is locked without a limit")
    }
    #expect(run.status == .findings, "\(run.output)\(run.errors)")
    #expect(run.output.contains("warn  memory: "), "\(run.output)\(run.errors)")
  }

  @Test("permissions of the vault")
  func permissions() throws {
    let workspace = try Workspace.withVault()
    try expect("ok", "permissions", workspace)
    workspace.prepare("chmod -R a+rX v")
    try expect("warn", "permissions", workspace)
    #expect(workspace.run("status", "--vault", "v").output.contains("other users can enter the folder: `chmod go= v`"))
    workspace.prepare("cp -r v 'a b'")
    #expect(workspace.run("doctor", "--vault", "a b").output.contains("run `chmod -R go= 'a b'`"))
    // In a clone git makes the modes, again with each pull.
    workspace.prepare("mkdir clone clone/.git; cp -r v clone/v")
    let clone = workspace.run("doctor", "--vault", "clone/v")
    #expect(clone.output.contains("ok    permissions: as git makes files"), "\(clone.output)")
    #expect(workspace.run("status", "--vault", "clone/v").output.contains("permissions: as git makes files"))
    let verified = workspace.run("verify", "--vault", "clone/v", "--identity", "id.txt")
    #expect(verified.code == 0)
    #expect(!verified.errors.contains("chmod"))
    #expect(!verified.output.contains("chmod"))
    workspace.prepare("chmod o+w clone/v")
    let writable = workspace.run("doctor", "--vault", "clone/v")
    #expect(writable.output.contains("fault permissions: everybody can write to clone/v; run `chmod -R o-w clone/v`"))
    #expect(
      workspace.run("status", "--vault", "clone/v").output.contains(
        "everybody can write to the folder: `chmod o-w clone/v`"))
  }

  @Test("a journal that is none")
  func journal() throws {
    let workspace = try Workspace.withVault()
    try expect("ok", "journal", workspace)
    _ = workspace.write("{}", to: "v/.journal.json")
    try expect("fault", "journal", workspace)
  }

  @Test("a checkpoint that is none")
  func checkpoint() throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("checkpoint").code == 0)
    #expect(try check("checkpoint", workspace).text.hasPrefix("number 1 of "))
    _ = workspace.write("{}", to: "v/checkpoint.jsonl")
    try expect("fault", "checkpoint", workspace)
  }

  @Test("in a git work tree: a file that git is not told about")
  func git() throws {
    let workspace = try Workspace.withVault()
    workspace.prepare("mkdir .git")
    try expect("ok", "git", workspace)
    workspace.prepare("rm v/.gitattributes")
    try expect("warn", "git", workspace)
  }

  @Test("the pin: a vault that is new here, one that is known, and another in its place")
  func pin() throws {
    let workspace = try Workspace.withVault()
    #expect(try check("pin", workspace).text.hasPrefix("pinned"))
    #expect(try check("pin", workspace, adding: ["CVAULT_STATE_DIR": workspace.path + "/new"]).text.hasPrefix("new"))
    workspace.prepare("mv v old")
    let other = ["CVAULT_STATE_DIR": workspace.path + "/other"]
    #expect(workspace.run("init", "v", "--generate-identity", "other.txt", adding: other).code == 0)
    let found = try check("pin", workspace, ["--identity", "other.txt"])
    #expect(found.state == "fault", "\(found.text)")
    #expect(found.text.hasPrefix("differs"), "\(found.text)")
  }

  @Test("the state folder: open to others, and no folder")
  func state() throws {
    let workspace = try Workspace.withVault()
    try expect("ok", "state", workspace)
    workspace.prepare("chmod 755 state; echo > file")
    try expect("warn", "state", workspace)
    try expect("fault", "state", workspace, adding: ["CVAULT_STATE_DIR": workspace.path + "/file"])
  }
}
