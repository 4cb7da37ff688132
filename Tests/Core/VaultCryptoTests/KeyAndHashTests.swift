import Testing
import VaultCrypto
import VaultTestSupport

/// The rules of the other primitives.
@Suite("Hashes, MACs, keys") struct KeyAndHashTests {
  @Test("pieces of any size give the hash of the whole") func incrementalHash() throws {
    var generator = SeededGenerator.announced(for: "sha-256 in pieces")
    for _ in 0..<200 {
      let message = generator.bytes(count: Int.random(in: 0...300, using: &generator))
      var hasher = try SHA256.Hasher()
      var rest = message[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(Int.random(in: 0...70, using: &generator)))
        try unsafe hasher.update(piece.span.bytes)
        rest = rest.dropFirst(piece.count)
      }
      #expect(try hasher.finish() == sha256(message))
    }
  }

  @Test("only the whole MAC of this message under this key is valid") func macRules() throws {
    let (key, message) = (Array("key".utf8), Array("message".utf8))
    let mac = try hmac(message, key)
    #expect(try isValid(mac, for: message, key))
    #expect(try !isValid(Array(mac.prefix(31)), for: message, key))
    #expect(try !isValid(mac + [0], for: message, key))
    #expect(try !isValid([], for: message, key))
    #expect(try !isValid(mac, for: message + [0], key))
    #expect(try !isValid(mac, for: message, Array("kez".utf8)))
  }

  @Test("an empty key and an empty message have a MAC") func emptyMAC() throws {
    let expected = [UInt8](hex: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    #expect(try hmac([], []) == expected)
  }

  @Test("HKDF gives 1 to 8160 bytes and nothing else", arguments: [-1, 0, 8161, Int.max])
  func hkdfSizes(count: Int) throws {
    #expect(throws: CryptoError(.wrongByteCount, "")) { try hkdf([1], salt: [], info: [], count) }
    #expect(try hkdf([1], salt: [], info: [], 1).count == 1)
    #expect(try hkdf([1], salt: [], info: [], 8160).count == 8160)
  }

  @Test("HKDF takes an empty key; an empty salt is 32 zero bytes (RFC 5869, 2.2)") func hkdfEmpty() throws {
    let derived = try hkdf([], salt: [], info: [], 42)
    #expect(try derived == hkdf([], salt: [UInt8](repeating: 0, count: 32), info: [], 42))
    #expect(try derived != hkdf([0], salt: [1], info: [], 42))
  }

  @Test("an X25519 key of another size than 32 is refused", arguments: [0, 31, 33]) func x25519Sizes(count: Int) {
    let (key, bad) = ([UInt8](repeating: 9, count: 32), [UInt8](repeating: 9, count: count))
    #expect(throws: CryptoError(.wrongByteCount, "")) { try x25519(bad, key) }
    #expect(throws: CryptoError(.wrongByteCount, "")) { try x25519(key, bad) }
    #expect(throws: CryptoError(.wrongByteCount, "")) { try x25519PublicKey(bad) }
  }

  @Test("a public key of low order is refused", arguments: [0, 1] as [UInt8]) func lowOrder(first: UInt8) {
    let point = [first] + [UInt8](repeating: 0, count: 31)
    #expect(throws: CryptoError(.lowOrderPoint, "")) { try x25519([UInt8](repeating: 5, count: 32), point) }
  }

  @Test("comparison is exact and takes empty and unequal lengths") func comparison() {
    #expect(equal([], []))
    #expect(equal([1, 2], [1, 2]))
    #expect(!equal([1, 2], [1, 3]))
    #expect(!equal([1, 2], [1]))
    #expect(!equal([], [0]))
  }

  @Test("random bytes have the size asked for and differ") func random() throws {
    #expect(try SecureRandom.bytes(count: 0).isEmpty)
    #expect(try SecureRandom.bytes(count: 100_000).count == 100_000)
    #expect(try SecureRandom.bytes(count: 32) != SecureRandom.bytes(count: 32))
    #expect(throws: CryptoError(.wrongByteCount, "")) { try SecureRandom.bytes(count: -1) }
    let (first, second) = (try SecretBytes.random(count: 32), try SecretBytes.random(count: 32))
    let areEqual = first == second
    #expect(!areEqual)
  }

  private func equal(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    unsafe constantTimeEqual(first.span.bytes, second.span.bytes)
  }
}
