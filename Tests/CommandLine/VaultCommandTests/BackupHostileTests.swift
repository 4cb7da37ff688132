import Testing
import VaultDocument
import VaultTestSupport

/// A backup of the vectors, written by the second implementation.
private struct VectorBackup {
  let name: String
  let document: JSONValue

  static func hostile() throws -> [VectorBackup] {
    try FileTree.names(in: OwnVectors.folder + "/backups/hostile").map { file in
      let document = try JSONParser.parse(OwnVectors.bytes("backups/hostile/" + file))
      return VectorBackup(name: String(file.dropLast(5)), document: document)
    }
  }

  static func good(_ name: String) throws -> VectorBackup {
    VectorBackup(name: name, document: try JSONParser.parse(OwnVectors.bytes("backups/\(name).json")))
  }

  /// Writes the backup into a workspace.
  func write(to workspace: Workspace) throws -> String {
    let path = workspace.path + "/\(name).age"
    FileTree.write(try Base64.decode(#require(document["backup"]?.string)), to: path)
    return path
  }
}

@Suite("Backups by the second implementation")
struct BackupHostileTests {
  private let workspace: Workspace
  private let identity = OwnVectors.folder + "/vaults/small.identity.txt"

  init() throws { workspace = try Workspace() }

  private func restore(_ file: String, to folder: String, _ more: String...) -> ProcessOutcome {
    workspace.run(["backup", "restore", file, "--to", folder, "--identity", identity] + more)
  }

  @Test(
    "a good backup is restored as the second implementation wrote it",
    arguments: ["attested", "unattested", "attached"])
  func good(_ name: String) throws {
    let backup = try VectorBackup.good(name)
    let restored = restore(try backup.write(to: workspace), to: workspace.vault, "--unattested")
    #expect(restored.code == 0, "\(restored.errors)")
    let files = try #require(backup.document["files"])
    for (path, bytes) in workspace.snapshot() {
      let text = files[path]?.string ?? ""
      let expected = try files[path]?["base64"]?.string.map { try Base64.decode($0) } ?? Array(text.utf8)
      #expect(bytes == expected, "\(path)")
    }
    #expect(workspace.snapshot().count == files.object?.count)
    #expect(workspace.run("verify", "--vault", "v", "--identity", identity).code == 0)
  }

  @Test("each hostile backup is refused before anything is renamed, and the vault of now is untouched")
  func hostile() throws {
    let good = try VectorBackup.good("attested").write(to: workspace)
    try #require(restore(good, to: workspace.vault).code == 0)
    // Reading the records makes them known.
    try #require(workspace.run("verify", "--vault", "v", "--identity", identity).code == 0)
    let before = workspace.snapshot()
    var tally = CaseTally("hostile backups")
    defer { tally.report() }
    for backup in try VectorBackup.hostile() {
      let file = try backup.write(to: workspace)
      let names = FileTree.names(in: workspace.path)
      let wanted = Int32(try #require(backup.document["code"]?.int))
      // If no vault is known, another one is an ordinary vault.
      for place in backup.name == "other-vault" ? ["v"] : ["v", "new"] {
        let outcome = restore(file, to: place, "--unattested")
        #expect(outcome.code == wanted, "\(backup.name) to \(place): \(outcome.code) \(outcome.errors)")
        #expect(outcome.output.isEmpty, "\(backup.name)")
        #expect(outcome.errors.hasPrefix("vault: "), "\(backup.name): \(outcome.errors)")
      }
      #expect(workspace.snapshot() == before, "\(backup.name)")
      #expect(FileTree.names(in: workspace.path) == names, "\(backup.name)")
      tally.ran()
    }
  }

  @Test("verify --deep refuses what a machine that knows nothing can refuse")
  func verified() throws {
    for backup in try VectorBackup.hostile() where backup.document["layer"]?.string != "pin" {
      let file = try backup.write(to: workspace)
      let outcome = workspace.run("backup", "verify", file, "--deep", "--identity", identity)
      #expect(try outcome.code == Int32(#require(backup.document["code"]?.int)), "\(backup.name): \(outcome.errors)")
    }
  }
}
