import Testing
import VaultTestSupport

@Suite("vault repair")
struct RepairCommandTests {
  /// Runs git in the vault; nil if there is no repository.
  private func git(_ arguments: String..., in workspace: Workspace) -> Int32? {
    guard FileTree.mode(of: "/usr/bin/git") != nil else { return nil }
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-C", workspace.vault]
    return ProcessRun(path: "/usr/bin/git", arguments: identity + arguments, environment: workspace.environment).run()
      .code
  }

  @Test("nothing to repair is 0")
  func nothing() throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    for arguments in [["repair"], ["repair", "--dry-run"], ["repair", "-y", "--json"]] {
      #expect(workspace.run(arguments + ["--vault", "v", "--identity", "id.txt"]).code == 0)
    }
    #expect(workspace.snapshot() == before)
  }

  @Test("a version that is older than this machine has seen is left, until what was seen is forgotten")
  func olderThanSeen() throws {
    let workspace = try Workspace.withCustomers()
    guard git("init", "-q", in: workspace) != nil else { return Need.notRun("vault repair", "git is not installed") }
    #expect(git("add", "-A", in: workspace) == 0)
    #expect(git("commit", "-qm", "all", in: workspace) == 0)
    let file = try workspace.recordFile("Shai Mishali")
    let id = String(file.dropFirst("records/00/".count).dropLast(".json".count))
    #expect(workspace.open("set", id, "address.city=Oslo").code == 0)
    try workspace.damage(file, "\"mac\" : \"")
    let left = workspace.open("repair", "-y")
    #expect(left.status == .partlyDone || left.status == .damaged, "\(left.errors)")
    #expect((left.output + left.errors).contains("is revision 1, but this machine has seen 2"), "\(left.output)")
    #expect(workspace.open("get", id, "address.city").status == .damaged)
    let fingerprint = workspace.run("fingerprint", "--vault", "v").output.filter { $0 != "\n" }
    #expect(workspace.run("pin", "update", "--fingerprint", fingerprint, "--record", id, "--vault", "v").code == 0)
    #expect(workspace.open("repair", "-y").code == 0)
    #expect(workspace.open("get", id, "address.city").output == "Albuquerque")
  }

  @Test("damaged, truncated, swapped and deleted records come back from git, and what was there is kept aside")
  func fromGit() throws {
    let workspace = try Workspace.withCustomers()
    guard git("init", "-q", in: workspace) != nil else { return Need.notRun("vault repair", "git is not installed") }
    #expect(git("add", "-A", in: workspace) == 0)
    #expect(git("commit", "-qm", "all", in: workspace) == 0)
    let files = FileTree.files(below: workspace.vault + "/records").map { "records/" + $0 }
    let before = workspace.snapshot().filter { $0.key.hasPrefix("records/") }
    func put(_ bytes: [UInt8], _ file: String) { FileTree.write(bytes, to: workspace.vault + "/" + file) }
    try workspace.damage(files[0], "\"mac\" : \"")
    put(Array(try #require(before[files[1]]).prefix(300)), files[1])
    put(try #require(before[files[3]]), files[2])
    put(try #require(before[files[2]]), files[3])
    FileTree.remove(workspace.vault + "/" + files[4])
    let damaged = workspace.snapshot()
    let plan = workspace.open("repair", "--dry-run")
    #expect(plan.status == .damaged)
    #expect(plan.output.split(separator: "\n").count == 5)
    #expect(files.prefix(5).allSatisfy { plan.output.contains("restore \($0) from ") }, "\(plan.output)")
    #expect(plan.output.contains("from git commit "))
    #expect(workspace.open("repair").status == .declined, "nobody is there to ask")
    #expect(workspace.snapshot() == damaged)
    let done = workspace.open("repair", "-y")
    #expect(done.code == 0, "\(done.errors)")
    #expect(workspace.snapshot().filter { $0.key.hasPrefix("records/") } == before)
    #expect(workspace.open("verify").code == 0)
    let aside = try #require(FileTree.names(in: workspace.path).first { $0.hasPrefix("v.repair-") })
    #expect(FileTree.names(in: workspace.path + "/" + aside).filter { $0.hasPrefix("records-") }.count == 4)
  }

  @Test("RECORD limits the repair; one that no step is about is 10")
  func limited() throws {
    let workspace = try Workspace.withCustomers()
    let files = FileTree.files(below: workspace.vault + "/records").map { "records/" + $0 }
    for file in files.prefix(2) { try workspace.damage(file, "\"name\" : \"") }
    let id = String(files[0].suffix(41).prefix(36))
    let plan = workspace.open("repair", "--dry-run", id)
    #expect(plan.output.split(separator: "\n").count == 1)
    #expect(plan.output.contains(files[0]))
    #expect(workspace.open("repair", "--dry-run", "no-such").status == .notFound)
  }

  @Test("without a good version the secrets go aside unverified, the file stays, and it ends with 4")
  func salvage() throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    try workspace.damage(file, "\"mac\" : \"")
    let text = workspace.text(of: "v/" + file)
    _ = workspace.write(text.replacing("\"mac\" : \"", with: "\"mac\" : \"!"), to: "v/" + file)
    let before = workspace.snapshot()
    let outcome = workspace.open("repair", "-y", "--aside", "kept", "--json")
    #expect(outcome.status == .partlyDone, "\(outcome.errors)")
    let step = try #require(JSON(outcome.stdout)["steps"]?.items?.first)
    #expect(step["action"]?.text == "salvage")
    #expect(step["done"] == .bool(true))
    #expect(workspace.snapshot() == before)
    let name = "kept/salvaged-" + file.split(separator: "/").joined(separator: "-")
    #expect(JSON(workspace.text(of: name))["unverified"] == .bool(true))
    #expect(FileTree.mode(of: workspace.path + "/" + name) == 0o600)
    let secrets = try Fixture.longSecrets()
    #expect(!secrets.contains { outcome.stdout.holds($0) || outcome.stderr.holds($0) })
  }

  @Test("a forged journal is dropped and kept aside, and the vault works again")
  func journal() throws {
    let workspace = try Workspace.withCustomers()
    _ = workspace.write("{\"entries\":[{\"path\":\"../x\",\"staged\":\"remove\"}]}", to: "v/.journal.json")
    #expect(workspace.open("verify").status == .damaged)
    #expect(workspace.open("set", "Shai Mishali", "website=https://example.com").status == .damaged)
    #expect(workspace.open("repair", "-y", "--aside", "kept").code == 0)
    #expect(FileTree.names(in: workspace.path + "/kept").contains("journal.json"))
    #expect(workspace.open("verify").code == 0)
    #expect(workspace.open("set", "Shai Mishali", "website=https://example.com").code == 0)
  }

  @Test("the folder aside must not lie in the vault, and --json cannot ask")
  func usage() throws {
    let workspace = try Workspace.withCustomers()
    for path in ["v/kept", "v/records/../kept/"] {
      let refused = workspace.open("repair", "-y", "--aside", path)
      #expect(refused.status == .inputRefused, "\(path): \(refused.errors)")
      #expect(refused.errors.contains("is in the vault"), "\(path): \(refused.errors)")
    }
    #expect(workspace.open("repair", "-y", "--aside", "no/such/kept").status == .usage)
    #expect(workspace.open("repair", "--json").status == .declined)
  }
}
