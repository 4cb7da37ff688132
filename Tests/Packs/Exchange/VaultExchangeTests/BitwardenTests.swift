import Testing
import VaultCrypto
import VaultDocument
import VaultExchange
import VaultTestSupport

@Suite("Bitwarden JSON")
struct BitwardenTests {
  private static let protected = "keepassxc/bitwarden_encrypted_export.json"

  static func options(_ password: String) -> ImportOptions {
    var options = ImportOptions()
    options.passphrase = { () throws(ExchangeError) in
      guard let secret = try? SecretBytes(copying: RawSpan(_elements: Array(password.utf8).span)) else {
        throw ExchangeError(.reading, "no memory")
      }
      return secret
    }
    return options
  }

  /// One item named `n` under the password `pw`, sealed by another program: libargon2, openssl and HMAC of Python.
  static let argon2idExport = """
    {"encrypted": true, "passwordProtected": true, "salt": "c2FsdA==", "kdfType": 1, "kdfIterations": 2,
     "kdfMemory": 16, "kdfParallelism": 2, "encKeyValidation_DO_NOT_EDIT": "\
    2.kh8F5fovZaP5urMFvh5jhg==|ZlgXCZ0zEKaBzBGwQ3FUbg==|qgWNILwc7yOLrV49CcfkdIzn1v6pPYlFFoI4fOnokc0=", "data": "\
    2.Kkx1skDcNtGIz7aiDqSC3g==|+r70gEbtHvV5r0SL5zxC8JJ0wUESzcW+ajrqBgSx6vBNodxHUCoR9KAc95G4COyPuL6trraMw\
    rrYFtGxHSV/FnlCOIN9WJbZqKnlnqaXou8=|3uYhXOcm6sUIy8cXJ6O5t93PhI9+y4Ie+VSMSRvAHas="}
    """

  /// The same under PBKDF2, which takes no library that may be missing.
  static let pbkdf2Export = """
    {"encrypted": true, "passwordProtected": true, "salt": "c2FsdA==", "kdfType": 0, "kdfIterations": 1000,
     "encKeyValidation_DO_NOT_EDIT": "\
    2.mZV9EclkYm6diEERoS1uAw==|sansb+JAg3V9N/vyDFWA9Q==|6dNKhlknkMbdMRNr45BZHb3NneZN/VtYW9wJHzrotUA=", "data": "\
    2.z0RQYL5NzXpVwxS5vPtERg==|XbapaLa8kEtvYCr+d18lxq3Dfz3Ci1but+lFElPimOClh316wP5Z5Lm9gmc6qwno2unnlWk7xXhN+jnHXQG5\
    NcsoGt48EV9Uuu74VCGFfzCOJvLR+AzNmhJKjVgw4ETtLdjd7eMh3I+RKIzlqBwtrw==|\
    AsWs1kBkmcMmVZzoiM8vGoqcSNAP59ThGx5mS2P1YOU="}
    """

  @Test("kinds, custom fields, folders and dates go where they are declared to")
  func values() throws {
    let text = """
      {"encrypted": false, "folders": [{"id": "f1", "name": "Work/Mail"}, {"id": "f2", "name": "Nobody"}], "items": [
        {"id": "i1", "folderId": "f1", "type": 1, "name": "mail", "favorite": true, "reprompt": 1,
         "fields": [{"name": "pin", "value": "1234", "type": 0}, {"name": "on", "value": "true", "type": 2}],
         "passwordHistory": [{"password": "old", "lastUsedDate": "2024-01-01T00:00:00.000Z"}],
         "login": {"uris": [{"match": 3, "uri": "https://mail.example"}], "username": "ann", "password": "pw",
           "totp": "otpauth://totp/x?secret=ABC", "fido2Credentials": [{"keyValue": "k"}]},
         "deletedDate": "2024-02-01T00:00:00.000Z"},
        {"id": "i2", "type": 5, "name": "key", "sshKey":
          {"privateKey": "p", "publicKey": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA"}}]}
      """
    let imported = try Imported("bitwarden-json", text)
    // Bitwarden Authenticator writes the same without folders.
    let codes = #"{"encrypted": false, "items": [{"id": "i", "name": "a", "type": 1, "login": {"totp": "ABC"}}]}"#
    let sample = ImportSample(name: "", head: Array(codes.utf8), isWhole: true)
    #expect(try ImportFormats.detecting(sample).format.name == "bitwarden-json")
    let mail = try imported.first("mail")
    #expect(mail.externalID == "bitwarden-json:i1")
    #expect(mail.kind == "login")
    #expect(try mail.text("username") == "ann")
    #expect(try mail.text("password") == "pw")
    #expect(try mail.text("secrets.pin") == "1234")
    #expect(try mail.text("fields.on") == "true")
    #expect(try mail.text("fields[\"login.uris[0].match\"]") == "3")
    #expect(mail.formerTexts == ["password": ["old"]])
    #expect(mail.former.map(\.setAt?.text) == ["2024-01-01T00:00:00Z"])
    #expect(try mail.text("secrets[\"login.fido2Credentials[0].keyValue\"]") == "k")
    #expect(Set(mail.list("tags")) == ["Work/Mail", "favorite", "reprompt", "deleted"])
    #expect(try imported.first("key").kind == "ssh-key")
    #expect(try imported.first("key").text("private_key") == "p")
    #expect(imported.totals.leaves == (try LeafCount.json(Array(text.utf8))))
    #expect(imported.totals.refused == 0)
    #expect(imported.lines.filter { $0.place.path == "folders[1].name" }.map(\.outcome) == [.empty])
  }

