import Testing
import VaultCrypto
import VaultTestSupport

/// Wycheproof (C2SP): inputs chosen to break implementations. The counts are those of the halves in `shared`.
@Suite("Wycheproof") struct WycheproofTests {
  @Test("AES-256-GCM gives the stated box and refuses every bad one") func aesGCM() throws {
    guard SharedData.isPresent(forCases: 158, of: "wycheproof aes_gcm") else { return }
    let file = try WycheproofFile.load("aes_gcm_test")
    var tally = CaseTally("wycheproof aes_gcm")
    for group in file.testGroups {
      for test in group.tests {
        let (key, nonce) = (try #require(test.key).bytes, try #require(test.iv).bytes)
        if group.keySize == 256, group.ivSize == 96, group.tagSize == 128 {
          try check(test) { text, data throws(CryptoError) in
            Array(try gcmSeal(text, key, nonce: nonce, data).dropFirst(nonce.count))
          } open: { box, data throws(CryptoError) in
            try gcmOpen(nonce + box, key, data)
          }
          tally.ran()
        } else {
          #expect(throws: CryptoError(.wrongByteCount, ""), test.comment) { try gcmSeal([], key, nonce: nonce) }
          tally.notApplicable("other key or nonce sizes, each refused by its size")
        }
      }
    }
    tally.report()
    #expect(tally.totalCount == file.numberOfTests)
  }

  @Test("ChaCha20-Poly1305 gives the stated box and refuses every bad one") func chaCha20Poly1305() throws {
    guard SharedData.isPresent(forCases: 163, of: "wycheproof chacha20_poly1305") else { return }
    let file = try WycheproofFile.load("chacha20_poly1305_test")
    var tally = CaseTally("wycheproof chacha20_poly1305")
    for test in file.testGroups.flatMap(\.tests) {
      let (key, nonce) = (try #require(test.key).bytes, try #require(test.iv).bytes)
      // Nonces of other sizes are among the invalid cases: sealing must refuse them too.
      if nonce.count != ChaCha20Poly1305.nonceByteCount {
        #expect(throws: CryptoError(.wrongByteCount, ""), test.comment) { try chaChaSeal([], key, nonce: nonce) }
      }
      try check(test) { text, data throws(CryptoError) in
        try chaChaSeal(text, key, nonce: nonce, data)
      } open: { box, data throws(CryptoError) in
        try chaChaOpen(box, key, nonce: nonce, data)
      }
      tally.ran()
    }
    tally.report()
    #expect(tally.totalCount == file.numberOfTests)
  }

  @Test("HKDF-SHA-256 gives the stated bytes and refuses sizes it cannot give") func hkdfSHA256() throws {
    guard SharedData.isPresent(forCases: 43, of: "wycheproof hkdf_sha256") else { return }
    let file = try WycheproofFile.load("hkdf_sha256_test")
    var tally = CaseTally("wycheproof hkdf_sha256")
    for test in file.testGroups.flatMap(\.tests) {
      let (key, salt) = (try #require(test.ikm).bytes, try #require(test.salt).bytes)
      let (info, size) = (try #require(test.info).bytes, try #require(test.size))
      if test.isValid {
        #expect(try hkdf(key, salt: salt, info: info, size) == test.okm?.bytes, test.comment)
      } else {
        #expect(throws: CryptoError(.wrongByteCount, ""), test.comment) { try hkdf(key, salt: salt, info: info, size) }
      }
      tally.ran()
    }
    tally.report()
    #expect(tally.totalCount == file.numberOfTests)
  }

  @Test("HMAC-SHA-256 accepts the whole right MAC alone") func hmacSHA256() throws {
    guard SharedData.isPresent(forCases: 87, of: "wycheproof hmac_sha256") else { return }
    let file = try WycheproofFile.load("hmac_sha256_test")
    var tally = CaseTally("wycheproof hmac_sha256")
    for group in file.testGroups {
      for test in group.tests {
        let (key, message) = (try #require(test.key).bytes, try #require(test.msg).bytes)
        let tag = try #require(test.tag).bytes
        // Truncated tags are right as a prefix, and still never accepted.
        let isRight = try hmac(message, key).prefix(tag.count).elementsEqual(tag)
        #expect(isRight == test.isValid, test.comment)
        let isWhole = group.tagSize == 256
        #expect(try isValid(tag, for: message, key) == (test.isValid && isWhole), test.comment)
        tally.ran()
      }
    }
    tally.report()
    #expect(tally.totalCount == file.numberOfTests)
  }

  @Test("X25519 gives the stated secret, and none that is all zero") func x25519Agreement() throws {
    guard SharedData.isPresent(forCases: 259, of: "wycheproof x25519") else { return }
    let file = try WycheproofFile.load("x25519_test")
    var tally = CaseTally("wycheproof x25519")
    for test in file.testGroups.flatMap(\.tests) {
      let (own, other) = (try #require(test.private).bytes, try #require(test.public).bytes)
      let shared = try #require(test.shared).bytes
      // "Acceptable" leaves twisted and non-canonical points open; RFC 7748 computes them, the zero secret it refuses.
      if shared.allSatisfy({ $0 == 0 }) {
        #expect(throws: CryptoError(.lowOrderPoint, ""), test.comment) { try x25519(own, other) }
      } else {
        #expect(try x25519(own, other) == shared, test.comment)
      }
      tally.ran()
    }
    tally.report()
    #expect(tally.totalCount == file.numberOfTests)
  }

  private func check(
    _ test: WycheproofFile.Case, seal: ([UInt8], [UInt8]) throws(CryptoError) -> [UInt8],
    open: ([UInt8], [UInt8]) throws(CryptoError) -> [UInt8]
  ) throws {
    let (text, data) = (try #require(test.msg).bytes, try #require(test.aad).bytes)
    let box = try #require(test.ct).bytes + (try #require(test.tag)).bytes
    if test.isValid {
      #expect(try seal(text, data) == box, test.comment)
      #expect(try open(box, data) == text, test.comment)
    } else {
      let error = #expect(throws: CryptoError.self, test.comment) { try open(box, data) }
      let isRefused = error?.code == .authenticationFailed || error?.code == .wrongByteCount
      #expect(isRefused, test.comment)
    }
  }
}

extension WycheproofFile.Case {
  /// What a failed expectation says beside the values.
  var comment: Comment { "tcId \(tcId)" }
}
