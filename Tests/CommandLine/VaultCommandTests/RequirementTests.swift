import Testing
import VaultTestSupport

/// A file that requires an unknown extension is left alone, like a file of a newer version.
@Suite("Files that require an extension")
struct RequirementTests {
  private static let people = #"[{"name":"New","access_key":"x","added_on":"2026-01-02T03:04:05Z"}]"#

  /// A vault with customers, a backup of it, and something to import.
  private func workspace() throws -> Workspace {
    let workspace = try Workspace.withCustomers()
    _ = workspace.write(Self.people, to: "people.json")
    FileTree.makeFolder(workspace.path + "/b")
    let made = workspace.open("backup", "create", "--to", "b")
    try #require(made.code == 0, "\(made.errors)")
    return workspace
  }

  private func commands(_ id: String, backup: String) -> [[String]] {
    [
      ["get", id, "access_key"], ["get", id, "name"], ["show", id], ["set", id, "website=x"], ["remove", id, "-y"],
      ["list"], ["find", "Shai"], ["export", "--reveal"], ["verify"], ["lint"], ["lint", "--fix"], ["repair", "-y"],
      ["accept", id, "-y"], ["rekey"], ["migrate"], ["checkpoint"],
      ["import", "json", "people.json", "--kind", "customer"], ["trash", "list"], ["key", "list"], ["status"],
      ["backup", "create", "--to", "b"], ["backup", "restore", backup, "--to", "v"],
      ["backup", "restore", backup, "--to", "v", "--records", id],
    ]
  }

  private func edited(_ bytes: [UInt8], _ part: String, _ other: String) -> [UInt8] {
    let text = String(decoding: bytes, as: UTF8.self)
    let pieces = text.split(separator: part, maxSplits: 1, omittingEmptySubsequences: false)
    return Array(pieces.joined(separator: other).utf8)
  }

  /// Runs every command on a vault of which `file` was edited, and tells what each ended with.
  private func outcomes(
    _ workspace: Workspace, _ good: FolderState, _ file: String, _ id: String, _ part: String, _ other: String
  ) throws -> [(command: [String], outcome: ProcessOutcome)] {
    let bad = edited(try #require(good[file]), part, other)
    let backup = try #require(FileTree.names(in: workspace.path + "/b").first { $0.hasSuffix(".age") })
    return commands(id, backup: "b/" + backup).map { command in
      FileTree.remove(workspace.vault)
      for (name, bytes) in good {
        FileTree.writeWithFolder(name == file ? bad : bytes, to: workspace.vault + "/" + name)
      }
      let place = command.starts(with: ["backup", "restore"]) ? [] : ["--vault", "v"]
      let outcome = workspace.run(command + place + ["--identity", "id.txt"])
      // A whole vault that is restored keeps the other one aside.
      #expect(command.last == "v" || workspace.snapshot()[file] == bad, "\(command)")
      return (command, outcome)
    }
  }

  @Test(
    "are refused by every command as those of a newer format, by the name of what they require, and stay as they are",
    arguments: [true, false])
  func refused(isHeader: Bool) throws {
    let workspace = try workspace()
    let record = try workspace.recordFile("Shai Mishali")
    let id = String(record.dropFirst(11).prefix(36))
    let file = isHeader ? "vault.json" : record
    let good = workspace.snapshot()
    let newer = try outcomes(workspace, good, file, id, #""format" : 1"#, #""format" : 2"#)
    let needing = try outcomes(
      workspace, good, file, id, #""revision" : "#, #""requires" : ["even-later", "later"], "revision" : "#)
    for (one, other) in zip(newer, needing) {
      #expect(one.outcome.code == other.outcome.code, "\(one.command): \(other.outcome.errors)")
      let said = other.outcome.output + other.outcome.errors
      #expect(!said.contains("access_key") || other.outcome.code == 0, "\(one.command)")
      guard other.outcome.status == .damaged, one.command[0] != "repair" || isHeader else { continue }
      #expect(
        said.contains("requires needs a feature that only a newer version of this program has: even-later, later\n"),
        "\(said)")
      #expect(other.outcome.errors.contains("hint: read it with a newer version of vault\n"), "\(said)")
    }
    let reading = ["get", "show", "set", "remove", "list", "export", "verify", "repair", "accept", "rekey", "migrate"]
    for (command, outcome) in needing where reading.contains(command[0]) {
      #expect(outcome.status == .damaged, "\(command): \(outcome.errors)")
    }
  }

  @Test("another list of names than the format has is damage")
  func malformed() throws {
    let workspace = try Workspace.withCustomers()
    let record = try workspace.recordFile("Shai Mishali")
    for file in [record, "vault.json"] {
      let good = try #require(workspace.snapshot()[file])
      for names in ["[]", #"["later", "later"]"#, #"["later", "even-later"]"#, #"["Later"]"#, "[1]", #""later""#] {
        FileTree.write(
          edited(good, #""revision" : "#, #""requires" : \#(names), "revision" : "#), to: workspace.vault + "/" + file)
        let outcome = workspace.open("verify")
        #expect(outcome.status == .damaged, "\(names)")
        #expect(outcome.errors.contains("requires is missing or not of format 1"), "\(names)")
      }
      FileTree.write(good, to: workspace.vault + "/" + file)
    }
  }
}
