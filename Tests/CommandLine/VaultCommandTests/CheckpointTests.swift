import Testing
import VaultTestSupport

@Suite("vault checkpoint")
struct CheckpointCommandTests {
  @Test("a checkpoint prints its number and counts; verify then tells what changed since")
  func made() throws {
    let workspace = try Workspace.withCustomers()
    #expect(workspace.open("verify", "--since-checkpoint").status == .notFound)
    #expect(workspace.open("checkpoint").output == "checkpoint 1: 24 records, 0 in the trash\n")
    #expect(workspace.open("rm", "Shai Mishali", "-y").code == 0)
    let second = JSON(workspace.open("checkpoint", "--json").stdout)
    #expect(second["sequence"] == .number(2))
    #expect(second["records"] == .number(23))
    #expect(second["trashed"] == .number(1))
    #expect(second["previous"]?.text?.utf8.count == 64)
    #expect(second["hash"]?.text?.utf8.count == 64)
    let file = try workspace.recordFile("Amélie Dubois")
    #expect(workspace.open("set", "Amélie Dubois", "website=https://example.com").code == 0)
    let verified = workspace.open("verify", "--since-checkpoint")
    #expect(verified.code == 0, "\(verified.errors)")
    let lines = verified.output.split(separator: "\n")
    #expect(lines.first == "23 records, 1 in the trash, 1 slot: all verified")
    #expect(lines.dropFirst().first?.hasSuffix(": 0 added, 1 changed, 0 removed") == true)
    #expect(lines.dropFirst(2) == ["changed \(file.dropFirst(11).prefix(36))"])
    #expect(workspace.run("checkpoint", "--vault", "v").status == .cannotUnlock)
  }

  @Test("a rotation makes no new list of a vault where a record, or the checkpoint that is known here, is gone")
  func rotation() throws {
    let workspace = try Workspace.withCustomers()
    #expect(workspace.open("checkpoint").code == 0)
    let file = workspace.vault + "/" + (try workspace.recordFile("Shai Mishali"))
    let list = workspace.vault + "/checkpoint.jsonl"
    for (lost, state) in [(file, "elsewhere"), (list, "state")] {
      let good = try #require(FileTree.contents(of: lost))
      FileTree.remove(lost)
      let before = workspace.snapshot()
      for arguments in [["rekey"], ["rekey", "--reseal"]] {
        let outcome = workspace.run(
          arguments + ["--vault", "v", "--identity", "id.txt"],
          adding: ["CVAULT_STATE_DIR": workspace.path + "/" + state])
        #expect(outcome.status == .unexpectedVault, "\(outcome.errors)")
        let isUnchanged = workspace.snapshot() == before
        #expect(isUnchanged)
      }
      FileTree.write(good, to: lost)
    }
    #expect(workspace.open("rekey", "--reseal").code == 0)
    #expect(workspace.open("verify").code == 0)
  }

  @Test("a record that went back, or is gone, ends with 16, damage with 13; accepting makes a new list")
  func rollback() throws {
    let workspace = try Workspace.withCustomers()
    let files = [try workspace.recordFile("Shai Mishali"), try workspace.recordFile("Amélie Dubois")]
    let old = try #require(FileTree.contents(of: workspace.vault + "/" + files[0]))
    #expect(workspace.open("set", "Shai Mishali", "website=https://example.com").code == 0)
    #expect(workspace.open("checkpoint").code == 0)
    FileTree.write(old, to: workspace.vault + "/" + files[0])
    FileTree.remove(workspace.vault + "/" + files[1])
    let verified = workspace.open("verify")
    #expect(verified.status == .unexpectedVault)
    #expect(verified.errors.contains("vault: \(files[0]) has gone back to revision 1: the checkpoint of "))
    #expect(verified.errors.contains("vault: \(files[1]) is gone, but the checkpoint of "))
    let ids = files.map { String($0.dropFirst("records/00/".count).dropLast(".json".count)) }
    let fingerprint = workspace.run("fingerprint", "--vault", "v").output.filter { $0 != "\n" }
    for id in ids { #expect(verified.errors.contains(" --record \(id)"), "this machine has seen both, too") }
    #expect(verified.errors.contains("`vault pin update --fingerprint \(fingerprint) --record "))
    #expect(verified.errorLines.last?.hasPrefix("hint: then `vault checkpoint --accept-rollback`") == true)
    let before = workspace.snapshot()
    for arguments in [["checkpoint"], ["checkpoint", "-y"]] {
      let refused = workspace.run(arguments + ["--vault", "v", "--identity", "id.txt"])
      #expect(refused.status == .unexpectedVault)
      #expect(refused.output.isEmpty)
    }
    #expect(workspace.snapshot() == before)
    #expect(workspace.open("checkpoint", "--accept-rollback").output == "checkpoint 2: 23 records, 0 in the trash\n")
    #expect(workspace.open("verify").code == 0)
    FileTree.write(Array(old.dropLast(9)), to: workspace.vault + "/" + files[1])
    FileTree.remove(workspace.vault + "/" + files[0])
    #expect(workspace.open("verify").status == .damaged, "damage comes before a rollback")
    #expect(workspace.open("checkpoint", "--accept-rollback").status == .damaged)
  }

  @Test("a forged checkpoint is 13 and names its file")
  func forged() throws {
    let workspace = try Workspace.withCustomers()
    #expect(workspace.open("checkpoint").code == 0)
    try workspace.damage("checkpoint.jsonl", "\"mac\":\"")
    let outcome = workspace.open("verify")
    #expect(outcome.status == .damaged)
    #expect(outcome.errorLines.first?.hasPrefix("vault: checkpoint.jsonl") == true, "\(outcome.errors)")
  }

  @Test("--subset verifies one part, and all parts are the whole; a part that does not exist is 64")
  func subset() throws {
    let workspace = try Workspace.withCustomers()
    let counts = try (1...3).map { number in
      let outcome = workspace.open("verify", "--json", "--subset", "\(number)/3")
      #expect(outcome.code == 0)
      return try #require(JSON(outcome.stdout)["records"]?.number)
    }
    #expect(counts.reduce(0, +) == 24)
    for text in ["0/3", "4/3", "1", "1/0", "1/257", "a/b", "1/3/5", ""] {
      #expect(workspace.open("verify", "--subset", text).status == .usage, "\(text)")
    }
  }
}
