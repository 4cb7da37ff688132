import Testing
import VaultTestSupport

@Suite("Attachments, in and out by databases of KeePass")
struct AttachmentExchangeTests {
  /// A vault with a record that has attachments of each size, and an empty one `w`.
  private func attached() throws -> Workspace {
    let workspace = try Workspace.withVault()
    workspace.prepare(
      "head -c 5000000 /dev/urandom >big; head -c 3000 /dev/urandom >small; : >empty; echo x >pw; "
        + "'\(Binary.path)' init w --recipient $(grep -o 'age1[a-z0-9]*' id.txt | head -1) >/dev/null")
    try #require(workspace.open("add", "login", "Office", "-g").code == 0)
    try #require(workspace.open("attach", "Office", "big", "small", "empty").code == 0)
    return workspace
  }

  private func database(_ workspace: Workspace) throws {
    let made = workspace.open(
      "export", "--reveal", "--yes", "--format", "kdbx", "--new-passphrase-file", "pw", "-o", "out.kdbx")
    try #require(made.code == 0, "\(made.errors)")
    #expect(!made.errors.contains("left out"))
  }

  private func bring(_ workspace: Workspace, _ options: String...) -> ProcessOutcome {
    workspace.run(
      ["import", "keepass-kdbx", "out.kdbx", "--source-passphrase-file", "pw"] + options
        + ["--vault", "w", "--identity", "id.txt"])
  }

  private func other(_ workspace: Workspace, _ arguments: String...) -> ProcessOutcome {
    workspace.run(arguments + ["--vault", "w", "--identity", "id.txt"])
  }

  @Test("all go out with their records; a file that is too large for a value comes in as an attachment")
  func roundTrip() throws {
    let workspace = try attached()
    try database(workspace)
    let tried = bring(workspace, "--dry-run")
    #expect(tried.output.contains("mapped: attachments"), "\(tried.errors)\(tried.output)")
    #expect(other(workspace, "list").output.isEmpty)
    #expect([0, 4].contains(bring(workspace).code))
    #expect(other(workspace, "get", "Office", "--attachment", "big", "-o", "got").code == 0)
    workspace.prepare("cmp big got")
    let small = other(workspace, "get", "Office", "secrets[\"attachment small\"]")
    _ = workspace.write(small.output, to: "small.b64")
    workspace.prepare("base64 -d small.b64 | cmp - small")
    #expect(other(workspace, "verify").code == 0)
    // Again: nothing is new, and nothing is attached twice.
    let again = bring(workspace)
    #expect(again.output.contains("0 stored, 0 updated, 1 already stored"), "\(again.output)")
    #expect(other(workspace, "attachments", "Office").output.split(separator: "\n").count == 2)
  }

  @Test("what the vault lacks is attached by --update alone, and another file of the name is never replaced")
  func update() throws {
    let workspace = try attached()
    try database(workspace)
    #expect([0, 4].contains(bring(workspace).code))
    #expect(other(workspace, "detach", "Office", "big", "--yes").code == 0)
    let kept = bring(workspace)
    #expect(kept.status == .partlyDone, "\(kept.errors)\(kept.output)")
    #expect(kept.errors.contains("1 record of the vault differs"), "\(kept.errors)\(kept.output)")
    #expect(!other(workspace, "attachments", "Office").output.contains("big"))
    let updated = bring(workspace, "--update")
    #expect(updated.output.contains("1 updated"), "\(updated.errors)\(updated.output)")
    #expect(other(workspace, "get", "Office", "--attachment", "big", "-o", "got").code == 0)
    workspace.prepare("cmp big got; mkdir other; head -c 5000000 /dev/urandom >other/big")
    #expect(other(workspace, "detach", "Office", "big", "--yes").code == 0)
    #expect(other(workspace, "attach", "Office", "other/big").code == 0)
    let taken = bring(workspace, "--update")
    #expect(taken.status == .partlyDone, "\(taken.output)")
    #expect(taken.output.contains("has another attachment of this name"), "\(taken.output)")
    #expect(other(workspace, "get", "Office", "--attachment", "big", "-o", "got", "--yes").code == 0)
    workspace.prepare("cmp other/big got")
    #expect(other(workspace, "verify").code == 0)
  }

  @Test("what is beyond the bound of a database is left out and said, and the rest goes out")
  func bound() throws {
    let workspace = try Workspace.withVault()
    workspace.prepare("head -c 68000000 /dev/zero >huge; echo x >small; echo x >pw")
    try #require(workspace.open("add", "login", "Office", "-g").code == 0)
    try #require(workspace.open("attach", "Office", "huge", "small").code == 0)
    let made = workspace.open(
      "export", "--reveal", "--yes", "--format", "kdbx", "--new-passphrase-file", "pw", "-o", "out.kdbx")
    #expect(made.status == .partlyDone, "\(made.errors)")
    #expect(made.errors.contains("1 attachment was left out"), "\(made.errors)")
    let held = workspace.open(
      "import", "keepass-kdbx", "out.kdbx", "--source-passphrase-file", "pw", "--dry-run", "--name", "x")
    #expect(held.output.contains("binary 0: mapped: secrets"), "\(held.errors)\(held.output)")
  }
}
