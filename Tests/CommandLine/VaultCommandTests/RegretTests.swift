import Testing
import VaultTestSupport

/// Jobs of a person who reads no page: what was done by mistake is taken back with the line that the program prints.
@Suite("Regrets", .atTerminal)
struct RegretTests {
  private static func workspace() throws -> Workspace {
    let workspace = try Workspace.withVault()
    let added = workspace.open("add", "login", "Mail", "username=u", "--secret-stdin", "password", input: "old")
    try #require(added.code == 0, "\(added.errors)")
    return workspace
  }

  /// The line in the parentheses of a note, as words behind `vault`.
  private static func line(in text: String) throws -> [String] {
    let parts = text.split(separator: "(")
    let line = try #require(parts.count > 1 ? parts[1].split(separator: ")").first : nil)
    return line.split(separator: " ").dropFirst().map(String.init)
  }

  @Test("a password that was replaced by mistake comes back with the line in the note")
  func overwritten() throws {
    let workspace = try Self.workspace()
    let replaced = workspace.open("set", "-g", "Mail")
    let line = try Self.line(in: replaced.errors)
    #expect(workspace.open(line).code == 0)
    #expect(workspace.open("get", "Mail", "password").output == "old")
  }

  @Test("a record that was removed comes back whole, with its former values")
  func removed() throws {
    let workspace = try Self.workspace()
    #expect(workspace.open("set", "-g", "Mail").code == 0)
    #expect(workspace.open("remove", "Mail", "--yes").code == 0)
    #expect(workspace.open("restore", "Mail").code == 0)
    #expect(workspace.open("get", "Mail", "password", "--former").output == "old")
  }

  @Test("a rename keeps the former values")
  func renamed() throws {
    let workspace = try Self.workspace()
    #expect(workspace.open("set", "-g", "Mail").code == 0)
    #expect(workspace.open("set", "Mail", "title=Post").code == 0)
    #expect(workspace.open("get", "Post", "password", "--former").output == "old")
  }

  private static let file = "name,url,username,password\nShop,https://shop.example,s,new\n"

  @Test("a wrong import is taken back: added records are in the trash", arguments: [true, false])
  func imported(_ isOwn: Bool) throws {
    let workspace = try Self.workspace()
    let path = workspace.write(
      isOwn ? #"[{"title": "Shop", "username": "s", "password": "new"}]"# : Self.file, to: isOwn ? "i.json" : "i.csv")
    let words = isOwn ? ["import", "json", path, "--kind", "login"] : ["import", "chrome-csv", path]
    let imported = workspace.type(
      words + ["--vault", "v", "--identity", "id.txt"], [], errorsOnTerminal: true)
    #expect(imported.shown.contains("`vault import --undo` takes this import back"), "\(imported.shown)")
    let tried = workspace.open("import", "--undo", "--dry-run")
    #expect(tried.errors.contains("would take back: "), "\(tried.errors)")
    let undone = workspace.open("import", "--undo", "--yes")
    #expect(undone.code == 0, "\(undone.errors)")
    let names = workspace.open("list").output
    #expect(names.contains("Mail") && !names.contains("Shop"), "\(names)")
    #expect(workspace.open("get", "Mail", "password").output == "old")
    #expect(workspace.open("import", "--undo", "--yes").status == .notFound)
    #expect(workspace.open("verify").code == 0)
  }

  @Test("an update by an import is taken back, also its readable values; a record that changed since stays")
  func updated() throws {
    let workspace = try Workspace.withVault()
    func table(_ value: String) -> String {
      "name,url,username,password,note\nMail,https://mail.example,u,\(value),\(value)\nShop,https://shop.example,s,\(value),"
    }
    #expect(workspace.open("import", "chrome-csv", "-", input: table("old")).code == 0)
    let updated = workspace.open("import", "chrome-csv", "-", "--update", input: table("wrong"))
    #expect(updated.output.contains("2 updated"), "\(updated.errors)\(updated.output)")
    #expect(workspace.open("set", "Shop", "username=t").code == 0)
    let undone = workspace.open("import", "--undo", "--yes")
    #expect(undone.code == 0, "\(undone.errors)")
    #expect(undone.errors.contains("1 record back to the earlier content"), "\(undone.errors)")
    #expect(undone.errors.contains("1 record was changed after the import"), "\(undone.errors)")
    #expect(workspace.open("get", "Mail", "notes").output == "old")
    #expect(workspace.open("get", "Mail", "password").output == "old")
    #expect(workspace.open("get", "Mail", "password", "--former").output == "wrong")
    #expect(workspace.open("get", "Shop", "password").output == "wrong")
    #expect(workspace.open("get", "Shop", "password", "--former").output == "old")
  }

  @Test("--undo takes no file, and says if there is nothing to take back")
  func nothing() throws {
    let workspace = try Self.workspace()
    let none = workspace.open("import", "--undo")
    #expect(none.status == .notFound && none.errors.contains("this machine remembers no import"), "\(none.errors)")
    #expect(workspace.open("import", "--undo", "x.csv").code == 64)
  }
}

extension Workspace {
  fileprivate func open(_ words: [String]) -> ProcessOutcome {
    run(words + ["--vault", vault, "--identity", identity])
  }
}
