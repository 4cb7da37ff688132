import Testing
import VaultDocument
import VaultExchange
import VaultRecords
import VaultTestSupport

@Suite("What no reader of a vault may see")
struct ReadableSecretTests {
  /// Members that are sealed, and those that are not, as text.
  private func parts(_ record: ImportedRecord) throws -> (sealed: String, readable: String) {
    var sealed = JSONObject()
    var readable = record.members
    for name in ["secrets", "extra", "password", "totp", "notes", "text"] {
      sealed[name] = readable[name]
      readable[name] = nil
    }
    let text = { (object: JSONObject) in String(decoding: try JSONValue.object(object).compactBytes(), as: UTF8.self) }
    return (try text(sealed), try text(readable) + (record.externalID ?? ""))
  }

  @Test(
    "what a stranger calls fields, tags or urls is sealed but for harmless names",
    arguments: [
      ("plain-json", #"[{"id":"r1","fields":{"Name":"Bank","hush":"val-1","API key":"val-2"}}]"#),
      ("plain-json", #"{"title":"A","fields":{"Kennwort":"val-1"},"tags":{"x":"val-2"},"urls":{"y":"val-1"}}"#),
      ("plain-jsonl", "{\"title\":\"A\",\"fields\":{\"api_key\":\"val-1\",\"fields\":\"val-2\"}}\r\n"),
      ("csv", "\u{FEFF}title,username,fields.pw,fields.geheim\r\nA,ann,val-1,val-2\r\n"),
    ])
  func strangersFields(format: String, text: String) throws {
    let record = try #require(try Imported(format, text).records.first)
    let (sealed, readable) = try parts(record)
    #expect(sealed.contains("val-1"))
    #expect(sealed.contains("val-2"))
    #expect(!readable.contains("val-"))
  }

  @Test("harmless fields, mapped ones, and those of a file that has nothing but members of its kind stay readable")
  func ownFields() throws {
    let harmless = try Imported("plain-json", #"[{"title":"A","fields":{"created":"2020-01-01"}}]"#).records[0]
    #expect(try harmless.text("fields.created") == "2020-01-01")
    var options = ImportOptions()
    options.mappings = [FieldMapping(field: "fields.a", source: "fields.a")]
    let mapped = try Imported("plain-json", #"[{"title":"A","fields":{"a":"1"}}]"#, options: options).records[0]
    #expect(try mapped.text("fields.a") == "1")
    options.mappings = []
    options.kind = KindCatalog.builtIn["login"]
    let own = try Imported("plain-json", #"[{"title":"A","fields":{"a":"1","pin":"2"}}]"#, options: options).records[0]
    #expect(try own.text("fields.a") == "1")
    #expect(try own.text("secrets.pin") == "2")
    let other = try Imported("plain-json", #"[{"id":1,"title":"A","fields":{"a":"1"}}]"#, options: options).records[0]
    #expect(try other.text("secrets.a") == "1")
  }

  @Test(
    "an address with a secret in it is sealed as a whole, and where it leads stays",
    arguments: [
      ("https://bob:val-1@a.example:8443/x", "https://a.example:8443"),
      ("https://a.example/?token=val-1", "https://a.example"),
      ("//bob:val-1@a.example", nil), ("bob:val-1@a.example", nil), ("https%3A%2F%2Fb%3Aval-1%40a.example", nil),
      ("https://a.example/#access_token=val-1", "https://a.example"),
    ] as [(String, String?)])
  func addresses(address: String, origin: String?) throws {
    let inputs = [
      ("chrome-csv", "name,url,username,password,note\nA,\(address),ann,pw,\n"),
      ("chrome-csv", "name,url,username,password,note\n,\(address),,pw,\n"),
      ("csv", "title;url;x\r\n\(address);\(address);y\r\n"),
      ("plain-json", #"[{"title":"A","url":"\#(address)","username":"\#(address)","email":"\#(address)"}]"#),
      ("bitwarden-json", #"{"folders":[],"items":[{"type":1,"name":"A","login":{"uris":[{"uri":"\#(address)"}]}}]}"#),
      ("dotenv", "URL=\(address)\n"),
    ]
    for (format, text) in inputs {
      let imported = try Imported(format, text)
      let record = try #require(imported.records.first)
      let (sealed, readable) = try parts(record)
      #expect(sealed.contains("val-1"), "\(format): \(readable)")
      #expect(!readable.contains("val-1"), "\(format): \(readable)")
      if format != "dotenv" { #expect(record.list("urls") == [origin].compactMap { $0 }) }
      #expect(!imported.lines.contains { $0.outcome == .stored(at: "urls") })
      #expect(throws: Never.self) { try record.sealed() }
    }
  }

  @Test("the key of one-time codes is one, wherever it stands; a second one is a secret")
  func oneTimeCodes() throws {
    let text = "name,url,username,password,note\nA,otpauth://totp/A?secret=val-1,otpauth://totp/B?secret=val-2,pw,\n"
    let record = try Imported("chrome-csv", text).records[0]
    #expect(try record.text("totp") == "otpauth://totp/A?secret=val-1")
    #expect(try record.text("secrets.username") == "otpauth://totp/B?secret=val-2")
  }

  @Test("a name that is an address with a secret in it is no name")
  func names() throws {
    let record = try Imported("plain-json", #"[{"title":"A","https://b:val-1@h/":"x"}]"#).records[0]
    #expect(!(try JSONValue.object(record.members).compactBytes().contains(Array("val-1".utf8))))
  }
}

@Suite("Tables without a header")
struct HeaderlessTests {
  private func detected(_ text: String) -> String? {
    try? ImportFormats.detecting(ImportSource(name: "", bytes: Array(text.utf8)).sample()).format.name
  }

  @Test(
    "a first row of values is no header, and an error says nothing of them",
    arguments: [
      "login,ann,hunter2\nlogin,bob,hunter3\n", "Website,9182736455,S3cr3t!x,note\nBank,1,2,3\n",
      "\u{FEFF}\"Bank\";\"login\";\"https://a.example\"\r\n\"Shop\";\"x\";\"y\"\r\n",
      "note,group,s3cret,tags\na,b,c,d\n", "Müller,url,user,Geheim99\nMaier,url,user,x\n",
    ])
  func values(_ text: String) {
    #expect(detected(text) != "csv")
    let error = #expect(throws: ExchangeError(.missingColumn, "")) { _ = try Imported("csv", text) }
    #expect(error.map { !"\($0)".contains("hunter") && !"\($0)".contains("9182") } == true)
  }

  @Test(
    "a header is one with columns of one's own, and where a value is called as its column",
    arguments: [
      "name,login,password,Rack no.,2FA secret,address1\nA,b,c,d,e,f\n", "name,user,password\nrouter,admin,password\n",
      "Titel;Login;Kennwort;Link\r\nA;b;c;https://a.example\r\n", "Key,Value,Comments\nA,b,c\n",
      "Entry Name,Service URL,login password,Username,Name\na,b,c,d,e\n",
    ])
  func headers(_ text: String) throws { #expect(try Imported("csv", text).records.count == 1) }

  @Test("a mapping says that there is a header")
  func mapped() throws {
    var options = ImportOptions()
    options.mappings = [FieldMapping(field: "title", source: "s3cret!")]
    #expect(try Imported("csv", "s3cret!,b9999\n1,2\n", options: options).records.count == 1)
  }

  @Test("entries of Enpass are told and taken with and without header and note, and no row is lost")
  func enpass() throws {
    let rows = """
      "Bank","Username","ann","*Password","p1","Website","https://b.example","a note"\r
      "Mail","Username","änn","*Password","p2","Website","https://m.example"\r
      "Card","Cardholder","Ann","Type","Visa","*Number","4111111111111111","CVC","123","*PIN","0042","Expiry date","01/30"\r
      "Memo","only text"\r
      "Title alone"\r\n
      """
    for (header, count) in [("", 0), ("Title,Field,Value,Field,Value,.........,Note\r\n", 1), ("\u{FEFF}", 0)] {
      let text = header + rows
      #expect(detected(text) == "enpass-csv")
      let imported = try Imported("enpass-csv", text)
      #expect(imported.records.count == 5)
      #expect(imported.refused.isEmpty)
      #expect(imported.totals.leaves == LeafCount.csv(Array(text.utf8), headerRowCount: count))
      #expect(try imported.first("Bank").text("notes") == "a note")
      #expect(try imported.first("Mail").text("password") == "p2")
      let card = try imported.first("Card")
      #expect(card.kind == "payment-card")
      #expect(try card.text("pin") == "0042")
      #expect(try card.text("extra.Type") == "Visa")
      #expect(try imported.first("Memo").text("text") == "only text")
    }
  }
}
