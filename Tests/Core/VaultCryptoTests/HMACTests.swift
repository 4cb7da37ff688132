import Testing
import VaultCrypto

@Suite("HMAC")
struct HMACTests {
  @Test("the second case of RFC 2202 and RFC 4231")
  func vectors() throws {
    let key = Array("Jefe".utf8)
    let message = Array("what do ya want for nothing?".utf8)
    let expected: [HMAC.Hash: String] = [
      .sha1: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
      .sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      .sha512: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd"
        + "caeab1a34d4a6b4b636e070a38bce737",
    ]
    for hash in HMAC.Hash.allCases {
      let mac = try unsafe HMAC.authenticate(message.span.bytes, key: key.span.bytes, with: hash)
      #expect(mac.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == expected[hash])
    }
  }
}
