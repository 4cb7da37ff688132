import Testing
import VaultRecords

@Suite("One-time codes")
struct OneTimeKeyTests {
  /// RFC 6238, appendix B: seconds, then the codes of SHA-1, SHA-256 and SHA-512.
  private static let table: [(Int64, [String])] = [
    (59, ["94287082", "46119246", "90693936"]), (1_111_111_109, ["07081804", "68084774", "25091201"]),
    (1_111_111_111, ["14050471", "67062674", "99943326"]), (1_234_567_890, ["89005924", "91819424", "93441116"]),
    (2_000_000_000, ["69279037", "90698825", "38618901"]), (20_000_000_000, ["65353130", "77737706", "47863826"]),
  ]

  @Test("the codes of RFC 6238")
  func standardCodes() throws {
    let digits = Array("1234567890".utf8)
    for (index, hash) in [(20, "SHA1"), (32, "SHA256"), (64, "SHA512")].enumerated() {
      let secret = Base32.encode((0..<hash.0).map { digits[$0 % 10] })
      let key = try OneTimeKey(parsing: "otpauth://totp/x?secret=\(secret)&digits=8&algorithm=\(hash.1)")
      #expect(key.bitCount == hash.0 * 8)
      for (seconds, codes) in Self.table { #expect(try key.code(at: seconds) == codes[index]) }
    }
  }

  @Test("how much time is left")
  func remaining() throws {
    let key = try OneTimeKey(parsing: "JBSWY3DPEHPK3PXP")
    #expect([0, 1, 29, 30, 59].map { key.remaining(at: $0) } == [30, 29, 1, 30, 1])
    let slow = try OneTimeKey(parsing: "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&period=3600")
    #expect(slow.remaining(at: 3601) == 3599)
  }

  @Test("five letters for Steam, in each of the three ways it is written")
  func steamCodes() throws {
    for text in [
      "steam://BASE32SECRET3232", "otpauth://totp/Steam:me?secret=BASE32SECRET3232&issuer=Steam",
      "otpauth://totp/me?secret=BASE32SECRET3232&encoder=steam",
    ] {
      let key = try OneTimeKey(parsing: text)
      #expect(
        try [0, 30, 1_795_392_000].map { seconds throws in try key.code(at: seconds) } == ["2TC8B", "YKKK4", "CDYHC"])
      #expect(try OneTimeKey(parsing: key.address(named: "x")).code(at: 0) == key.code(at: 0))
    }
  }

  @Test(
    "keys as services print them are the same key",
    arguments: [
      "JBSWY3DPEHPK3PXP", "jbswy3dpehpk3pxp", " JBSW Y3DP EHPK 3PXP\n", "jbsw-y3dp-ehpk-3pxp", "JBSWY3DPEHPK3PXP======",
      "OTPAUTH://TOTP/a?SECRET=jbswy3dpehpk3pxp", "otpauth://totp/a:b?secret=JBSWY3DP%20EHPK3PXP&algorithm=HmacSHA1",
      "otpauth://totp/?secret=JBSW+Y3DP+EHPK+3PXP&issuer=&unknown=1#fragment",
    ])
  func forms(_ text: String) throws {
    #expect(try OneTimeKey(parsing: text).code(at: 59) == OneTimeKey(parsing: "JBSWY3DPEHPK3PXP").code(at: 59))
  }

  @Test("codes have up to ten digits and are good for up to a day; Steam as issuer does not overrule digits")
  func bounds() throws {
    let key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    let long = try OneTimeKey(parsing: "otpauth://totp/x?secret=\(key)&digits=10&period=86400")
    #expect(try long.code(at: 59) == "1284755224")
    #expect(long.period == 86_400)
    let digits = try OneTimeKey(parsing: "otpauth://totp/x?secret=\(key)&issuer=Steam&digits=6")
    #expect(try digits.code(at: 59) == "287082")
    #expect(digits.address(named: "x") == "otpauth://totp/x?secret=\(key)&issuer=Steam&digits=6")
  }

  @Test(
    "what is no key is refused, and nothing of it is said",
    arguments: [
      "", " ", "=", "1l0O8", "A", "AAA", "AAAAAA", "AA=A", "JBSWY3DPEHPK3PX!",
      "otpauth://hotp/x?secret=JBSWY3DP&counter=1",
      "otpauth://totp/x", "otpauth://totp/x?secret=", "otpauth://totp/x?secret=JBSWY3DP&digits=11",
      "otpauth://totp/x?secret=JBSWY3DP&digits=4", "otpauth://totp/x?secret=JBSWY3DP&period=0",
      "otpauth://totp/x?secret=JBSWY3DP&period=x", "otpauth://totp/x?secret=JBSWY3DP&algorithm=MD5",
      "otpauth://totp/x?secret=JBSWY3DP&secret=JBSWY3DP", "otpauth://totp/x?secret", "otpauth://yubi/x?secret=JBSWY3DP",
      "otpauth-migration://offline?data=AAAA", "steam://", "otpauth://totp/x?secret=%FF",
    ])
  func refused(_ text: String) {
    do {
      _ = try OneTimeKey(parsing: text)
      Issue.record("was taken: \(text)")
    } catch {
      #expect(error.code == .invalidValue)
      #expect(!error.reason.contains("JBSWY3DP"))
      #expect(!error.reason.contains("1l0O8"))
    }
  }

  @Test("an address says all that is not usual, and is read again as the same key")
  func addresses() throws {
    let plain = try OneTimeKey(parsing: "jbswy3dpehpk3pxp")
    #expect(plain.address(named: "Café: 1") == "otpauth://totp/Caf%C3%A9:%201?secret=JBSWY3DPEHPK3PXP")
    let text =
      "otpauth://totp/ACME%20Co:ada%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=ACME%20Co&algorithm=SHA256&digits=8&period=60"
    #expect(try OneTimeKey(parsing: text).address(named: "other") == text)
  }

  @Test("nothing shows the key")
  func secrecy() throws {
    let key = try OneTimeKey(parsing: "JBSWY3DPEHPK3PXP")
    var dumped = ""
    dump(key, to: &dumped)
    #expect("\(key)" == "OneTimeKey")
    #expect(String(reflecting: key) == "OneTimeKey")
    #expect(!dumped.contains("key:"))
  }

  @Test("base32 of RFC 4648, section 10, both ways")
  func base32() {
    for (text, encoded) in [
      ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
      ("foobar", "MZXW6YTBOI"),
    ] {
      #expect(Base32.encode(Array(text.utf8)) == encoded)
      #expect(Base32.decode(encoded) == Array(text.utf8))
    }
  }
}
