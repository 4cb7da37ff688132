import Testing
import VaultCrypto
import VaultTestSupport

/// ML-KEM-768 with X25519. The published vectors of both, as one, are those of age's testkit.
@Suite("Hybrid KEM") struct HybridKEMTests {
  private static let seed = [UInt8](0..<32)

  private func publicKey(_ seed: [UInt8]) throws -> [UInt8] { try unsafe HybridKEM.publicKey(for: seed.span.bytes) }

  private func decapsulate(_ ciphertext: [UInt8], _ seed: [UInt8] = Self.seed) throws -> SecretBytes {
    try unsafe HybridKEM.decapsulate(ciphertext, seed: seed.span.bytes)
  }

  @Test("the owner of the key learns the secret, each time another one, in secure memory") func owner() throws {
    guard Need.postQuantum.isMet(forCases: 1, of: "hybrid KEM") else { return }
    let key = try publicKey(Self.seed)
    #expect(key.count == HybridKEM.publicKeyByteCount && HybridKEM.publicKeyByteCount == 1216)
    #expect(try publicKey(Self.seed) == key)
    let (ciphertext, secret) = try HybridKEM.encapsulate(to: key)
    #expect(ciphertext.count == HybridKEM.ciphertextByteCount && HybridKEM.ciphertextByteCount == 1120)
    #expect(secret.count == 32)
    #expect(try decapsulate(ciphertext) == secret)
    let (other, otherSecret) = try HybridKEM.encapsulate(to: key)
    #expect(other != ciphertext)
    #expect(otherSecret != secret)
  }

  @Test("another key, and one changed bit in either half, give another secret and no error") func others() throws {
    guard Need.postQuantum.isMet(forCases: 5, of: "hybrid KEM") else { return }
    let (ciphertext, secret) = try HybridKEM.encapsulate(to: publicKey(Self.seed))
    #expect(try decapsulate(ciphertext, [UInt8](1...32)) != secret)
    for offset in [0, 1087, 1088, 1119] {
      var changed = ciphertext
      changed[offset] ^= 1
      #expect(try decapsulate(changed) != secret, "\(offset)")
    }
  }

  @Test("keys and ciphertexts of another size are refused") func sizes() throws {
    guard Need.postQuantum.isMet(forCases: 8, of: "hybrid KEM") else { return }
    for count in [0, 31, 33] {
      #expect(throws: CryptoError(.wrongByteCount, "")) { try publicKey([UInt8](repeating: 1, count: count)) }
    }
    for count in [0, 1119, 1121] {
      #expect(throws: CryptoError(.wrongByteCount, "")) { try decapsulate([UInt8](repeating: 1, count: count)) }
    }
    for count in [1215, 1217] {
      let key = [UInt8](repeating: 1, count: count)
      #expect(throws: CryptoError(.wrongByteCount, "")) { try HybridKEM.encapsulate(to: key) }
    }
  }

  @Test("a public key with a coefficient out of range, and a point of low order, are refused") func badKeys() throws {
    guard Need.postQuantum.isMet(forCases: 3, of: "hybrid KEM") else { return }
    let good = try publicKey(Self.seed)
    let tooLarge = [UInt8](repeating: 0xFF, count: 1184) + good.suffix(32)
    #expect(throws: CryptoError(.invalidKey, "")) { try HybridKEM.encapsulate(to: tooLarge) }
    let lowOrder = good.prefix(1184) + [UInt8](repeating: 0, count: 32)
    #expect(throws: CryptoError(.lowOrderPoint, "")) { try HybridKEM.encapsulate(to: [UInt8](lowOrder)) }
    let (ciphertext, _) = try HybridKEM.encapsulate(to: good)
    let share = ciphertext.prefix(1088) + [UInt8](repeating: 0, count: 32)
    #expect(throws: CryptoError(.lowOrderPoint, "")) { try decapsulate([UInt8](share)) }
  }

  @Test("an OpenSSL without ML-KEM fails in order, and leaves nothing in the error queue") func missing() {
    guard !HybridKEM.isAvailable else { return }
    #expect(throws: CryptoError(.libraryFailed, "")) { try publicKey(Self.seed) }
    #expect(!HybridKEM.isAvailable)
    #expect(throws: CryptoError(.wrongByteCount, "")) { try publicKey([]) }
  }
}
