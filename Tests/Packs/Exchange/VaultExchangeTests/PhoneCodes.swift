import Testing
import VaultDocument
import VaultExchange
import VaultTestSupport

/// Backups of apps for one-time codes that are sealed, or that a phone keeps as settings.
enum PhoneCodes {
  /// Two sealed files of one account, under the password `pw`, by Python's hashlib and cryptography: AES-256-GCM with a
  /// nonce of 12 bytes 22, and a key of PBKDF2 with 1000 iterations and a salt of 12 bytes 11, or of SHA-256.
  static let sealed =
    "AAAD6BERERERERERERERESIiIiIiIiIiIiIiIkthPXKCokeqIa87Hh44ZycC/M2eM0T8VBkiPut4vrjfy+AkWG33tzGluUdLiSwK"
    + "6GuuhqzqBhYwDwlQG61RQuKpWvTPiQUTdEbfPyZMLrdFB2dZ9G4Glanx9Q/IGiCg9HL8GqcrVt2WhjpT4vCopINIeRTc2UojmzII"
    + "jh0PVBYaP3uPrZq1UjPQH0xGJvaEPFNgzcVB4ABC3TSAeomxutdAja5/3d3vnBg5SCgKpTubPd7U0HNOPT/HrP513Sz70mmvwb3L"
    + "9i4yYrxhcN9gPX5Pde007g=="
  static let sealedBefore =
    "IiIiIiIiIiIiIiIidjj87ttGXFCHFJIj0U5oUpCoM/rTbInJU4CCZT8+V7GJcTOiFhJn9frsL2gIYV/SI7SVB4oGuD1hizGGZJWb"
    + "1LuJoS4QqmKUXpPlFAXEHPJrHhKqkWttLkPfUjHzLdVsr7dmyJFq/voeHWj+Vwup0hQZeTh5fmbSeowusJ9zoFbMtgWi3OtOrdjZ"
    + "C8ZMOe8/o9sVILt2S8NviiwQAHsEttWU1WuzgKDoVOrVDQDvmrhBNaHZFvw+xSx4ybJc5EJyiDLJCm3pEvCe8wTTOx35+cT8Io1d"

  /// A backup of FreeOTP 2 of one account under the password `pw`, by Python's hashlib and PyCryptodome: three
  /// iterations of PBKDF2 with SHA-512.
  static let freeOTPBackup =
    "rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcAUH2sHDFmDRAwACRgAKbG9hZEZhY3RvckkACXRocmVzaG9sZHhwP0AAAAAAAAx3CAAAABAAAAAD"
    + "dAAJaWQxLXRva2VudABgeyJhbGdvIjoiU0hBMjU2IiwiZGlnaXRzIjo3LCJpc3N1ZXJFeHQiOiJtQXJLZVIiLCJsYWJlbCI6ImFubiDtoL3t"
    + "tJEiLCJwZXJpb2QiOjIwLCJ0eXBlIjoiVE9UUCJ9dAAJbWFzdGVyS2V5dAHoeyJtQWxnb3JpdGhtIjoiUEJLREYyd2l0aEhtYWNTSEE1MTIi"
    + "LCJtRW5jcnlwdGVkS2V5Ijp7Im1DaXBoZXIiOiJBRVMvR0NNL05vUGFkZGluZyIsIm1DaXBoZXJUZXh0IjpbLTU3LDExOCw1MSwtMzgsODgs"
    + "NjYsLTcsLTI2LC01MCwxMiwxMDksLTY2LC0zMCw3Niw5MSwxMjEsLTcwLC0yMiwtMTIsMTE5LDc5LC05NCwtMjEsLTcwLDk2LDQsMTIzLC0z"
    + "MSwtMTAxLC0xMDksLTE0LDEwLDM5LC03LC02NCwtNDksLTU3LC0xMjYsLTExLDEyMyw4OSw5OSwtNTYsMTIzLC0xMDcsMjQsMTI1LC0xMTBd"
    + "LCJtUGFyYW1ldGVycyI6WzQ4LDE3LDQsMTIsMzQsMzQsMzQsMzQsMzQsMzQsMzQsMzQsMzQsMzQsMzQsMzQsMiwxLDE2XSwibVRva2VuIjoi"
    + "QUVTIn0sIm1JdGVyYXRpb25zIjozLCJtU2FsdCI6WzE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3"
    + "LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3LDE3XX10AANpZDF0APV7ImtleSI6IntcIm1DaXBoZXJcIjpcIkFF"
    + "Uy9HQ00vTm9QYWRkaW5nXCIsXCJtQ2lwaGVyVGV4dFwiOlstMTEzLC0xMjQsMTEyLDg1LDExOSw2MiwtNzksNTYsODgsMTMsLTY0LC0yLDQx"
    + "LC03MywtMzgsLTEyMSwtOTYsLTU1LDMwLC0xMjcsMSwtNTksNzQsLTc5LC0zNSwxMTldLFwibVBhcmFtZXRlcnNcIjpbNCwxMiw1MSw1MSw1"
    + "MSw1MSw1MSw1MSw1MSw1MSw1MSw1MSw1MSw1MV0sXCJtVG9rZW5cIjpcIkhtYWNTSEEyNTZcIn0ifXg="

