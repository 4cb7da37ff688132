import Testing
import VaultDocument
import VaultExchange

@Suite("What exporters write")
struct ExporterTests {
  private static let login = #"[{"title":"Ada","username":"a","password":"p","tags":["x;y"],"secrets":{"PIN":"1"}}]"#

  @Test("what KeePassXC drops or changes is counted")
  func fragile() throws {
    let texts = ["a\u{85}", "b\r", "c\r\nd", "e\u{A0}", "\u{7F}"]
    let records = texts.enumerated().map { number, text in
      ExportedRecord(number, "login", JSONObject(ascending: [("password", .string(text)), ("title", "t")]))
    }
    let notes = try Exported(.keepassXML, records).notes
    try #require(notes.sentences.count == 1)
    #expect(notes.sentences[0].hasPrefix("3 values contain U+007F"))
    #expect(notes.isComplete)
  }

  @Test(
    "what records become is said of one as of one",
    arguments: [
      (ExportFormat.keepassXML, "an entry, with all members as strings", "entries, with all members as strings"),
      (
        .bitwarden, "a secure note, with all members as custom fields",
        "secure notes, with all members as custom fields"
      ),
    ])
  func becoming(_ format: ExportFormat, _ one: String, _ many: String) throws {
    let records = try ExportedRecord.list("api-key", #"[{"title":"a","secret":"b"},{"title":"c","secret":"d"}]"#)
    let single = try Exported(format, [records[0]]).notes.sentences
    #expect(single == ["1 record of the kind api-key becomes \(one)"])
    #expect(try Exported(format, records).notes.sentences == ["2 records of the kind api-key become \(many)"])
  }

  @Test("a table has a column for every path of any record, and for the kind unless it is said")
  func columns() throws {
    let records = try ExportedRecord.list("login", #"[{"title":"a, \"b\""},{"title":"c","password":"=1"}]"#)
    let exported = try Exported(.csv, records)
    #expect(exported.text == "$vault.kind,password,title\r\nlogin,,\"a, \"\"b\"\"\"\r\nlogin,=1,c\r\n")
    #expect(exported.notes.isComplete)
    #expect(
      exported.notes.sentences == [
        "1 value begins with = + - @, a tab or a line end, which spreadsheets read as formulas: when you open the "
          + "file, import all columns as text"
      ])
    #expect(try Exported(.csv, records, isOfOneKind: true).text.hasPrefix("password,title\r\n"))
  }

  @Test("what a table cannot tell from absent is a loss")
  func emptyCells() throws {
    let exported = try Exported(.csv, ExportedRecord.list("login", #"[{"title":"a","username":""}]"#))
    #expect(!exported.notes.isComplete)
    #expect(
      exported.notes.sentences == [
        "1 empty value in records of the kind login is left out: csv cannot tell empty values from missing ones"
      ])
  }

  @Test("YAML quotes every string, and has escapes for what readers would fold, drop or take for something else")
  func yaml() throws {
    let json =
      #"[{"title":"no: \"x\" #\\\n","fields":{"1e3":"\u2028\u0085\ufeff\u0000\u007f"},"extra":{"n":[1e3,2E-4,-0.5,10,null,true,{},[]]}}]"#
    let exported = try Exported(.yaml, ExportedRecord.list("login", json))
    #expect(
      exported.text == #"""
        - "extra":
            "n":
              - 1.0e+3
              - 2.0e-4
              - -0.5
              - 10
              - null
              - true
              - {}
              - []
          "fields":
            "1e3": "\u2028\x85\ufeff\x00\x7f"
          "title": "no: \"x\" #\\\n"

        """#)
    #expect(try Exported(.yaml, []).text == "[]\n")
  }

  @Test("variables have names of letters, digits and _, each once, and values in single quotes")
  func environment() throws {
    let json =
      #"[{"title":"Ada's","password":"a'b\n"},{"title":"ada s","password":"$x"},{"title":"田中"},{"title":"1st"}]"#
    let exported = try Exported(.env, ExportedRecord.list("login", json))
    #expect(
      exported.text == #"""
        ADA_S_PASSWORD='a'\''b
        '
        ADA_S_TITLE='Ada'\''s'
        ADA_S_PASSWORD_2='$x'
        ADA_S_TITLE_2='ada s'
        _00000000_TITLE='田中'
        _1ST_TITLE='1st'

        """#)
    #expect(exported.notes.sentences == ["2 names were already used, so a number was added to each"])
  }

  @Test(
    "what a format cannot hold at all stops the export, with record, path and no value",
    arguments: [
      (ExportFormat.env, #"[{"title":"a","password":"\u0000"}]"#, "password"),
      (.csv, #"[{"title":"a","password":"\u0000"}]"#, "password"),
      (.keepassXML, #"[{"title":"a","secrets":{"x":"\u0001"}}]"#, "secrets.x"),
      (.sops, #"[{"title":"a","extra":{"n":12345678901234567890123}}]"#, "extra.n"),
    ])
  func refusals(format: ExportFormat, json: String, path: String) throws {
    let error = try #require(throws: ExportError.self) { try Exported(format, ExportedRecord.list("login", json)) }
    #expect(error.path == path)
    #expect(error.record == "00000000-0000-4000-8000-000000000000")
  }

  @Test("1Password's table has no place for other kinds, custom fields and tags with a semicolon, and says so")
  func losses() throws {
    let records =
      try ExportedRecord.list("login", Self.login)
      + ExportedRecord.list("api-key", #"[{"issuer":"i","secret":"s"},{"issuer":"j","secret":"s"}]"#)
    let exported = try Exported(.onePasswordCSV, records)
    #expect(
      exported.text == """
        Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\r
        Ada,,a,p,,false,false,,\r

        """)
    #expect(
      exported.notes.sentences == [
        "1 value of secrets in records of the kind login is left out: 1password-csv has no place for it",
        "1 value of tags in records of the kind login is left out: 1password-csv has no place for it",
        "2 records of the kind api-key are left out: 1password-csv has no place for them",
      ])
  }

  @Test("Bitwarden gets a secure note for a kind that it has not, with sealed members as hidden fields")
  func bitwardenNotes() throws {
    let records = try ExportedRecord.list("api-key", #"[{"title":"t","issuer":"i","secret":"s","tags":["f","g"]}]"#)
    let document = try JSONParser.parse(Exported(.bitwarden, records).bytes)
    let item = try #require(document["items"]?.array?.first)
    #expect(item["type"]?.int == 2)
    let fields = (item["fields"]?.array ?? []).map {
      [$0["name"]?.string, $0["value"]?.string, $0["type"]?.number?.literal]
    }
    #expect(fields == [["tag", "g", "0"], ["issuer", "i", "0"], ["secret", "s", "1"]])
    #expect(document["folders"]?.array?.first?["id"] == item["folderId"])
  }

  @Test(
    "a record that was not surveyed is refused where something of it would be lost",
    arguments: [
      ExportFormat.csv, .bitwarden, .sops,
    ])
  func notSurveyed(format: ExportFormat) throws {
    var exporter = try format.exporter(recipients: [], isOfOneKind: false)
    _ = try exporter.begin()
    let record = try #require(ExportedRecord.list("login", Self.login).first)
    let error = try #require(throws: ExportError.self) { try exporter.bytes(of: record) }
    #expect(error.isChange)
  }
}
