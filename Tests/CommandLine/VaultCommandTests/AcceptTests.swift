import Testing
import VaultTestSupport

@Suite("vault accept")
struct AcceptCommandTests {
  /// A vault in git whose record of Shai Mishali lives in another city since.
  private func edited(commits: Bool = true) throws -> (workspace: Workspace, file: String)? {
    let workspace = try Workspace.withCustomers()
    let git = "/usr/bin/git"
    guard FileTree.mode(of: git) != nil else { return nil }
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-C", workspace.vault]
    for arguments in commits ? [["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]] : [] {
      let run = ProcessRun(path: git, arguments: who + arguments, environment: workspace.environment).run()
      try #require(run.code == 0, "\(run.errors)")
    }
    let file = try workspace.recordFile("Shai Mishali")
    let lines = workspace.text(of: "v/" + file).split(separator: "\n").map { line in
      line.hasPrefix("    \"city\" : ") ? "    \"city\" : \"Oslo\"," : String(line)
    }
    _ = workspace.write(lines.joined(separator: "\n"), to: "v/" + file)
    return (workspace, file)
  }

  @Test("it shows what differs from the version in git, asks, and the record verifies again", .atTerminal)
  func accepted() throws {
    guard let (workspace, file) = try edited() else { return Need.notRun("vault accept", "git is not installed") }
    #expect(workspace.open("get", "Shai Mishali", "address.city").status == .damaged)
    let before = workspace.snapshot()
    let asked = workspace.open("accept", "Shai Mishali")
    #expect(asked.status == .declined, "nobody is there to ask")
    #expect(asked.output.contains("\(file): compared with revision 1 from git commit "))
    #expect(asked.output.contains("\n  address.city: \""))
    #expect(asked.output.hasSuffix(" → \"Oslo\"\n"))
    #expect(workspace.open("accept", "Shai Mishali", "--json").status == .declined)
    let declined = workspace.type(
      ["accept", "Shai Mishali", "--vault", "v", "--identity", "id.txt"], [("Accept this record", "n\n")])
    #expect(declined.status == .declined)
    #expect(workspace.snapshot().filter { $0.key != ".lock" } == before.filter { $0.key != ".lock" })
    let accepted = JSON(workspace.open("accept", "Shai Mishali", "-y", "--json").stdout)["accepted"]?[0]
    #expect(accepted?["revision"] == .number(2))
    #expect(accepted?["file"]?.text == file)
    #expect(accepted?["changes"]?[0]?["after"]?.text == "Oslo")
    #expect(workspace.open("get", "Shai Mishali", "address.city").output == "Oslo")
    #expect(workspace.open("verify").code == 0)
    #expect(workspace.open("accept", "Shai Mishali").code == 0, "there is nothing left to accept")
  }

  @Test("what this machine has seen is newer than the baseline: 16; the revision in the file is nobody's word")
  func olderThanSeen() throws {
    guard let (workspace, file) = try edited() else { return Need.notRun("vault accept", "git is not installed") }
    let raised = workspace.text(of: "v/" + file).replacing(
      "\"revision\" : 1", with: "\"revision\" : 999999999999999998")
    _ = workspace.write(raised, to: "v/" + file)
    #expect(workspace.open("accept", "Shai Mishali", "-y").code == 0)
    #expect(JSON(workspace.open("show", "Shai Mishali", "--json").stdout)["revision"] == .number(2))
    _ = workspace.write(raised.replacing("Oslo", with: "Bergen"), to: "v/" + file)
    let before = workspace.snapshot()
    let refused = workspace.open("accept", "Shai Mishali", "-y")
    #expect(refused.status == .unexpectedVault)
    #expect(
      refused.errorLines.first?.contains("is revision 1, but this machine has seen 2") == true, "\(refused.errors)")
    let isUnchanged = workspace.snapshot() == before
    #expect(isUnchanged)
  }

  @Test("with nothing to compare it shows the whole record, masked, and --yes alone does not do")
  func noBaseline() throws {
    guard let (workspace, file) = try edited(commits: false) else {
      return Need.notRun("vault accept", "git is not installed")
    }
    let refused = workspace.open("accept", "Shai Mishali", "-y")
    #expect(refused.status == .declined)
    #expect(refused.errorLines.first?.hasPrefix("vault: \(file): no version in git or the trash verifies") == true)
    #expect(refused.errors.contains("--no-baseline"))
    #expect(refused.output.contains("Oslo"))
    #expect(refused.output.contains("•••••••• sealed "))
    let secrets = try Fixture.longSecrets()
    #expect(!secrets.contains { refused.stdout.holds($0) || refused.stderr.holds($0) })
    #expect(workspace.open("accept", "Shai Mishali", "--no-baseline").status == .declined, "nobody is there to ask")
    #expect(workspace.open("accept", "Shai Mishali", "--no-baseline", "-y").code == 0)
    #expect(workspace.open("verify").code == 0)
  }

  @Test("a sealed value that was moved is 13 and names its path, and nothing is written")
  func moved() throws {
    guard let (workspace, file) = try edited() else { return Need.notRun("vault accept", "git is not installed") }
    let text = workspace.text(of: "v/" + file)
    let swapped = text.split(separator: "\n").map { line in
      line.hasPrefix("  \"access_key\"")
        ? line.replacing("access_key", with: "atm_code")
        : line.hasPrefix("  \"atm_code\"") ? line.replacing("atm_code", with: "access_key") : String(line)
    }
    _ = workspace.write(swapped.joined(separator: "\n"), to: "v/" + file)
    let outcome = workspace.open("accept", "Shai Mishali", "-y")
    #expect(outcome.status == .damaged)
    #expect(outcome.errorLines.first?.hasPrefix("vault: \(file): access_key does not have the sealed value") == true)
    #expect(workspace.text(of: "v/" + file) == swapped.joined(separator: "\n"))
  }

  @Test("what does not parse any more is 13 with line and column")
  func malformed() throws {
    guard let (workspace, file) = try edited() else { return Need.notRun("vault accept", "git is not installed") }
    _ = workspace.write("{\n" + workspace.text(of: "v/" + file), to: "v/" + file)
    let id = String(file.dropFirst(11).prefix(36))
    let outcome = workspace.open("accept", id, "-y")
    #expect(outcome.status == .damaged)
    #expect(outcome.errorLines.first?.hasPrefix("vault: \(file): line 2, column 1: ") == true)
  }
}

extension Substring {
  fileprivate func replacing(_ old: String, with new: String) -> String {
    split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}