  private static func settings(_ values: String) -> String {
    "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n\(values)\n</map>\n"
  }

  private static func escaped(_ json: String) -> String { json.replacing("\"", with: "&quot;") }

  static func freeOTP(_ json: String) -> String {
    settings(
      """
      <string name="a">\(escaped(json))</string>
      <string name="tokenOrder">[&quot;a&quot;]</string>
      """)
  }

  static func authy(_ json: String) -> String {
    settings(
      """
      <int name="key_version" value="121" />
      <string name="com.authy.storage.tokens.authenticator.key">\(escaped(json))</string>
      """)
  }

  static let freeOTPToken =
    #"{"algo":"SHA1","counter":0,"digits":6,"issuerExt":"\#(Samples.marker)","label":"ann","period":30,"#
    + #""secret":[72,101,108,108,111,33,-34,-83,-66,-17],"type":"TOTP"}"#
  static let authyToken =
    #"{"accountType":"authenticator","decryptedSecret":"JBSWY3DPEHPK3PXP","digits":7,"id":"1","timestamp":1600000000,"#
    + #""name":"\#(Samples.marker): ann","originalIssuer":"\#(Samples.marker)","originalName":"\#(Samples.marker):ann"}"#

  /// The same, sealed with the password `pw` by PBKDF2 and AES-CBC of others.
  static let sealedAuthyToken = authyToken.replacing(
    #""decryptedSecret":"JBSWY3DPEHPK3PXP""#,
    with: #""encryptedSecret":"utFCDtb+3mU2+L/lcp2kWvy8OwhUz38/J8fLNYXgTTE=","salt":"saltsaltsalt""#)

  /// One of each, with one account.
  static let all = [
    Sample(format: "andotp", form: .binary, bytes: bytes(sealed), options: KDBXTests.options("pw")),
    Sample(format: "andotp", form: .binary, bytes: bytes(sealedBefore), options: KDBXTests.options("pw")),
    Sample(format: "freeotp", form: .document, bytes: Array(freeOTP(freeOTPToken).utf8)),
    Sample(format: "authy", form: .document, bytes: Array(authy("[\(authyToken)]").utf8)),
    Sample(format: "freeotp", form: .binary, bytes: bytes(freeOTPBackup), options: KDBXTests.options("pw")),
  ]

  static func bytes(_ base64: String) -> [UInt8] { (try? Base64.decode(base64)) ?? [] }
}

@Suite("Apps for one-time codes: sealed backups of andOTP, and settings of phones")
struct PhoneCodesTests {
  private func read(_ text: String, _ format: String) throws -> Imported { try Imported(format, text) }

