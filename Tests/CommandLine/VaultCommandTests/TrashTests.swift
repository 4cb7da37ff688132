import Testing
import VaultTestSupport

@Suite("vault trash")
struct TrashCommandTests {
  @Test("a removed record is listed with and without a key, restored by its name, and is a record again")
  func listAndRestore() throws {
    let workspace = try Workspace.withCustomers()
    #expect(workspace.open("trash", "list").output.isEmpty)
    #expect(workspace.open("rm", "Shai Mishali", "-y").code == 0)
    let verified = workspace.open("trash", "list", "--json")
    #expect(verified.code == 0)
    #expect(JSON(verified.stdout)["verified"] == .bool(true))
    let row = try #require(JSON(verified.stdout)["records"]?.items?.first)
    #expect(row["name"]?.text == "Shai Mishali")
    #expect(row["deleted_at"]?.text != nil)
    let plain = workspace.run("trash", "list", "--vault", "v")
    #expect(plain.code == 0)
    #expect(plain.output.contains("Shai Mishali"))
    #expect(plain.errors.contains("not verified"))
    #expect(workspace.open("trash", "restore", "shai mishali").code == 0)
    #expect(workspace.open("get", "Shai Mishali", "website").code == 0)
    #expect(workspace.open("trash", "restore", "Shai Mishali").status == .notFound)
  }

  @Test(
    "emptying needs an answer, keeps what is younger than --older-than, and says how an age is written", .atTerminal)
  func empty() throws {
    let workspace = try Workspace.withCustomers()
    #expect(workspace.open("rm", "Shai Mishali", "-y").code == 0)
    let before = workspace.snapshot()
    #expect(workspace.open("trash", "empty").status == .declined)
    let declined = workspace.type(
      ["trash", "empty", "--vault", workspace.vault, "--identity", workspace.identity], [("[y/N]", "n\n")])
    #expect(declined.status == .declined)
    #expect(declined.shown.contains("Shai Mishali"))
    #expect(workspace.open("trash", "empty", "--older-than", "1h", "-y").code == 0)
    for age in ["30", "d", "-1d", "1.5d", "1Y", "99999999999999999d"] {
      // Before it is asked for an answer, too.
      #expect(workspace.open("trash", "empty", "--older-than=\(age)").status == .usage)
      let refused = workspace.open("trash", "empty", "--older-than=\(age)", "-y")
      #expect(refused.status == .usage, "\(age)")
      #expect(refused.errorLines.first?.hasPrefix("vault: --older-than takes an age") == true, "\(refused.errors)")
    }
    #expect(workspace.snapshot() == before)
    #expect(
      JSON(workspace.open("trash", "empty", "--older-than", "0s", "-y", "--json").stdout)["deleted"]?.items?.count == 1)
    #expect(FileTree.names(in: workspace.vault + "/trash").isEmpty)
  }

  @Test(
    "a file that holds no record is kept and reported, and its full id with --yes deletes it",
    arguments: [
      "", "no JSON", "{\"a\":1}", "{\"$vault\":{", "\0\0\0\0", "[1]", "{\"a\":1,\"a\":2}",
      "<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n",
    ])
  func noRecord(_ content: String) throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("add", "login", "title=Gone").code == 0)
    #expect(workspace.open("rm", "Gone", "-y").code == 0)
    #expect(workspace.open("checkpoint").code == 0)
    let name = try #require(FileTree.names(in: workspace.vault + "/trash").first)
    let id = String(name.prefix(36))
    FileTree.write(Array(content.utf8), to: "\(workspace.vault)/trash/\(name)")
    let kept = workspace.open("trash", "empty", "-y")
    #expect(kept.status == .damaged)
    #expect(kept.errors.contains("`vault trash empty \(id) --yes` deletes it"), "\(kept.errors)")
    #expect(FileTree.names(in: workspace.vault + "/trash") == [name])
    #expect(workspace.open("trash", "empty", String(id.prefix(8)), "-y").status == .notFound)
    let deleted = workspace.open("trash", "empty", id, "-y")
    #expect(deleted.code == 0, "\(deleted.errors)")
    #expect(deleted.errors.contains("note: 1 record deleted"), "\(deleted.errors)")
    #expect(FileTree.names(in: workspace.vault + "/trash").isEmpty)
    #expect(workspace.open("verify").code == 0)
  }

  @Test(
    "a link or a folder in place of a removed record stays, and the hint does not promise to delete it",
    arguments: ["ln -s ../vault.json", "mkdir"])
  func noFile(_ command: String) throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("add", "login", "title=Gone").code == 0)
    #expect(workspace.open("rm", "Gone", "-y").code == 0)
    let name = try #require(FileTree.names(in: workspace.vault + "/trash").first)
    workspace.prepare("cd v/trash; rm \(name); \(command) \(name)")
    for words in [[], [String(name.prefix(36))]] {
      let kept = workspace.run(
        ["trash", "empty", "-y"] + words + ["--vault", workspace.vault, "--identity", workspace.identity])
      #expect(kept.status == .damaged)
      #expect(kept.errors.contains("hint: the file was kept; delete trash/\(name) by hand"), "\(kept.errors)")
      #expect(!kept.errors.contains("deletes it anyway"), "\(kept.errors)")
    }
    #expect(FileTree.names(in: workspace.vault + "/trash") == [name])
  }

  @Test("a damaged file is kept and reported, unless it is named by its id and --yes is given")
  func damaged() throws {
    let workspace = try Workspace.withCustomers()
    #expect(workspace.open("rm", "Shai Mishali", "-y").code == 0)
    let name = try #require(FileTree.names(in: workspace.vault + "/trash").first)
    let id = String(name.prefix(36))
    try workspace.damage("trash/" + name, "\"zip\" : \"")
    let kept = workspace.open("trash", "empty", "-y")
    #expect(kept.status == .damaged)
    #expect(kept.errors.contains("vault: trash/\(name) does not authenticate"))
    #expect(workspace.open("trash", "empty", String(id.prefix(8)), "-y").code != 0)
    #expect(FileTree.names(in: workspace.vault + "/trash") == [name])
    #expect(workspace.open("trash", "empty", id, "-y").code == 0)
    #expect(FileTree.names(in: workspace.vault + "/trash").isEmpty)
  }
}

extension Workspace {
  /// Changes the byte behind a text in a file of the vault.
  func damage(_ file: String, _ text: String) throws {
    let path = vault + "/" + file
    var bytes = try #require(FileTree.contents(of: path))
    let needle = Array(text.utf8)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: needle) })
    bytes[start + needle.count] ^= 1
    FileTree.write(bytes, to: path)
  }
}
