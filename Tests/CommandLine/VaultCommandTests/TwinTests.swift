import Testing
import VaultTestSupport

@Suite("Records of one name in different folders")
struct TwinTests {
  /// A store of pass whose files anybody can read.
  private static func withPass() throws -> Workspace {
    let workspace = try Workspace.withVault()
    workspace.prepare(
      """
      for e in \(paths.joined(separator: " ")); do mkdir -p s/$(dirname $e); echo pw-$e >s/$e.gpg; done
      """)
    let imported = workspace.open("import", "pass", "s", "--decrypt", "cat")
    try #require(imported.code == 0, "\(imported.errors)\(imported.output)")
    return workspace
  }

  static let paths = ["prod/db/admin", "stage/db/admin", "prod/web/admin", "mail"]

  @Test("an entry of pass is found by its path", arguments: paths)
  func passPath(_ path: String) throws {
    let workspace = try Self.withPass()
    let value = workspace.open("get", path, "password")
    #expect(value.output == "pw-\(path)", "\(value.errors)")
    let reference =
      workspace.run("ref", path, "password", "--vault", "v").output.split(separator: "\n").first.map(String.init) ?? ""
    let referred = workspace.open("get", reference)
    #expect(referred.output == "pw-\(path)", "\(reference): \(referred.errors)")
    let listed = workspace.open("list", "--json")
    #expect(listed.output.contains("\"\(path)\""))
  }

  @Test("the same store imported again has nothing new")
  func again() throws {
    let workspace = try Self.withPass()
    let again = workspace.open("import", "pass", "s", "--decrypt", "cat")
    #expect(again.code == 0, "\(again.errors)")
    #expect(again.output.hasPrefix("0 stored, 0 updated, 4 already stored"), "\(again.output)")
  }

  @Test("a record that 1.0.0 named by the last word of its path is the same, and gets its path by --update")
  func shortTitles() throws {
    let workspace = try Self.withPass()
    #expect(workspace.open("set", "prod/db/admin", "title=admin").code == 0)
    let again = workspace.open("import", "pass", "s", "--decrypt", "cat")
    #expect(again.code == 0, "\(again.errors)")
    #expect(again.output.hasPrefix("0 stored, 0 updated, 4 already stored"), "\(again.output)")
    let byTag = workspace.open("get", "prod/db/admin", "password")
    #expect(byTag.output == "pw-prod/db/admin", "\(byTag.errors)")
    let updated = workspace.open("import", "pass", "s", "--decrypt", "cat", "--update")
    #expect(updated.output.hasPrefix("0 stored, 1 updated"), "\(updated.output)\(updated.errors)")
  }

  /// Three logins of one name with a folder each as their tag, as other importers make them.
  private static func withTwins(_ count: Int = 0) throws -> Workspace {
    let workspace = try Workspace.withVault()
    for tag in ["Prod", "Stage", "Web/Old"] {
      let added = workspace.open(
        "add", "login", "admin", "username=root", "tags=[\"\(tag)\",\"all\"]", "--secret-stdin", "password",
        input: "pw-\(tag)")
      try #require(added.code == 0, "\(added.errors)")
    }
    return workspace
  }

  @Test("TAG/NAME names a record, in any case", arguments: ["Prod/admin", "stage/ADMIN", "Web/Old/admin"])
  func tagAndName(_ word: String) throws {
    let workspace = try Self.withTwins()
    let value = workspace.open("get", word, "password")
    #expect(value.output.lowercased() == "pw-\(word.lowercased().dropLast(6))", "\(value.errors)")
  }

  @Test("a tag that several have, and one that none has, name no single record")
  func sharedTag() throws {
    let workspace = try Self.withTwins()
    #expect(workspace.open("get", "all/admin", "password").status == .notFound)
    #expect(workspace.open("get", "none/admin", "password").status == .notFound)
  }

  @Test("an error that lists them says which is which")
  func candidates() throws {
    let workspace = try Self.withTwins()
    let run = workspace.open("get", "admin", "password")
    #expect(run.status == .notFound)
    for tag in ["Prod", "Stage", "Web/Old"] { #expect(run.errors.contains("\(tag)/admin  (root)"), "\(run.errors)") }
  }

  @Test("the table of `list` and the chooser say which is which", .atTerminal)
  func tables() throws {
    let workspace = try Self.withTwins()
    let listed = workspace.type(["list", "--vault", "v"], [], outputOnTerminal: true)
    for tag in ["Prod", "Stage", "Web/Old"] { #expect(listed.shown.contains("\(tag)/admin"), "\(listed.shown)") }
  }

  @Test("completion offers names that the program takes")
  func completion() throws {
    let workspace = try Self.withTwins()
    let offered = workspace.run(["complete", "zsh", "get", "pr"], adding: ["CVAULT_DIR": "v"])
    #expect(offered.output == "Prod/admin\n", "\(offered.output)")
  }

  @Test("a removed record is named by its tag, too")
  func trash() throws {
    let workspace = try Self.withTwins()
    #expect(workspace.open("remove", "Prod/admin", "Stage/admin", "--yes").code == 0)
    let back = workspace.open("trash", "restore", "Stage/admin")
    #expect(back.code == 0, "\(back.errors)")
    #expect(workspace.open("get", "Stage/admin", "password").output == "pw-Stage")
  }
}
