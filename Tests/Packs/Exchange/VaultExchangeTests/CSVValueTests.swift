import Testing
import VaultDocument
import VaultExchange
import VaultRecords
import VaultTestSupport

@Suite("Where the values of tables go", .enabled(if: SharedData.isPresent(forCases: 1, of: "values of tables")))
struct CSVValueTests {
  @Test("a card is a payment card with its month in one form")
  func cards() throws {
    let nord = try Imported(fixture: "bitwarden-jslib/nordpass-card.csv").first("SomeVisa")
    #expect(nord.kind == "payment-card")
    #expect(try nord.text("holder") == "SomeHolder")
    #expect(try nord.text("number") == "4024007103939509")
    #expect(try nord.text("expiry") == "01/22")
    #expect(try nord.text("security_code") == "123")
    #expect(try nord.text("extra.zip_code") == "12345")
    let dashlane = try Imported(fixture: "bitwarden-jslib/dashlane-payments.csv").records
    #expect(dashlane.map(\.kind) == ["custom", "payment-card"])
    #expect(try dashlane[1].text("expiry") == "2023-01")
    #expect(try dashlane[1].text("holder") == "John Doe")
    #expect(try dashlane[0].text("secrets.account_number") == "accountNumber")
    let mac = try Imported(fixture: "bitwarden-jslib/1password-creditCard.mac.csv").first("test card")
    #expect(try mac.text("expiry") == "2030-01")
    #expect(try mac.text("number") == "4111111111111111")
  }

  @Test("typed notes of LastPass are taken apart, and a card without its number stays a custom record")
  func lastpass() throws {
    let records = try Imported(fixture: "proton-webclients/lastpass.csv")
    let card = try records.first("Credit Card Item with note")
    #expect(card.kind == "payment-card")
    #expect(try card.text("expiry") == "2025-01")
    #expect(try card.text("extra.notes") == "this is a note for the credit card")
    let key = try records.first("ssh")
    #expect(key.kind == "custom")
    #expect(try key.text("secrets[\"Private Key\"]") == "ab")
    #expect(try key.text("fields[\"Public Key\"]") == "cd")
    let custom = try records.first("new custom item")
    #expect(try custom.text("secrets.my password") == "password123")
    #expect(try custom.text("secrets.notes")?.hasSuffix("line2") == true)
    #expect(try records.first("wifi").text("secrets.Password") == "password123")
    #expect(try records.first("Secure note").text("text") == "This is a secure note")
  }

  @Test("a key in armor is one value, and makes an SSH key where its public half is one")
  func sshKey() throws {
    let key = "-----BEGIN X-----\nProc-Type: 4\nab\n-----END X-----"
    let note =
      "NoteType:SSH Key\nBit Strength:256\nPrivate Key:\(key)\nPublic Key:ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA\n"
    let table = "url,username,password,extra,name,grouping,fav\nhttp://sn,,,\"\(note)\",key,,0\n"
    let record = try Imported("lastpass-csv", table).records[0]
    #expect(record.kind == "ssh-key")
    #expect(try record.text("private_key") == key)
    #expect(try record.text("extra[\"Bit Strength\"]") == "256")
  }

  @Test("details in the notes of Proton Pass become members, fields and secrets")
  func proton() throws {
    let records = try Imported(fixture: "proton-webclients/protonpass.csv")
    let login = try records.first("login title")
    #expect(login.list("urls") == ["https://example.com/", "https://proton.me/"])
    #expect(try login.text("fields.created") == "2024-02-12T10:55:20Z")
    let card = try records.first("credit card title")
    #expect(try card.text("pin") == "1234")
    #expect(try card.text("expiry") == "2024-02")
    let person = try records.first(":identity-title:")
    #expect(person.kind == "custom")
    #expect(try person.text("fields.fullName") == ":full-name:")
    #expect(person.list("tags") == ["Personal"])
    #expect(try person.text("secrets.birthdate") == ":birthdate:")
    #expect(try records.first("alias title").list("tags").contains("alias"))
  }

