import Testing
import VaultCrypto
import VaultTestSupport

@Suite("What only files of other tools are opened with")
struct ForeignCiphersTests {
  @Test("PBKDF2 gives the bytes of RFC 7914, section 11")
  func pbkdf2() throws {
    let pass = Array("passwd".utf8)
    let salt = Array("salt".utf8)
    let key = try PBKDF2.derive(
      .sha256, passphrase: RawSpan(_elements: pass.span), salt: RawSpan(_elements: salt.span), iterations: 1,
      byteCount: 64)
    let want =
      "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
      + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
    #expect(key.exposed == [UInt8](hex: want))
  }

  @Test("PBKDF2 with SHA-1 gives the bytes of RFC 6070, section 2")
  func pbkdf2SHA1() throws {
    let (pass, salt) = (Array("password".utf8), Array("salt".utf8))
    for (iterations, want) in [
      (1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"), (2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
      (4096, "4b007901b765489abead49d926f721d065a429c1"),
    ] {
      let key = try PBKDF2.derive(
        .sha1, passphrase: RawSpan(_elements: pass.span), salt: RawSpan(_elements: salt.span), iterations: iterations,
        byteCount: want.utf8.count / 2)
      #expect(key.exposed == [UInt8](hex: want))
    }
  }

  @Test("PBKDF2 with SHA-512 gives the bytes that other implementations give")
  func pbkdf2SHA512() throws {
    let (pass, salt) = (Array("password".utf8), Array("salt".utf8))
    let key = try PBKDF2.derive(
      .sha512, passphrase: RawSpan(_elements: pass.span), salt: RawSpan(_elements: salt.span), iterations: 1,
      byteCount: 64)
    let want =
      "867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252"
      + "c02d470a285a0501bad999bfe943c08f050235d7d68b1da55e63f73b60a57fce"
    #expect(key.exposed == [UInt8](hex: want))
  }

  @Test("PBKDF2 without iterations does not exist")
  func pbkdf2Costs() {
    let salt = Array("salt".utf8)
    #expect(throws: CryptoError.self) {
      _ = try PBKDF2.derive(
        .sha256, passphrase: RawSpan(_elements: salt.span), salt: RawSpan(_elements: salt.span), iterations: 0)
    }
  }

  @Test("SHA-512 gives the bytes of FIPS 180-4's example")
  func sha512() throws {
    let message = Array("abc".utf8)
    let want =
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
      + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    #expect(try SHA512.hash(RawSpan(_elements: message.span)) == [UInt8](hex: want))
  }

  @Test("a changed byte of ciphertext, nonce or MAC is found before anything is decrypted")
  func cbc() throws {
    // Encrypted by `openssl enc -aes-256-cbc` under a key of 32 bytes 1 and a nonce of 16 bytes 2.
    let key = [UInt8](repeating: 1, count: 32)
    let nonce = [UInt8](repeating: 2, count: 16)
    let ciphertext: [UInt8] = [
      0x3C, 0x55, 0x54, 0xCD, 0x36, 0x8F, 0xD0, 0x54, 0xC1, 0xF8, 0xB3, 0xD6, 0x14, 0xA1, 0x47, 0xCA, 0x6D, 0x33, 0x09,
      0x85, 0x89, 0xE3, 0x43, 0xBA, 0xD0, 0x5C, 0xFF, 0x0C, 0xD5, 0x4D, 0xA6, 0xB3,
    ]
    let signed = nonce + ciphertext
    let mac = try HMACSHA256.authenticate(RawSpan(_elements: signed.span), key: RawSpan(_elements: key.span))
    #expect(try open(ciphertext, nonce, mac, key) == Array("sixteen bytes and more".utf8))
    for index in [0, 15, 31] {
      var changed = ciphertext
      changed[index] ^= 1
      #expect(throws: CryptoError.self) { _ = try open(changed, nonce, mac, key) }
    }
    #expect(throws: CryptoError.self) { _ = try open(ciphertext, Array(repeating: 3, count: 16), mac, key) }
    #expect(throws: CryptoError.self) { _ = try open(ciphertext, nonce, Array(mac.dropLast()), key) }
    #expect(throws: CryptoError.self) { _ = try open(Array(ciphertext.dropLast()), nonce, mac, key) }
  }

  @Test("AES-GCM opens under nonces of other sizes, and finds a changed byte")
  func gcm() throws {
    let key = [UInt8](repeating: 1, count: 32)
    let nonce = [UInt8](repeating: 2, count: 12)
    let text = Array("text".utf8)
    let box = Array(try gcmSeal(text, key, nonce: nonce, [7]).dropFirst(12))
    #expect(try openForeign(box, nonce, key) == text)
    var changed = box
    changed[0] ^= 1
    #expect(throws: CryptoError.self) { _ = try openForeign(changed, nonce, key) }
    for other in [nonce + [0], [], [UInt8](repeating: 2, count: 65)] {
      #expect(throws: CryptoError.self) { _ = try openForeign(box, other, key) }
    }
  }

  private func openForeign(_ box: [UInt8], _ nonce: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
    let associated: [UInt8] = [7]
    return try AESGCM.openForeign(
      RawSpan(_elements: box.span), nonce: RawSpan(_elements: nonce.span), key: RawSpan(_elements: key.span),
      associatedData: RawSpan(_elements: associated.span))
  }

  private func open(
    _ ciphertext: [UInt8], _ nonce: [UInt8], _ mac: [UInt8], _ key: [UInt8]
  ) throws -> [UInt8] {
    try AESCBCHMAC.open(
      RawSpan(_elements: ciphertext.span), nonce: RawSpan(_elements: nonce.span), mac: RawSpan(_elements: mac.span),
      key: RawSpan(_elements: key.span), macKey: RawSpan(_elements: key.span))
  }
}
