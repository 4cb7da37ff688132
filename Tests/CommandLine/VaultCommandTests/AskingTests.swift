import Testing
import VaultTestSupport

/// Questions that a person is asked, and a script is not.
@Suite("What a person is asked", .atTerminal)
struct AskingTests {
  private static let words = "correct horse"

  /// A vault as `vault init` alone makes it: one passphrase.
  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    _ = workspace.write(Self.words + "\n", to: "words.txt")
    let made = workspace.run(
      "init", "v", "--passphrase", "--new-passphrase-file", "words.txt", "--work-factor", "10")
    try #require(made.code == 0, "\(made.errors)")
    let added = workspace.run("add", "login", "title=Bank", "--vault", "v", "--passphrase-file", "words.txt")
    try #require(added.code == 0, "\(added.errors)")
    FileTree.makeFolder(workspace.path + "/b")
    return workspace
  }

  private func type(_ workspace: Workspace, _ words: String, _ answers: [(String, String)]) -> ProcessOutcome {
    workspace.type(
      words.split(separator: " ").map(String.init), answers.map { (prompt: $0.0, reply: $0.1) },
      errorsOnTerminal: true)
  }

  private func backup(_ workspace: Workspace) throws -> String {
    let name = FileTree.names(in: workspace.path + "/b").first { $0.hasSuffix(".age") }
    return "b/" + (try #require(name))
  }

  @Test(
    "a vault with a passphrase alone is backed up at a prompt, attested, under the vault's passphrase or another",
    arguments: [
      [("Passphrase of the backup (Enter takes the vault's): ", "\n")],
      [
        ("Passphrase of the backup (Enter takes the vault's): ", "other words\n"),
        ("Passphrase of the backup, again: ", "slip\n"),
        ("Passphrase of the backup (Enter takes the vault's): ", "other words\n"),
        ("Passphrase of the backup, again: ", "other words\n"),
      ],
    ])
  func backedUp(_ answers: [(String, String)]) throws {
    let workspace = try workspace()
    let made = type(
      workspace, "backup create --vault v --to b", [("Passphrase of v: ", Self.words + "\n")] + answers)
    #expect(made.code == 0, "\(made.shown)")
    #expect(!made.shown.contains("not attested"), "\(made.shown)")
    #expect(!made.shown.contains("words\r"))
    _ = workspace.write((answers.count == 1 ? Self.words : "other words") + "\n", to: "backup.txt")
    let restored = workspace.run(
      "backup", "restore", try backup(workspace), "--to", "again", "--backup-passphrase-file", "backup.txt",
      "--passphrase-file", "words.txt")
    #expect(restored.code == 0, "\(restored.errors)")
    #expect(
      workspace.run("get", "Bank", "title", "--vault", "again", "--passphrase-file", "words.txt").output == "Bank")
  }

  @Test("with --new-passphrase-file at a terminal the vault's passphrase is asked for, and the backup is attested")
  func attested() throws {
    let workspace = try workspace()
    let made = type(
      workspace, "backup create --vault v --to b --new-passphrase-file words.txt",
      [("Passphrase of v: ", Self.words + "\n")])
    #expect(made.code == 0, "\(made.shown)")
    #expect(!made.shown.contains("not attested"), "\(made.shown)")
  }

  @Test("a script is asked nothing: a backup without a recipient is 64, and one with a passphrase is not attested")
  func script() throws {
    let workspace = try workspace()
    let refused = workspace.run("backup", "create", "--vault", "v", "--to", "b")
    #expect(refused.status == .usage, "\(refused.errors)")
    let made = workspace.run(
      "backup", "create", "--vault", "v", "--to", "b", "--new-passphrase-file", "words.txt")
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.errors.contains("not attested"))
    let quiet = type(workspace, "backup create --vault v --to b --no-input", [])
    #expect(quiet.status == .usage, "\(quiet.shown)")
  }

  @Test("rekey asks a person first; no leaves the vault as it was", arguments: ["rekey", "rekey --reseal"])
  func rekey(_ command: String) throws {
    let workspace = try Workspace.withVault()
    let before = workspace.snapshot()
    let key = " --vault v --identity id.txt"
    let declined = type(workspace, command + key, [("[y/N] ", "\n")])
    #expect(declined.status == .declined, "\(declined.shown)")
    #expect(workspace.snapshot() == before)
    #expect(type(workspace, command + key, [("[y/N] ", "y\n")]).code == 0)
    #expect(workspace.snapshot() != before)
    let preview = type(workspace, command + key + " --dry-run", [])
    #expect(preview.code == 0, "\(preview.shown)")
    #expect(type(workspace, command + key + " --yes", []).code == 0)
    #expect(
      workspace.run(command.split(separator: " ").map(String.init) + ["--vault", "v", "--identity", "id.txt"]).code == 0
    )
  }
}