  @Test("custom fields of Keeper are secrets, and its one-time codes and further addresses are such")
  func keeper() throws {
    let records = try Imported(fixture: "proton-webclients/keeper.csv")
    #expect(try records.first("login with 2fa").text("totp")?.hasPrefix("otpauth://") == true)
    #expect(
      try records.first("login with multiple urls").list("urls") == [
        "https://example.com", "https://second.example.com",
      ])
    #expect(try records.first("login of subfolder1").list("tags") == ["folder1/subfolder1"])
    #expect(
      try records.first("login with custom fields").text("secrets.Hidden Field") == "this is custom field: hidden")
    #expect(try records.first("login with comma, quotes \"").text("password") == "password with comma, quotes \"")
  }

  @Test("several addresses in one cell are several, and folders keep their levels")
  func bitwarden() throws {
    let records = try Imported(fixture: "aliasvault/bitwarden.csv")
    #expect(
      try records.first("TutaNota3").list("urls") == [
        "https://www.aliasvault.com", "https://app.aliasvault.com", "https://downloads.aliasvault.com",
      ])
    #expect(try records.first("SavingsAccount").list("tags") == ["Personal/Finance/Banking/Savings"])
    let aib = try Imported(fixture: "pass-import/bitwarden.csv").first("aib")
    #expect(try aib.text("secrets.pin") == "462916")
    #expect(try aib.text("secrets.oldpin") == "489019")
  }

  @Test("an address without a scheme is kept as a field")
  func address() throws {
    let record = try Imported(fixture: "bitwarden-jslib/myki-UserAccount.csv").records[0]
    #expect(record.list("urls").isEmpty)
    #expect(try record.text("fields.url") == "www.google.com")
  }

  @Test("quotes that KeePass escapes with backslashes are read as it meant them")
  func keepass() throws {
    let record = try Imported(fixture: "aliasvault/keepass_special_chars.csv").records[2]
    #expect(try record.text("title") == "Entry with \"notes\" special chars")
    #expect(try record.text("notes")?.hasPrefix("Note \"with quotes\"'as'd") == true)
    #expect(try record.text("notes")?.contains("\":ÄS\"d'") == true)
  }

  @Test("what all fields of 1Password hold is a member, a tag or a secret")
  func onePassword() throws {
    let records = try Imported(fixture: "bitwarden-jslib/1password-multipleItems.mac.csv")
    let person = try records.first("Identity Item")
    #expect(person.kind == "custom")
    #expect(person.list("tags") == ["Starter Kit", "Identity"])
    #expect(try person.text("secrets[\"first name(firstname)\"]") == "first name")
    let account = try records.first("1Password Account")
    #expect(account.kind == "login")
    #expect(try account.text("password") == "the account's password")
    #expect(try account.text("fields.created") == "2020-12-02T15:42:34Z")
  }

  @Test("hidden form fields of RoboForm are secrets, and those that repeat the login are not kept twice")
  func roboform() throws {
    let table = "Name,Url,Login,Pwd,Note,Folder,Rf_fields\nx,,ann,pw,,/A/B,User ID$:txt:ann,PIN$:pwd:1:2,Shop$:txt:7\n"
    let record = try Imported("roboform-csv", table).records[0]
    #expect(try record.text("secrets.PIN") == "1:2")
    #expect(try record.text("fields.Shop") == "7")
    #expect(record.list("tags") == ["A/B"])
    #expect(try record.text("fields[\"User ID\"]") == nil)
  }
}

@Suite("Tables that no tool is known by")
struct PlainTableTests {
  @Test("usual names, member paths and other columns have their places, whatever separates the cells")
  func usualNames() throws {
    for separator in [",", ";", "\t"] {
      let header = ["Name", "E-Mail", "Login", "Password", "fields.shop", "PIN", "Tags"]
      let row = ["x", "a@b.example", "ann", "pw", "7", "1234", "one"]
      let text = [header, row].map { $0.joined(separator: separator) }.joined(separator: "\n")
      let record = try Imported("csv", text).records[0]
      #expect(try record.text("title") == "x")
      #expect(try record.text("username") == "ann")
      #expect(try record.text("fields.email") == "a@b.example")
      #expect(try record.text("secrets.shop") == "7")
      #expect(try record.text("secrets.PIN") == "1234")
      #expect(record.list("tags") == ["one"])
    }
  }

