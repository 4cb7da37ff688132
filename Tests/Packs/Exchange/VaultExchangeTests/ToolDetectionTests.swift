import Testing
import VaultDocument
import VaultExchange
import VaultTestSupport

@Suite("Files of tools are told by what is theirs, and every column has its place")
struct ToolDetectionTests {
  private func importer(_ text: String, name: String = "") throws -> any Importer {
    try ImportFormats.detecting(ImportSample(name: name, head: Array(text.utf8), isWhole: true))
  }

  @Test(
    "a table with one new column is still that of its tool",
    arguments: [
      ("name,url,username,password,note,Later", "chrome-csv"), ("name,url,username,password,Later", "chrome-csv"),
      ("Title,URL,Username,Password,Notes,OTPAuth,Group", "safari-csv"),
      ("Title,URL,Username,Password,Notes,OTPAuth,Later", "safari-csv"),
      ("name,url,username,password,notes,Later", "dropbox-csv"),
      ("Group,Title,Username,Password,URL,Notes,TOTP", "keepassxc-csv"),
      ("Group,Title,Username,Password,URL,Notes,Later", "keepassxc-csv"),
      ("Account,Login Name,Password,Web Site,Comments,Later", "keepass-csv"),
      (
        "Password Name,Description,Password URL,SecretData,Notes,CustomData,Tags,Classification,Favorite,TOTP,Folder Name",
        "zoho-password-csv"
      ),
      ("Secret Name,Secret URL,Notes,User Name,Password,One,Two,Three", "zoho-csv"),
      ("title,username,password,url,notes,one,two", "csv"), ("Title,URL,Username,Password,Notes,Type", "csv"),
      ("Group,Title,Username,Password,URL,Notes", "keepassxc-csv"), ("Title,URL,Username,Password,Notes", "safari-csv"),
    ])
  func newColumns(_ header: String, _ format: String) throws {
    let row = header.split(separator: ",").map { _ in "x" }.joined(separator: ",")
    #expect(try importer("\(header)\n\(row)\n").format.name == format)
  }

  @Test("a new column of a tool goes where its name says, else it is sealed")
  func newValues() throws {
    let zoho =
      "Password Name,Password URL,Notes,SecretData,TOTP,Later\nn,https://a.example,,Password:p,JBSWY3DPEHPK3PXP,x\n"
    let record = try Imported("zoho-password-csv", zoho).first("n")
    #expect(try record.text("totp") == "JBSWY3DPEHPK3PXP")
    #expect(try record.text("password") == "p")
    #expect(try record.text("secrets.Later") == "x")
    let safari = "Title,URL,Username,Password,Notes,OTPAuth,Group\nn,https://a.example,u,p,,,Work\n"
    #expect(try Imported("safari-csv", safari).first("n").list("tags") == ["Work"])
  }

