import Testing
import VaultDocument
import VaultExchange
import VaultMarkup
import VaultTestSupport

@Suite("Files in which programs look for their credentials")
struct LineFormatTests {
  private func detected(_ name: String, _ text: String) throws -> String {
    try ImportFormats.detecting(ImportSample(name: name, head: Array(text.utf8), isWhole: true)).format.name
  }

  @Test("each is told by its name, and where it can be by what it holds")
  func detection() throws {
    let netrc = "machine a.example login ann password p\n"
    #expect(try detected(".netrc", netrc) == "netrc")
    #expect(try detected("x", netrc) == "netrc")
    #expect(try detected(".pgpass", "h:5432:d:u:p\n") == "pgpass")
    let git = "https://ann:p%40ss@git.example\n"
    #expect(try detected(".git-credentials", git) == "git-credentials")
    #expect(try detected("x", git) == "git-credentials")
    #expect(try detected("credentials", "[default]\naws_access_key_id = A\n") == "aws-credentials")
    #expect(try detected(".npmrc", "//r.example/:_authToken=t\n") == "npmrc")
    #expect(try detected(".pypirc", "[pypi]\nusername = __token__\npassword = p\n") == "pypirc")
  }

  @Test("netrc: machines, quotes, comments, macros; a word that is none spoils its machine alone")
  func netrc() throws {
    let text = """
      # comment
      machine a.example login ann password "two words \\"x\\"" account acc
      machine b.example
        login bob
        password p#1
      macdef init
      cd /tmp
      bye

      default login guest password me
      machine c.example wrong word
      """
    let imported = try Imported("netrc", text)
    #expect(imported.records.map { $0.members["title"]?.string } == ["a.example", "b.example", "default"])
    #expect(imported.records.map { $0.members["password"]?.string } == ["two words \"x\"", "p#1", "me"])
    #expect(try imported.first("a.example").text("secrets.account") == "acc")
    #expect(try imported.first("b.example").text("secrets[\"macdef init\"]") == "cd /tmp\nbye")
    #expect(imported.refused.map(\.place.line) == [11])
  }