  @Test("an address without a scheme and a note have names that do not count entries, and go back to their places")
  func names() throws {
    func text(_ items: String) -> String { #"{"encrypted": false, "folders": [], "items": [\#(items)]}"# }
    let login = #"""
      {"id": "00000000-0000-4000-8000-000000000001", "type": 1, "name": "a", "favorite": "maybe", "login": {"uris": [
        {"uri": "https://a.example"}, {"uri": "b.example"}, {"uri": "c.example"}], "username": "ann", "password": "p"}}
      """#
    let card = #"""
      {"id": "00000000-0000-4000-8000-000000000002", "type": 3, "name": "c", "notes": "n",
        "card": {"cardholderName": "Ann", "number": "4111111111111111", "expMonth": "1", "expYear": "2030"}}
      """#
    let (one, other) = (
      try Imported("bitwarden-json", text("\(login),\(card)")), try Imported("bitwarden-json", text("\(card),\(login)"))
    )
    try one.records.expectEqual(other.records.reversed())
    let record = try one.first("a")
    #expect(try record.text("fields.url") == "b.example")
    #expect(try record.text("fields[\"url 2\"]") == "c.example")
    #expect(try record.text("fields.favorite") == "maybe")
    #expect(try one.first("c").text("extra.notes") == "n")
    let back = try JSONParser.parse(Exported(.bitwarden, one.records.outgoing).bytes)["items"]?.array ?? []
    let uris = (back[0]["login"]?["uris"]?.array ?? []).compactMap { $0["uri"]?.string }
    #expect(uris == ["https://a.example", "b.example", "c.example"])
    #expect(back[1]["notes"] == "n")
    #expect(back[1]["fields"] == nil)
  }

  @Test("what came from places of Bitwarden's own goes back to them: passkeys, old passwords, rules, links and dates")
  func ownPlaces() throws {
    let key = #"""
      {"counter": "0", "creationDate": "2024-01-02T03:04:05.678Z", "credentialId": "c", "discoverable": "true",
        "keyAlgorithm": "ECDSA", "keyCurve": "P-256", "keyType": "public-key", "keyValue": "k", "rpId": "a.example",
        "rpName": null, "userDisplayName": null, "userHandle": "h", "userName": "ann"}
      """#
    let items = #"""
      {"id": "00000000-0000-4000-8000-000000000001", "type": 1, "name": "a", "favorite": false, "reprompt": 0,
        "folderId": null, "notes": null, "creationDate": "2024-01-01T00:00:00Z", "revisionDate": "2024-02-01T00:00:00Z",
        "fields": [{"name": "user", "value": null, "type": 3, "linkedId": 100}],
        "passwordHistory": [{"password": "o1", "lastUsedDate": "2023-01-01T00:00:00Z"},
          {"password": "o2", "lastUsedDate": "2022-01-01T00:00:00Z"}],
        "login": {"uris": [{"match": null, "uri": "https://a.example"}, {"match": 3, "uri": "https://b.example"}],
          "username": "ann", "password": "p", "totp": null, "fido2Credentials": [\#(key)]}},
      {"id": "00000000-0000-4000-8000-000000000002", "type": 3, "name": "c", "favorite": false, "reprompt": 0,
        "folderId": null, "notes": null, "creationDate": "2024-01-01T00:00:00Z", "revisionDate": "2024-02-01T00:00:00Z",
        "passwordHistory": [{"password": "o3", "lastUsedDate": "2023-01-01T00:00:00Z"}],
        "card": {"brand": "Visa", "cardholderName": "Ann", "code": "123", "number": "4111111111111111", "expMonth": "1",
          "expYear": "2030"}}
      """#
    let text = #"{"encrypted": false, "folders": [], "items": [\#(items)]}"#
    let imported = try Imported("bitwarden-json", text)
    let exported = try Exported(.bitwarden, imported.records.outgoing)
    let (want, have) = (try JSONParser.parse(Array(text.utf8)), try JSONParser.parse(exported.bytes))
    for (item, own) in zip(want["items"]?.array ?? [], have["items"]?.array ?? []) {
      for (name, value) in try #require(item.object) where name != "id" { #expect(own[name] == value, "\(name)") }
      #expect(own["fields"] == item["fields"])
    }
    #expect(exported.notes.sentences.isEmpty)
    try imported.records.expectEqual(exported.imported(as: "bitwarden-json").records)
  }

  @Test("an old password keeps its place when one before it is gone, and what has no place any more is said")
  func strayPlaces() throws {
    let record = try ExportedRecord.list(
      "login",
      #"""
      [{"title": "a", "fields": {"passwordHistory[3].lastUsedDate": "2023-01-01T00:00:00.000Z"},
        "secrets": {"passwordHistory[3].password": "o", "login.uris[2].match": "1", "passwordHistory[3].x": "y"}}]
      """#)
    let exported = try Exported(.bitwarden, record)
    let item = try #require(try JSONParser.parse(exported.bytes)["items"]?.array?.first)
    try #require(item["passwordHistory"]?.array?.count == 1)
    #expect(item["passwordHistory"]?.array?[0]["password"] == "o")
    #expect(item["fields"]?.array?.count == 2)
    #expect(exported.notes.sentences.count == 1)
    #expect(exported.notes.isComplete)
  }

  @Test(
    "Argon2id beyond what Bitwarden itself offers is refused before any work",
    arguments: [
      (11, 64, 4), (0, 64, 4), (3, 1025, 4), (3, 64, 17),
    ])
  func costs(_ passes: Int, _ mebibytes: Int, _ lanes: Int) throws {
    let text = Self.argon2idExport.replacing("\"kdfIterations\": 2", with: "\"kdfIterations\": \(passes)")
      .replacing("\"kdfMemory\": 16", with: "\"kdfMemory\": \(mebibytes)")
      .replacing("\"kdfParallelism\": 2", with: "\"kdfParallelism\": \(lanes)")
    let error = #expect(throws: ExchangeError.self) {
      _ = try Imported("bitwarden-protected-json", text, options: Self.options("pw"))
    }
    #expect(error?.code == .unsupported)
    #expect(error?.place?.path == "kdfIterations")
  }

  @Test("what no version of the format has is kept under its path, sealed")
  func unknownMembers() throws {
    let text = #"{"folders": [], "items": [{"id": "1", "name": "x", "type": 1, "new": {"thing": ["a", 7]}}]}"#
    let record = try Imported("bitwarden-json", text).first("x")
    #expect(try record.text("secrets[\"new.thing[0]\"]") == "a")
    #expect(try record.text("secrets[\"new.thing[1]\"]") == "7")
  }

  @Test("a card's month is made of its two parts")
  func card() throws {
    guard SharedData.isPresent(forCases: 1, of: "cards of Bitwarden") else { return }
    let card = try Imported(fixture: "keepassxc/bitwarden_export.json").first("Card Name")
    #expect(card.kind == "payment-card")
    #expect(try card.text("expiry") == "2021-10")
  }

  @Test("an export under a password opens with it, and the password is asked for once")
  func opens() throws {
    guard SharedData.isPresent(forCases: 1, of: "sealed exports") else { return }
    let imported = try Imported(fixture: Self.protected, options: Self.options("a"))
    #expect(imported.records.count > 0)
    #expect(imported.totals.refused == 0)
  }

  @Test("a wrong password, a changed content and nobody to ask are told apart")
  func refusals() throws {
    guard SharedData.isPresent(forCases: 3, of: "damaged sealed exports") else { return }
    #expect(throws: ExchangeError(.wrongPassphrase, "")) {
      _ = try Imported(fixture: Self.protected, options: Self.options("b"))
    }
    #expect(throws: ExchangeError(.passphraseNeeded, "")) { _ = try Imported(fixture: Self.protected) }
    let text = try SharedData.text("\(Fixtures.folder)/\(Self.protected)")
    // A digit in the middle of the ciphertext of the content.
    let changed = text.replacing("TPZUvrTgFhMs", with: "TPZUvrTgFhMt")
    #expect(changed != text)
    #expect(throws: ExchangeError(.notAuthentic, "")) {
      _ = try Imported("bitwarden-protected-json", changed, options: Self.options("a"))
    }
  }

  @Test("PBKDF2 opens one that another program sealed")
  func pbkdf2() throws {
    let imported = try Imported("bitwarden-protected-json", Self.pbkdf2Export, options: Self.options("pw"))
    #expect(try imported.first("n").text("password") == "secret")
  }

  @Test("Argon2id opens too", .enabled(if: Need.argon2.isMet(forCases: 1, of: "Argon2id")))
  func argon2id() throws {
    let text = Self.argon2idExport
    #expect(try Imported("bitwarden-protected-json", text, options: Self.options("pw")).records.count == 1)
    #expect(throws: ExchangeError(.wrongPassphrase, "")) {
      _ = try Imported("bitwarden-protected-json", text, options: Self.options("px"))
    }
  }

  @Test(
    "Argon2id gives the bytes of RFC 9106's reference program",
    .enabled(if: Need.argon2.isMet(forCases: 1, of: "Argon2id")))
  func argon2idVector() throws {
    let pass = Array("password".utf8)
    let salt = Array("somesalt".utf8)
    let key = try Argon2.derive(
      passphrase: RawSpan(_elements: pass.span), salt: RawSpan(_elements: salt.span), passes: 2, kibibytes: 65536,
      lanes: 1)
    #expect(
      key.withBytes { Hex.encode($0) } == "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7")
  }

  @Test("costs beyond what the tool allows are refused before any work is done")
  func costs() throws {
    let tooMuch = [
      #""kdfType": 0, "kdfIterations": 100000000"#, #""kdfType": 1, "kdfIterations": 3, "kdfMemory": 9999"#,
    ]
    for costs in tooMuch {
      let box = "2.AAAAAAAAAAAAAAAAAAAAAA==|AAAAAAAAAAAAAAAAAAAAAA==|AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
      let text = """
        {"encrypted": true, "passwordProtected": true, "salt": "x", \(costs),
         "encKeyValidation_DO_NOT_EDIT": "\(box)", "data": "\(box)"}
        """
      #expect(throws: ExchangeError(.unsupported, "")) {
        _ = try Imported("bitwarden-protected-json", text, options: Self.options("a"))
      }
    }
  }

  @Test("an export under an account's key is refused with the reason")
  func accountKey() throws {
    let text = #"{"encrypted": true, "encKeyValidation_DO_NOT_EDIT": "2.x", "folders": [], "items": []}"#
    #expect(throws: ExchangeError(.unsupported, "")) { _ = try Imported("bitwarden-json", text) }
  }

  @Test(
    "broken files are refused with a place",
    arguments: [
      #"{"folders": [], "items": [{"na"#, #"{"folders": []}"#, "[]", "",
      #"{"items": \#(String(repeating: "[", count: 5000))"#, #"{"items": [], "items": []}"#,
    ])
  func broken(_ text: String) { #expect(throws: ExchangeError.self) { _ = try Imported("bitwarden-json", text) } }

  @Test("UTF-16 and a byte order mark are read")
  func encodings() throws {
    let text = #"{"folders": [], "items": [{"id": "1", "name": "ä"}]}"#
    let wide: [UInt8] = [0xFF, 0xFE] + Array(text.utf16).flatMap { unit in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    let marked: [UInt8] = [0xEF, 0xBB, 0xBF] + Array(text.utf8)
    for bytes in [wide, marked] {
      let source = ImportSource(name: "", bytes: bytes)
      let importer = try ImportFormats.detecting(source.sample())
      #expect(try Imported(importer, source).records.map { try $0.text("title") } == ["ä"])
    }
  }
}