  @Test(
    "usual names count by their letters: blanks, case and signs do not matter",
    arguments: [
      ("Secret Name", "title"), ("DisplayName", "title"), ("display_name", "title"), ("TOTP Key", "totp"),
      ("totp-key", "totp"), ("User-Name", "username"), ("userName", "username"), ("Pass Word", "password"),
      ("loginPassword", "password"), ("Comments", "notes"),
    ])
  func usualNames(_ column: String, _ path: String) throws {
    let value = path == "totp" ? "JBSWY3DPEHPK3PXP" : "value of it"
    let table = try Imported(
      "csv", "\(column),url,login\n\(value),https://a.example,\(path == "username" ? "" : "u")\n")
    #expect(try table.records.first?.text(path) == value)
    // Without an address the entry would not count as a login.
    let json = try Imported("plain-json", #"[{"\#(column)": "\#(value)", "url": "https://a.example"}]"#)
    #expect(try json.records.first?.text(path) == value)
  }

  private static let item = """
    {"id": "abc", "title": "Bank", "category": "LOGIN", "version": 2, "vault": {"id": "v", "name": "Private"},
     "tags": ["money"], "created_at": "2024-01-02T03:04:05Z", "updated_at": "2024-01-03T03:04:05Z", "favorite": true,
     "urls": [{"label": "website", "primary": true, "href": "https://bank.example"}],
     "sections": [{"id": "s", "label": "More"}], "fields": [
      {"id": "username", "type": "STRING", "purpose": "USERNAME", "label": "username", "value": "ann"},
      {"id": "password", "type": "CONCEALED", "purpose": "PASSWORD", "label": "password", "value": "007",
       "password_details": {"strength": "WEAK", "history": ["old"]}},
      {"id": "notesPlain", "type": "STRING", "purpose": "NOTES", "label": "notesPlain", "value": "a note"},
      {"id": "o", "section": {"id": "s", "label": "More"}, "type": "OTP", "label": "code",
       "value": "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP", "totp": "123456"},
      {"id": "p", "section": {"id": "s"}, "type": "CONCEALED", "label": "PIN", "value": "0042"}]}
    """

  @Test(
    "what 1Password's command prints of one item or of several is read with all fields", arguments: [item, "[\(item)]"])
  func command(_ text: String) throws {
    #expect(try importer(text).format.name == "1password-cli")
    let imported = try Imported("1password-cli", text)
    let record = try imported.first("Bank")
    #expect(record.externalID == "1password-cli:abc")
    for (path, value) in [
      ("username", "ann"), ("password", "007"), ("notes", "a note"), ("secrets.PIN", "0042"),
      ("totp", "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"), ("fields.created", "2024-01-02T03:04:05Z"),
    ] { #expect(try record.text(path) == value) }
    #expect(record.formerTexts == ["password": ["old"]])
    #expect(record.list("urls") == ["https://bank.example"])
    #expect(record.list("tags") == ["favorite", "money", "Private"])
    #expect(imported.totals.refused == 0)
    #expect(imported.totals.leaves == (try LeafCount.json(Array(text.utf8))))
  }

  @Test("a list of 1Password's command, and an item of 1PUX alone, are told")
  func lists() throws {
    let list = #"[{"id": "a", "title": "t", "version": 1, "vault": {"id": "v", "name": "n"}, "category": "LOGIN"}]"#
    #expect(try importer(list).format.name == "1password-cli")
    let single = """
      {"uuid": "u", "categoryUuid": "001", "overview": {"title": "Single"}, "details": {"loginFields": [
       {"designation": "password", "value": "pw", "fieldType": "P"}]}}
      """
    #expect(try importer(single).format.name == "1password-1pux")
    let imported = try Imported("1password-1pux", single)
    #expect(try imported.first("Single").text("password") == "pw")
    #expect(imported.totals.leaves == (try LeafCount.json(Array(single.utf8))))
  }

  @Test("an account of Steam alone is one, with its name")
  func steam() throws {
    let text = #"{"shared_secret": "AAAA", "identity_secret": "BBBB", "account_name": "ann", "revocation_code": "R1"}"#
    #expect(try importer(text).format.name == "steam")
    #expect(try Imported("steam", text).records.first?.text("username") == "ann")
  }

  @Test(
    "an account of an older Steam is one, by what else it holds",
    arguments: ["\"serial_number\": \"1\"", "\"revocation_code\": \"R1\"", "\"identity_secret\": \"B\""])
  func olderSteam(_ member: String) throws {
    #expect(try importer("{\"shared_secret\": \"AAAA\", \"account_name\": \"ann\", \(member)}").format.name == "steam")
  }

  @Test("sealed JSON of Padlock is known without the size of its key")
  func padlock() {
    let text = #"{"cipher": "aes", "iv": "x", "ct": "x", "salt": "x"}"#
    #expect(throws: ExchangeError(.unsupported, "")) { _ = try importer(text) }
  }

  @Test("sealed JSON of Padlock, and a sealed backup under the name of its format, say what they are")
  func sealed() throws {
    let padlock =
      #"{"cipher": "aes", "mode": "ccm", "iv": "x", "ct": "x", "salt": "x", "iter": 1, "ks": 256, "ts": 64}"#
    #expect(throws: ExchangeError(.unsupported, "")) { _ = try importer(padlock) }
    let stratum = ImportSample(name: "", head: Array("AUTHENTICATORPRO\u{1}".utf8), isWhole: true)
    #expect(throws: ExchangeError(.unsupported, "")) {
      try ImportFormats.check(stratum, for: ImportFormats.named("stratum"))
    }
  }

  @Test("JSON of no known tool is sent to the format that takes any JSON, text is not")
  func advice() throws {
    for (text, advice) in [
      (#"{"db": {"entries": [{"name": "x"}]}}"#, [ExchangeError.Advice.format("plain-json")]), ("Dear diary", []),
    ] {
      let error = try #require(throws: ExchangeError.self) { _ = try importer(text) }
      #expect(error.code == .unknownFormat)
      #expect(error.advice == advice)
    }
  }
}
