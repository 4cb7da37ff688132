import Testing
import VaultTestSupport

@Suite("A key that opens nothing")
struct UselessKeyTests {
  private static let keys: [[String]] = [["--identity", "other.txt"], ["--passphrase-file", "wrong.txt"]]
  private static let commands: [[String]] = [
    ["verify"], ["check"], ["list"], ["get", "A", "password"], ["export", "--format", "json", "--reveal"],
    ["unlock"], ["migrate"], ["checkpoint"], ["backup", "create", "--to", "backups"], ["rekey"], ["repair"],
  ]

  private func made() throws -> Workspace {
    let workspace = try Workspace.withVault()
    _ = workspace.write("wrong\n", to: "wrong.txt")
    FileTree.makeFolder(workspace.path + "/backups")
    #expect(workspace.open("add", "login", "A", "-g").code == 0)
    #expect(workspace.run("init", "w", "--generate-identity", "other.txt").code == 0)
    return workspace
  }

  @Test("every command refuses it with 11", arguments: Self.commands, Self.keys)
  func refused(command: [String], key: [String]) throws {
    let workspace = try made()
    let outcome = workspace.run(command + ["--vault", "v"] + key)
    #expect(outcome.status == .cannotUnlock, "\(outcome.errors)")
  }

  @Test("check refuses it with 11 if a variable names it")
  func variables() throws {
    let workspace = try made()
    for (name, file) in [("CVAULT_IDENTITY_FILE", "other.txt"), ("CVAULT_PASSPHRASE_FILE", "wrong.txt")] {
      let outcome = workspace.run("check", "--vault", "v", adding: [name: file])
      #expect(outcome.status == .cannotUnlock, "\(name): \(outcome.errors)")
    }
  }

  @Test(
    "backup verify and restore refuse it with 11",
    arguments: [
      ["--backup-passphrase-file", "wrong.txt"], ["--passphrase-file", "wrong.txt"], ["--identity", "other.txt"],
    ])
  func backups(key: [String]) throws {
    let workspace = try made()
    let made = workspace.open("backup", "create", "--to", "backups")
    try #require(made.code == 0, "\(made.errors)")
    let file = try #require(FileTree.files(below: workspace.path + "/backups").first { $0.hasSuffix(".age") })
    for command in [["backup", "verify"], ["backup", "verify", "--deep"], ["backup", "restore", "--to", "new"]] {
      let outcome = workspace.run(command + ["backups/" + file] + key)
      #expect(outcome.status == .cannotUnlock, "\(command): \(outcome.errors)")
    }
    // With the user's own identity, which does open the backup, the key that is given is as useless.
    let own = workspace.home + "/.config/cvault"
    let copied = workspace.shell("mkdir -p \(own) && cp id.txt \(own)/identity.txt")
    #expect(copied.code == 0)
    let outcome = workspace.run(["backup", "verify", "backups/" + file] + key)
    #expect(outcome.status == .cannotUnlock, "\(outcome.errors)")
  }
}