  @Test("mapped columns go where they are sent, as what the member is")
  func mapping() throws {
    var options = ImportOptions()
    options.kind = KindCatalog.builtIn["database"]
    options.mappings = try ["host=Server", "port=Port", "engine=Kind", "password=Key=Word"].map {
      try FieldMapping(parsing: $0)
    }
    let record = try Imported("csv", "Server,Port,Kind,Key=Word,Rest\ndb.example,5432,postgres,pw,x", options: options)
      .records[0]
    #expect(record.kind == "database")
    #expect(record.members["port"] == 5432)
    #expect(try record.text("host") == "db.example")
    #expect(try record.text("extra.Rest") == "x")
    #expect(throws: Never.self) { try record.sealed() }
  }

  @Test("a value that its kind refuses is not moved elsewhere but refused by the kind")
  func strict() throws {
    var options = ImportOptions()
    options.kind = KindCatalog.builtIn["database"]
    let record = try Imported("csv", "host,engine,port\ndb.example,postgres,many", options: options).records[0]
    #expect(throws: RecordError(.wrongType, "")) { try record.sealed() }
  }

  @Test("a mapping to an unknown member, from an unknown column, or of either twice is refused")
  func badMapping() throws {
    for (mappings, code) in [
      (["nonsense=a"], ExchangeError.Code.invalidMapping), (["title=missing"], .missingColumn),
      (["title=a", "username=a"], .invalidMapping), (["title=a", "title=b"], .invalidMapping),
    ] {
      var options = ImportOptions()
      options.mappings = try mappings.map { try FieldMapping(parsing: $0) }
      #expect(throws: ExchangeError(code, "")) { _ = try Imported("csv", "a,b\n1,2", options: options) }
    }
    #expect(throws: ExchangeError(.invalidMapping, "")) { _ = try FieldMapping(parsing: "title") }
  }

  @Test("a colon before a combining mark ends a name in a typed note of LastPass, as any other does")
  func lastpassMarks() throws {
    let note = "\"NoteType:Server\nHostname:h\nPassword:\u{301}s\r\nUsername:u\""
    let table = "url,username,password,totp,extra,name,grouping,fav\nhttp://sn,,,,\(note),n,,0\n"
    let record = try Imported("lastpass-csv", table).records[0]
    #expect(try record.text("fields.Hostname") == "h")
    #expect(try record.text("secrets.Password") == "\u{301}s")
    #expect(try record.text("secrets.Username") == "u")
  }

  @Test("lists of addresses and of custom fields of NordPass are taken apart, whatever else stands there is kept")
  func nordpassLists() throws {
    let header =
      "name,url,additional_urls,username,password,note,cardholdername,cardnumber,cvc,pin,expirydate,zipcode,folder,full_name,"
      + "phone_number,email,address1,address2,city,country,state,type,custom_fields\n"
    func record(_ urls: String, _ fields: String) throws -> ImportedRecord {
      func cell(_ text: String) -> String { "\"\(text.replacing("\"", with: "\"\""))\"" }
      let row = "A,https://a.example,\(cell(urls)),u,p,,,,,,,,,,,,,,,,,password,\(cell(fields))\n"
      let imported = try Imported("nordpass-csv", header + row)
      #expect(imported.totals.leaves == 23)
      return try #require(imported.records.first)
    }
    let fields =
      #"[{"label":"PIN","type":"hidden","value":"12"},{"label":"PIN","type":"text","value":"34"},{"type":"x","value":5}]"#
    let one = try record(#"["https://b.example/?a=1,2","c.example"]"#, fields)
    #expect(one.list("urls") == ["https://a.example", "https://b.example/?a=1,2"])
    #expect(try one.text("fields.url") == "c.example")
    #expect(try one.text("secrets.PIN") == "12")
    #expect(try one.text("secrets[\"PIN 2\"]") == "34")
    #expect(try one.text("secrets.field") == "5")
    let old = try record("https://b.example,https://c.example", "[1, 2]")
    #expect(old.list("urls").count == 3)
    #expect(try old.text("secrets.custom_fields") == "[1, 2]")
    let odd = try record("[7]", #"{"a": 1}"#)
    #expect(try odd.text("secrets.additional_urls") == "[7]")
    #expect(try odd.text("secrets.custom_fields") == #"{"a": 1}"#)
    #expect(try record("[]", "[]").members["secrets"] == nil)
  }
}
