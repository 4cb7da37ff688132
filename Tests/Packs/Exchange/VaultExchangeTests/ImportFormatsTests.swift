import Testing
import VaultDocument
import VaultExchange

@Suite("The formats that can be imported")
struct ImportFormatsTests {
  @Test("an unknown name is refused")
  func unknownName() {
    #expect(throws: ExchangeError(.unknownFormat, "")) { _ = try ImportFormats.named("no-such-format") }
  }

  @Test("a file that begins like no format is refused")
  func unknownContent() {
    let sample = ImportSample(name: "notes.txt", head: Array("Dear diary".utf8), isWhole: true)
    #expect(throws: ExchangeError(.unknownFormat, "")) { _ = try ImportFormats.detecting(sample) }
  }

  @Test(
    "a file of a tool that is not read says what it is and what to do there",
    arguments: [
      (Array("SQLite format 3\u{0}".utf8), "of a browser", "about:logins"),
      (Array("age-encryption.org/v1\n".utf8), "an age file", "age -d"),
      (Array("-----BEGIN PGP MESSAGE-----\n".utf8), "encrypted with GPG", "gpg -d"),
      (Array("AUTHENTICATORPRO\u{1}".utf8), "Stratum", "without a password"),
      (Array("AuthenticatorPro\u{1}".utf8), "Stratum", "without a password"),
      (Array(#"{"version":1,"kdfParams":{"memLimit":1,"opsLimit":4},"encryptedData":"x"#.utf8), "Ente", "Plain text"),
      (Array(#"{"version":1,"salt":"eA==","content":"eA=="}"#.utf8), "Proton Authenticator", "without a password"),
      (Array("PWS3".utf8), "Password Safe", "Plain text"), ([0x1F, 0x8B, 8], "gzip", "gzip -dc"),
      ([0x50, 0x4B, 3, 4, 0], "a zip file", "unpack it"),
      (Array(#"{"uuid":"1","typeName":"webforms.WebForm"}"#.utf8), "1PIF", "1PUX"),
      (Array(#"{"AUTHENTIFIANT": [{"login": "x"}]}"#.utf8), "Dashlane", "CSV"),
      (Array("keychain: \"/x\"\n".utf8), "keychain", "safari-csv"),
      (Array("<?xml version=\"1.0\"?><revelationdata/>".utf8), "XML", "KeePassXC"),
      (Array(#"{"records": [{"id": "1", "record": {"name": "x"}}]}"#.utf8), "this program", "json"),
    ])
  func otherTools(head: [UInt8], title: String, advice: String) throws {
    let sample = ImportSample(name: "", head: head, isWhole: true)
    let error = try #require(throws: ExchangeError.self) { _ = try ImportFormats.detecting(sample) }
    #expect(error.code == .unsupported)
    #expect(error.description.contains(title))
    #expect("\(error.advice)".contains(advice))
  }

  @Test("a folder of gpg files is that of pass")
  func passStore() throws {
    let sample = ImportSample(name: "", head: [], isWhole: true, paths: ["Mail/me.gpg"])
    let error = try #require(throws: ExchangeError.self) { _ = try ImportFormats.detecting(sample) }
    #expect(error.code == .unsupported)
    #expect(error.advice == [.decrypt("gpg -dq", format: "pass")])
  }

  @Test(
    "a column that a later version adds changes neither the format nor what is known; what is in it is sealed",
    arguments: [
      (
        "bitwarden-csv",
        "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp"
      ),
      ("lastpass-csv", "url,username,password,totp,extra,name,grouping,fav"),
      ("keepassxc-csv", "Group,Title,Username,Password,URL,Notes,TOTP,Icon,Last Modified,Created"),
      ("protonpass-csv", "type,name,url,email,username,password,note,totp,createTime,modifyTime,vault"),
    ])
  func laterColumns(format: String, header: String) throws {
    let count = header.split(separator: ",").count
    let row = (0..<count).map { "v\($0)" }.joined(separator: ",")
    let text = "\(header),from the future\n\(row),new\n"
    let sample = ImportSample(name: "", head: Array(text.utf8), isWhole: true)
    #expect(try ImportFormats.detecting(sample).format.name == format)
    let record = try #require(try Imported(format, text).records.first)
    #expect(try record.text("secrets[\"from the future\"]") == "new")
    let lacking = text.replacing("name,", with: "").replacing("Title,", with: "")
    #expect(throws: ExchangeError(.missingColumn, "")) { _ = try Imported(format, lacking) }
  }

  @Test("Keeper's table is read with a header and without")
  func keeperHeader() throws {
    let row = "Work\\Mail,mail,ann,pw,https://mail.example,note,\n"
    let header = "Folder,Title,Login,Password,Website Address,Notes,Shared Folder,Custom Fields\n"
    for text in [row, header + row] {
      let sample = ImportSample(name: "", head: Array(text.utf8), isWhole: true)
      #expect(try ImportFormats.detecting(sample).format.name == "keeper-csv")
      let imported = try Imported("keeper-csv", text)
      #expect(imported.records.map { $0.members["title"]?.string } == ["mail"])
      #expect(imported.totals.leaves == 7)
    }
  }

  @Test("names are unique, and each says what it keeps")
  func names() {
    let formats = ImportFormats.all.map(\.format)
    #expect(Set(formats.map(\.name)).count == formats.count)
    for format in formats { #expect(!format.keeps.isEmpty && !format.title.isEmpty && !format.versions.isEmpty) }
  }

  @Test("a file of nothing but brackets is of no format, and told so at once", .timeLimit(.minutes(2)))
  func brackets() throws {
    for piece in ["[", "{\"a\":", "[{\"a\":"] {
      let bytes = Array(String(repeating: piece, count: ImportSample.byteCount / piece.utf8.count).utf8)
      // Some names are detected as JSON; reading finds that the file is not.
      let importer = try? ImportFormats.detecting(ImportSource(name: "", bytes: bytes).sample())
      #expect(importer.map { $0.format.isGeneral } ?? true)
      #expect(piece != "[" || importer == nil)
    }
  }
}