  @Test("a sealed backup of andOTP gives what it holds in both of its forms, and is told by its name alone")
  func sealed() throws {
    for text in [PhoneCodes.sealed, PhoneCodes.sealedBefore] {
      let source = ImportSource(name: "otp_accounts_2026-01-02.json.aes", bytes: PhoneCodes.bytes(text))
      let importer = try ImportFormats.detecting(source.sample())
      #expect(importer.format.name == "andotp")
      let imported = try Imported(importer, source, options: KDBXTests.options("pw"))
      let record = try #require(imported.records.first)
      #expect(
        try record.text("totp")
          == "otpauth://totp/mArKeR:mArKeR?secret=JBSWY3DPEHPK3PXP&issuer=mArKeR&algorithm=SHA256&digits=8&period=60")
      #expect(record.list("tags") == ["mArKeR"])
      #expect(imported.totals.leaves == 11)
    }
    #expect(throws: ExchangeError.self) {
      _ = try ImportFormats.detecting(ImportSource(name: "a.aes", bytes: PhoneCodes.bytes(PhoneCodes.sealed)).sample())
    }
  }

  @Test("another password, a changed byte and any number of iterations are refused at once, in one error")
  func refused() throws {
    func code(_ bytes: [UInt8], _ password: String?) -> ExchangeError.Code? {
      do {
        _ = try Imported(
          ImportFormats.named("andotp"), ImportSource(name: "", bytes: bytes), options: KDBXTests.options(password))
        return nil
      } catch { return (error as? ExchangeError)?.code }
    }
    let good = PhoneCodes.bytes(PhoneCodes.sealed)
    #expect(code(good, "pw") == nil)
    #expect(code(good, "no") == .wrongPassphrase)
    #expect(code(good, nil) == .passphraseNeeded)
    #expect(code(PhoneCodes.bytes(PhoneCodes.sealedBefore), "no") == .wrongPassphrase)
    for place in [4, 16, 28, good.count - 1] {
      var changed = good
      changed[place] ^= 1
      #expect(code(changed, "pw") == .wrongPassphrase, "\(place)")
    }
    for count: [UInt8] in [[0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0, 0x0F, 0x42, 0x41]] {
      let clock = ContinuousClock()
      let start = clock.now
      #expect(code(count + good[4...], "pw") == .wrongPassphrase)
      #expect(clock.now - start < .seconds(5), "\(count)")
    }
    for count in [1, 4, 16, 27] { #expect(code(Array(good.prefix(count)), "pw") == .malformed, "\(count)") }
    for text in ["", "[", "[]x", "hello", "[{\"a\":1"] { #expect(code(Array(text.utf8), "pw") == .malformed) }
  }

  @Test("what is no account in a phone's settings is refused by itself, and is in the ledger")
  func settings() throws {
    let token = PhoneCodes.freeOTPToken
    let broken = PhoneCodes.freeOTP(token).replacing(
      "</map>", with: "<string name=\"b\">{&quot;algo&quot;:</string><boolean name=\"c\" value=\"true\" /></map>")
    let imported = try read(broken, "freeotp")
    #expect(imported.records.count == 1)
    #expect(imported.totals.leaves == 20)
    #expect(imported.totals.refused == 1)
    #expect(imported.totals.leftOut == 2)
    let words = try read(PhoneCodes.freeOTP(token.replacing("-34", with: "\"x\"")), "freeotp")
    #expect(try words.records.first?.text("totp") == nil)
    #expect(words.records.count == 1)
    #expect(try words.records.first?.text("secrets.secret") != nil)
  }

  @Test("an account of Authy has the issuer once, and the name that it had before where it was changed")
  func names() throws {
    let renamed = PhoneCodes.authyToken.replacing("\"name\":\"mArKeR: ann\"", with: "\"name\":\"Work: bob\"")
    let record = try #require(try read(PhoneCodes.authy("[\(renamed)]"), "authy").records.first)
    #expect(try record.text("title") == "mArKeR")
    #expect(try record.text("username") == "Work: bob")
    #expect(try record.text("fields[\"original name\"]") == "mArKeR:ann")
    #expect(record.externalID == "authy:1")
    #expect(try record.text("fields.modified") == "2020-09-13T12:26:40Z")
    let plain = try #require(try read(PhoneCodes.authy("[\(PhoneCodes.authyToken)]"), "authy").records.first)
    #expect(try plain.text("totp") == "otpauth://totp/mArKeR:ann?secret=JBSWY3DPEHPK3PXP&issuer=mArKeR&digits=7")
    #expect(try plain.text("fields[\"original name\"]") == nil)
  }

  @Test(
    "settings that are sealed, damaged or of another app are an error",
    arguments: [
      ("freeotp", "<map><string name=\"masterKey\">{}</string></map>", ExchangeError.Code.unsupported),
      ("freeotp", "<map><string>{}</string></map>", .malformed),
      ("freeotp", "<map><string name=\"a\">1</string><string name=\"a\">1</string></map>", .malformed),
      ("freeotp", "<map><string name=\"a\"><string name=\"a\"/></string></map>", .malformed),
      ("freeotp", "<other/>", .malformed), ("freeotp", "<map>", .malformed),
      ("freeotp", "<!DOCTYPE map [<!ENTITY a \"b\">]><map/>", .unsupported),
      ("freeotp", String(repeating: "<map>", count: 200), .tooLarge), ("authy", "[]", .malformed),
      ("authy", "<map/>", .malformed), ("authy", PhoneCodes.authy("{}"), .malformed),
      ("authy", PhoneCodes.authy("[{\"encryptedSecret\":\"x\"}]"), .passphraseNeeded),
    ])
  func damaged(_ format: String, _ text: String, _ code: ExchangeError.Code) {
    #expect(throws: ExchangeError(code, "")) { _ = try read(text, format) }
  }

  @Test("sealed accounts of Authy are opened with the password of its backups, beside those in clear")
  func sealedAuthy() throws {
    let other = PhoneCodes.authyToken.replacing("\"id\":\"1\"", with: "\"id\":\"2\"")
    let text = PhoneCodes.authy("[\(PhoneCodes.sealedAuthyToken),\(other)]")
    let imported = try Imported("authy", text, options: KDBXTests.options("pw"))
    #expect(imported.records.count == 2)
    #expect(imported.refused.isEmpty)
    for record in imported.records {
      let code = "otpauth://totp/mArKeR:ann?secret=JBSWY3DPEHPK3PXP&issuer=mArKeR&digits=7"
      #expect(try record.text("totp") == code)
      #expect(try record.text("username") == "ann")
    }
    for (text, password, code) in [
      (text, "px", ExchangeError.Code.wrongPassphrase), (text, nil, .passphraseNeeded),
      (text.replacing("salt&quot;", with: "salz&quot;"), "pw", .malformed),
    ] {
      #expect(throws: ExchangeError(code, "")) {
        _ = try Imported("authy", text, options: KDBXTests.options(password))
      }
    }
  }

  @Test("a backup of FreeOTP 2 is opened with its password; a wrong one, and damage, are different errors")
  func versionTwo() throws {
    let bytes = PhoneCodes.bytes(PhoneCodes.freeOTPBackup)
    func read(_ bytes: [UInt8], _ password: String?) throws -> Imported {
      let source = ImportSource(name: "externalBackup.xml", bytes: bytes)
      let importer = try ImportFormats.detecting(source.sample())
      #expect(importer.format.name == "freeotp")
      return try Imported(importer, source, options: KDBXTests.options(password))
    }
    let record = try #require(try read(bytes, "pw").records.first)
    #expect(try record.text("title") == "mArKeR")
    #expect(try record.text("username") == "ann \u{1F511}")
    #expect(
      try record.text("totp")?.hasSuffix("?secret=JBSWY3DPEHPK3PXP&issuer=mArKeR&algorithm=SHA256&digits=7&period=20")
        == true)
    // Some phones write no threshold of the map.
    let threshold = try #require(bytes.firstRange(of: [0x49, 0, 9] + Array("threshold".utf8)))
    var shorter = bytes
    shorter.removeSubrange(threshold.upperBound + 6..<threshold.upperBound + 10)
    shorter.removeSubrange(threshold)
    shorter[35] = 1
    #expect(try read(shorter, "pw").records.count == 1)
    #expect(throws: ExchangeError(.wrongPassphrase, "")) { _ = try read(bytes, "px") }
    #expect(throws: ExchangeError(.passphraseNeeded, "")) { _ = try read(bytes, nil) }
    for count in stride(from: 110, to: bytes.count - 1, by: 37) {
      #expect(throws: ExchangeError(.malformed, "")) { _ = try read(Array(bytes[..<count]), "pw") }
    }
  }
}