  @Test("pgpass: colons and backslashes in a part, stars for anything")
  func pgpass() throws {
    let imported = try Imported(
      "pgpass", "# c\ndb.example:5432:shop:ann:p\\:w\\\\d\n*:*:*:*:q:r\nonly:four:parts:here\n")
    let first = try #require(imported.records.first)
    #expect(first.kind == "database")
    #expect(try first.text("host") == "db.example")
    #expect(try first.text("password") == "p:w\\d")
    #expect(try first.text("title") == "ann@db.example/shop")
    try #require(imported.records.count == 2)
    #expect(try imported.records[1].text("password") == "q:r")
    #expect(imported.refused.map(\.place.line) == [4])
    for record in imported.records { #expect(throws: Never.self) { try record.sealed() } }
  }

  @Test("addresses of git are taken apart; tokens of registries, profiles and servers have their kinds")
  func others() throws {
    let git = try Imported("git-credentials", "https://ann:p%40ss@git.example/a%20b\nnonsense\n")
    #expect(try git.records.first?.text("password") == "p@ss")
    #expect(git.records[0].list("urls") == ["https://git.example/a%20b"])
    #expect(git.refused.count == 1)
    let npm = try Imported(
      "npmrc",
      "registry=https://r.example\n//r.example/npm/:_authToken=\"t0k\"\n//s.example/:username=ann\n//s.example/:_password=cHc=\n"
        + "//v.example/:_authToken=${TOKEN}\n")
    #expect(npm.records.map(\.kind) == ["api-key", "login"])
    #expect(npm.refused.count == 1)
    #expect(npm.totals.leftOut == 1)
    #expect(try npm.records[0].text("secret") == "t0k")
    #expect(try npm.records[1].text("password") == "pw")
    let aws = try Imported(
      "aws-credentials",
      "[default]\naws_access_key_id = AKIA\naws_secret_access_key = s\nregion = x\n[b]\nbroken\naws_access_key_id = B\n"
    )
    try #require(aws.records.count == 1)
    #expect(aws.records[0].kind == "api-key")
    #expect(try aws.records[0].text("key_id") == "AKIA")
    #expect(aws.refused.count == 1)
    let pypi = try Imported(
      "pypirc", "[distutils]\nindex-servers = pypi\n[pypi]\nusername = __token__\npassword = p%\n")
    #expect(try pypi.records.map { try $0.text("password") } == ["p%"])
    #expect(pypi.refused.isEmpty)
    #expect(pypi.totals.leftOut == 1)
  }

  @Test("a folder of keys: pairs are records, whatever else lies there is refused by name")
  func sshKeys() throws {
    let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
    let files = [
      ("id_a", key),
      ("id_a.pub", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAUJYVSPtUIFrdftEVnc235IhLnksO5Uf4ICwFD7v2e+ ann\n"),
      ("config", "Host x\n"), ("old.pub", "ssh-rsa B\n"),
    ]
    let source = ImportSource(
      name: ".ssh",
      files: files.map { path, text in ImportFile(path: path) { () throws(ExchangeError) in Array(text.utf8) } })
    let importer = try ImportFormats.detecting(source.sample())
    #expect(importer.format.name == "ssh-keys")
    let imported = try Imported(importer, source)
    let record = try #require(imported.records.first)
    #expect(record.kind == "ssh-key")
    #expect(
      try record.text("public_key")
        == "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAUJYVSPtUIFrdftEVnc235IhLnksO5Uf4ICwFD7v2e+ ann")
    #expect(try record.text("private_key") == key)
    #expect(imported.refused.map(\.place.path) == ["config", "old.pub"])
  }

  @Test(
    "a folder is one of keys if it has a file of the usual name, or a public key beside its private one",
    arguments: [
      (["id_a"], true), (["work", "work.pub"], true), (["a/work", "a/work.pub"], true), (["old.pub"], false),
      (["work", "old.pub"], false), (["work", "work.txt"], false), (["a/work", "b/work.pub"], false),
    ])
  func sshKeyFolders(_ paths: [String], _ isOfKeys: Bool) {
    let files = paths.map { path in ImportFile(path: path) { () throws(ExchangeError) in Array("x\n".utf8) } }
    let found = try? ImportFormats.detecting(ImportSource(name: "keys", files: files).sample()).format.name
    #expect((found == "ssh-keys") == isOfKeys, "\(found ?? "no format")")
  }

  @Test("a tab stands in netrc as it is, and a note counts the line ends on which readers do not agree")
  func netrcControls() throws {
    let logins = try ExportedRecord.list(
      "login",
      #"[{"title": "a", "password": "x\ty"}, {"title": "b", "password": "x\ny"}, {"title": "c", "password": "\u001by"}]"#
    )
    let netrc = try Exported(.netrc, logins)
    #expect(netrc.text.contains("password \"x\ty\"\n"))
    #expect(netrc.notes.sentences.filter { $0.hasPrefix("1 value contains a line end") }.count == 1)
    #expect(try netrc.imported(as: "netrc").records.map { try $0.text("password") } == ["x\ty", "x\ny", "\u{1B}y"])
    #expect(
      try Imported("netrc", "machine h login u password \u{1}p\u{1B}[0m\n").first("h").text("password")
        == "\u{1}p\u{1B}[0m")
  }

  @Test(
    "signs that YAML begins something with are texts for Ansible only in quotes", arguments: ["!", "&", "*", "=", "<<"])
  func ansibleSigns(_ text: String) {
    #expect(text.mayBeTypedInYAML)
  }

  @Test("what goes out as netrc and pgpass comes back")
  func roundTrips() throws {
    let logins = try ExportedRecord.list(
      "login",
      #"[{"title": "a", "username": "ann", "password": "p \"q\" \\ #", "urls": ["https://a.example/x"]}, {"title": "no host", "password": "p"}]"#
    )
    let netrc = try Exported(.netrc, logins)
    #expect(!netrc.notes.isComplete)
    let back = try netrc.imported(as: "netrc").records
    #expect(back.map { $0.members["password"]?.string } == ["p \"q\" \\ #"])
    #expect(back.first?.members["username"]?.string == "ann")
    let databases = try ExportedRecord.list(
      "database",
      #"[{"engine": "postgresql", "host": "h", "port": 5432, "database": "d:x", "user": "u", "password": "p\\:"}]"#)
    let pgpass = try Exported(.pgpass, databases)
    #expect(pgpass.text == "h:5432:d\\:x:u:p\\\\\\:\n")
    #expect(try pgpass.imported(as: "pgpass").records.first?.text("password") == "p\\:")
  }
}
