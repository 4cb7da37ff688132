import Testing
import VaultTestSupport

/// Two vaults whose reseal was never finished, as release builds of commit 27896ee left them: one that was cut off
/// after the checkpoint listed what the old root still counts for, and one that ended at the first removed record.
@Suite("vaults with an unfinished reseal")
struct UnfinishedResealTests {
  private static let fixtures = Binary.parent(Fixture.folder) + "/unfinished-reseals/"

  /// - Parameter live: the numbers of the live notes, `Note 1` to `Note 5`; note N holds `secret-N`.
  private static func requireFinish(_ name: String, live: [Int], removed: [String]) throws {
    let workspace = try Workspace()
    FileTree.copy(fixtures + name, to: workspace.vault)
    FileTree.write(try #require(FileTree.contents(of: fixtures + name + ".identity")), to: workspace.identity)
    #expect(workspace.run("status", "--vault", "v").output.contains("reseal"))
    // Before anything is finished each record opens: the vault is whole.
    try requireSecrets(workspace, live)
    for command in [["verify"], ["rekey"], ["verify"], ["checkpoint"], ["rekey", "--reseal"], ["verify"]] {
      let outcome = workspace.run(command + ["--vault", workspace.vault, "--identity", workspace.identity])
      #expect(outcome.code == 0, "\(command): \(outcome.errors)")
    }
    #expect(!workspace.text(of: "v/vault.json").contains("open-only"))
    #expect(FileTree.contents(of: workspace.vault + "/checkpoint.json") == nil)
    #expect(FileTree.contents(of: workspace.vault + "/checkpoint.jsonl") != nil)
    for title in removed { #expect(workspace.open("trash", "restore", title).code == 0) }
    try requireSecrets(workspace, live + removed.compactMap { $0.last?.wholeNumberValue })
  }

  private static func requireSecrets(_ workspace: Workspace, _ numbers: [Int]) throws {
    for number in numbers {
      let outcome = workspace.open("get", "Note \(number)", "text")
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.output == "secret-\(number)", "\(outcome.errors)")
    }
  }

  @Test("one that was cut off opens, and `vault rekey` finishes it with nothing lost")
  func cutOff() throws { try Self.requireFinish("cut-off", live: [1, 2, 3, 4, 5], removed: []) }

  @Test("one that ended at a removed record opens, and `vault rekey` finishes it with nothing lost")
  func withTrash() throws { try Self.requireFinish("with-trash", live: [2, 3], removed: ["Note 1"]) }

  @Test(
    "a checkpoint of the earlier form that somebody changed is refused",
    arguments: ["\"sequence\" : 1", "      1,"])
  func changed(_ text: String) throws {
    let workspace = try Workspace()
    FileTree.copy(Self.fixtures + "cut-off", to: workspace.vault)
    FileTree.write(
      try #require(FileTree.contents(of: Self.fixtures + "cut-off.identity")), to: workspace.identity)
    let old = workspace.text(of: "v/checkpoint.json")
    let new = old.replacing(text, with: text.replacing("1", with: "2"), maxReplacements: 1)
    #expect(new != old)
    FileTree.write(Array(new.utf8), to: workspace.vault + "/checkpoint.json")
    let outcome = workspace.open("get", "Note 1", "text")
    #expect(outcome.status == .damaged)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("checkpoint.json does not authenticate"), "\(outcome.errors)")
  }
}
