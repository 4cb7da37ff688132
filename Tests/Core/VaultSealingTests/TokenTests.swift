import FoundationEssentials
import Testing
import VaultCrypto
import VaultDocument
import VaultSealing

@Suite("Tokens")
struct TokenTests {
  @Test(
    "the shape of a token is `es`, digits, `:`",
    arguments: [
      ("es1:", true), ("es1:x", true), ("es12:x", true), ("es:x", false), ("es1", false), ("es1x:", false),
      ("Es1:", false), (" es1:", false), ("", false), ("es", false), ("es\u{661}:", false),
    ])
  func shape(text: String, isToken: Bool) {
    #expect(SealedToken.hasTokenShape(text) == isToken)
  }

  @Test("a token that is not canonical is refused, with its kind of fault")
  func malformed() throws {
    let context = try applicationContext()
    let json = try JSONEncoder.sealing(with: context).encode(["x" as EncryptedCodableString])
    let good = try #require(try JSONDecoder().decode([String].self, from: json).first)
    let parts = good.split(separator: ":").map(String.init)
    let cases: [(String, SealingError.Code)] = [
      ("", .clearText), ("x" + good, .clearText), ("es2" + good.dropFirst(3), .unknownTokenVersion),
      (good + "=", .malformedToken), (good + "\n", .malformedToken), (String(good.dropLast()), .malformedToken),
      ("es1:" + parts[1] + ":20261301T000000Z:" + parts[3], .malformedToken),
      ("es1:" + parts[1] + ":20261121T014028:" + parts[3], .malformedToken),
      ("es1:AAAAAAAAAAA:" + parts[2] + ":" + parts[3], .foreignToken),
      ("es1:AAAAAAAAAAB:" + parts[2] + ":" + parts[3], .malformedToken),
      ("es1:" + parts[1] + ":" + parts[2] + ":AAAA", .malformedToken),
      ("es1:" + parts[1] + ":19990101T000000Z:" + parts[3], .authenticationFailed),
      (
        "es1:" + parts[1] + ":" + parts[2] + ":" + Base64.encode([UInt8](repeating: 7, count: 60)),
        .authenticationFailed
      ),
    ]
    for (text, code) in cases {
      #expect {
        try JSONDecoder.opening(with: context).decode([EncryptedCodableString].self, from: JSONEncoder().encode([text]))
      } throws: { $0.sealingError?.code == code }
    }
  }

  @Test("every flipped bit of a token is refused")
  func everyBit() throws {
    let context = try applicationContext()
    let json = try JSONEncoder.sealing(with: context).encode(["x" as EncryptedCodableString])
    let good = try #require(try JSONDecoder().decode([String].self, from: json).first)
    for offset in good.utf8.indices {
      for bit in 0..<7 {
        var bytes = Array(good.utf8)
        bytes[good.utf8.distance(from: good.utf8.startIndex, to: offset)] ^= 1 << bit
        let text = String(decoding: bytes, as: UTF8.self)
        #expect {
          try JSONDecoder.opening(with: context).decode(
            [EncryptedCodableString].self, from: JSONEncoder().encode([text]))
        } throws: { $0.sealingError != nil }
      }
    }
  }
}
