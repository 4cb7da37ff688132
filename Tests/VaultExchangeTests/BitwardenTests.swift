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
    let mail = try imported.first("mail")
    #expect(mail.externalID == "bitwarden-json:i1" && mail.kind == "login")
    #expect(try mail.text("username") == "ann" && mail.text("password") == "pw" && mail.text("secrets.pin") == "1234")
    #expect(try mail.text("fields.on") == "true" && mail.text("fields[\"login.uris[0].match\"]") == "3")
    #expect(try mail.text("secrets[\"passwordHistory[0].password\"]") == "old")
    #expect(try mail.text("secrets[\"login.fido2Credentials[0].keyValue\"]") == "k")
    #expect(Set(mail.list("tags")) == ["Work/Mail", "favorite", "reprompt", "deleted"])
    #expect(try imported.first("key").kind == "ssh-key" && imported.first("key").text("private_key") == "p")
    #expect(imported.totals.leaves == (try LeafCount.json(Array(text.utf8))) && imported.totals.refused == 0)
    #expect(imported.lines.filter { $0.place.path == "folders[1].name" }.map(\.outcome) == [.empty])
  }

  @Test("what no version of the format has is kept under its path, sealed")
  func unknownMembers() throws {
    let text = #"{"folders": [], "items": [{"id": "1", "name": "x", "type": 1, "new": {"thing": ["a", 7]}}]}"#
    let record = try Imported("bitwarden-json", text).first("x")
    #expect(try record.text("secrets[\"new.thing[0]\"]") == "a" && record.text("secrets[\"new.thing[1]\"]") == "7")
  }

  @Test("a card's month is made of its two parts")
  func card() throws {
    guard SharedData.isPresent(forCases: 1, of: "cards of Bitwarden") else { return }
    let card = try Imported(fixture: "keepassxc/bitwarden_export.json").first("Card Name")
    #expect(try card.kind == "payment-card" && card.text("expiry") == "2021-10")
  }

  @Test("an export under a password opens with it, and the password is asked for once")
  func opens() throws {
    guard SharedData.isPresent(forCases: 1, of: "sealed exports") else { return }
    let imported = try Imported(fixture: Self.protected, options: Self.options("a"))
    #expect(imported.records.count > 0 && imported.totals.refused == 0)
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

  @Test("Argon2id opens too", .enabled(if: Argon2id.isAvailable))
  func argon2id() throws {
    let text = Self.argon2idExport
    #expect(try Imported("bitwarden-protected-json", text, options: Self.options("pw")).records.count == 1)
    #expect(throws: ExchangeError(.wrongPassphrase, "")) {
      _ = try Imported("bitwarden-protected-json", text, options: Self.options("px"))
    }
  }

  @Test("Argon2id gives the bytes of RFC 9106's reference program", .enabled(if: Argon2id.isAvailable))
  func argon2idVector() throws {
    let pass = Array("password".utf8)
    let salt = Array("somesalt".utf8)
    let key = try Argon2id.derive(
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
