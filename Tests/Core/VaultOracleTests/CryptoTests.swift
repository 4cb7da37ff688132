import Crypto
import Testing
import VaultCrypto
import VaultTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// swift-crypto, which carries a cryptographic library of its own, as the independent oracle in both directions.
@Suite("Oracle: swift-crypto") struct OracleTests {
  private static let caseCount = 3000

  /// Random key, nonce, text and associated data of one case.
  private struct Message {
    let key, nonce, text, data: [UInt8]

    init(_ generator: inout SeededGenerator) {
      key = generator.bytes(count: 32)
      nonce = generator.bytes(count: 12)
      text = generator.bytes(count: Int.random(in: 0...200, using: &generator))
      data = generator.bytes(count: Int.random(in: 0...100, using: &generator))
    }
  }

  @Test("AES-256-GCM: each opens what the other sealed, and the boxes are equal") func aesGCM() throws {
    var generator = SeededGenerator.announced(for: "oracle aes-256-gcm, \(Self.caseCount) cases")
    for _ in 0..<Self.caseCount {
      let message = Message(&generator)
      let key = SymmetricKey(data: message.key)
      let theirs = try AES.GCM.seal(
        message.text, using: key, nonce: AES.GCM.Nonce(data: message.nonce), authenticating: message.data)
      let box = [UInt8](try #require(theirs.combined))
      #expect(try gcmSeal(message.text, message.key, nonce: message.nonce, message.data) == box)
      #expect(try gcmOpen(box, message.key, message.data) == message.text)
      let ours = try AES.GCM.SealedBox(combined: gcmSeal(message.text, message.key, message.data))
      #expect(try [UInt8](AES.GCM.open(ours, using: key, authenticating: message.data)) == message.text)
    }
  }

  @Test("ChaCha20-Poly1305: each opens what the other sealed, and the boxes are equal") func chaCha() throws {
    var generator = SeededGenerator.announced(for: "oracle chacha20-poly1305, \(Self.caseCount) cases")
    for _ in 0..<Self.caseCount {
      let message = Message(&generator)
      let key = SymmetricKey(data: message.key)
      let theirs = try ChaChaPoly.seal(
        message.text, using: key, nonce: ChaChaPoly.Nonce(data: message.nonce), authenticating: message.data)
      let box = [UInt8](theirs.ciphertext + theirs.tag)
      let ours = try chaChaSeal(message.text, message.key, nonce: message.nonce, message.data)
      #expect(ours == box)
      #expect(try chaChaOpen(box, message.key, nonce: message.nonce, message.data) == message.text)
      let sealed = try ChaChaPoly.SealedBox(combined: message.nonce + ours)
      #expect(try [UInt8](ChaChaPoly.open(sealed, using: key, authenticating: message.data)) == message.text)
    }
  }

  @Test("both refuse the same damaged boxes") func damaged() throws {
    var generator = SeededGenerator.announced(for: "oracle damaged boxes, \(Self.caseCount) cases")
    for _ in 0..<Self.caseCount {
      let message = Message(&generator)
      var box = try gcmSeal(message.text, message.key, nonce: message.nonce, message.data)
      box[Int.random(in: 0..<box.count, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      let theirs = try AES.GCM.SealedBox(combined: box)
      #expect(throws: CryptoKitError.self) {
        try AES.GCM.open(theirs, using: SymmetricKey(data: message.key), authenticating: message.data)
      }
      #expect(throws: CryptoError(.authenticationFailed, "")) { try gcmOpen(box, message.key, message.data) }
    }
  }

  @Test("HKDF, HMAC and SHA-256 are equal") func derivation() throws {
    var generator = SeededGenerator.announced(for: "oracle hkdf, hmac, sha-256, \(Self.caseCount) cases each")
    for _ in 0..<Self.caseCount {
      // Keys here are of any size, the empty one too, and so run over HMAC's block of 64 bytes.
      let key = generator.bytes(count: Int.random(in: 0...150, using: &generator))
      let message = Message(&generator)
      let byteCount = Int.random(in: 1...300, using: &generator)
      let theirs = HKDF<Crypto.SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: key), salt: message.text, info: message.data, outputByteCount: byteCount)
      let derived = unsafe theirs.withUnsafeBytes { unsafe [UInt8]($0) }
      #expect(try hkdf(key, salt: message.text, info: message.data, byteCount) == derived)
      let mac = [UInt8](HMAC<Crypto.SHA256>.authenticationCode(for: message.text, using: SymmetricKey(data: key)))
      #expect(try hmac(message.text, key) == mac)
      #expect(try isValid(mac, for: message.text, key))
      #expect(try sha256(message.text) == [UInt8](Crypto.SHA256.hash(data: message.text)))
    }
  }

  @Test("X25519: public keys and both sides' secrets are equal") func agreement() throws {
    let count = 1000
    var generator = SeededGenerator.announced(for: "oracle x25519, \(count) cases")
    for _ in 0..<count {
      let (own, other) = (generator.bytes(count: 32), generator.bytes(count: 32))
      let theirs = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: other)
      let publicKey = try x25519PublicKey(own)
      #expect(try x25519PublicKey(other) == [UInt8](theirs.publicKey.rawRepresentation))
      let secret = try theirs.sharedSecretFromKeyAgreement(with: .init(rawRepresentation: publicKey))
      let ours = try x25519(own, [UInt8](theirs.publicKey.rawRepresentation))
      let expected = unsafe secret.withUnsafeBytes { unsafe [UInt8]($0) }
      #expect(ours == expected)
    }
  }
}
