import Testing
import VaultCrypto
import VaultTestSupport

/// Wycheproof (C2SP): inputs chosen to break implementations. Each file says of itself how many cases it has.
@Suite("Wycheproof") struct WycheproofTests {
  @Test("AES-256-GCM gives the stated box and refuses every bad one") func aesGCM() throws {
    try WycheproofFile.check("AES-GCM", cases: 158) { file, tally in
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
          } else if group.keySize == 256, group.ivSize == 96 {
            tally.notApplicable("tags of \(group.tagSize ?? 0) bits")
          } else {
            #expect(throws: CryptoError(.wrongByteCount, ""), test.comment) { try gcmSeal([], key, nonce: nonce) }
            tally.notApplicable("other key or nonce sizes, each refused by its size")
          }
        }
      }
    }
  }

  @Test("ChaCha20-Poly1305 gives the stated box and refuses every bad one") func chaCha20Poly1305() throws {
    try WycheproofFile.check("CHACHA20-POLY1305", cases: 163) { file, tally in
      for test in file.tests {
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
    }
  }

  @Test("HKDF-SHA-256 gives the stated bytes and refuses sizes it cannot give") func hkdfSHA256() throws {
    try WycheproofFile.check("HKDF-SHA-256", cases: 43) { file, tally in
      for test in file.tests {
        let (key, salt) = (try #require(test.ikm).bytes, try #require(test.salt).bytes)
        let (info, size) = (try #require(test.info).bytes, try #require(test.size))
        if test.isValid {
          #expect(try hkdf(key, salt: salt, info: info, size) == test.okm?.bytes, test.comment)
        } else {
          #expect(throws: CryptoError(.wrongByteCount, ""), test.comment) {
            try hkdf(key, salt: salt, info: info, size)
          }
        }
        tally.ran()
      }
    }
  }

  @Test("HMAC-SHA-256 accepts the whole right MAC alone") func hmacSHA256() throws {
    try WycheproofFile.check("HMACSHA256", cases: 87) { file, tally in
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
    }
  }

  @Test("PBKDF2 gives the stated bytes") func pbkdf2SHA256() throws {
    try WycheproofFile.check("PBKDF2-HMACSHA256", cases: 30) { file, tally in
      for test in file.tests {
        let (passphrase, salt) = (try #require(test.password).bytes, try #require(test.salt).bytes)
        let (iterations, size) = (try #require(test.iterationCount), try #require(test.dkLen))
        let key = try unsafe PBKDF2.derive(
          .sha256, passphrase: passphrase.span.bytes, salt: salt.span.bytes, iterations: iterations, byteCount: size)
        #expect((key.exposed == test.dk?.bytes) == test.isValid, test.comment)
        tally.ran()
      }
    }
  }

  @Test("X25519 gives the stated secret, and none that is all zero") func x25519Agreement() throws {
    try WycheproofFile.check("XDH", cases: 259) { file, tally in
      for group in file.testGroups {
        for test in group.tests {
          guard group.curve == "curve25519" else {
            tally.notApplicable(group.curve ?? "no curve")
            continue
          }
          let (own, other) = (try #require(test.private).bytes, try #require(test.public).bytes)
          let shared = try #require(test.shared).bytes
          if test.result == "invalid" {
            #expect(throws: CryptoError.self, test.comment) { try x25519(own, other) }
          } else if shared.allSatisfy({ $0 == 0 }) {
            #expect(throws: CryptoError(.lowOrderPoint, ""), test.comment) { try x25519(own, other) }
          } else {
            // "Acceptable" leaves twisted and non-canonical points open; RFC 7748 computes them.
            #expect(try x25519(own, other) == shared, test.comment)
          }
          tally.ran()
        }
      }
    }
  }

  @Test("files of other algorithms are named") func otherAlgorithms() throws {
    guard SharedData.isPresent(forCases: 4, of: "wycheproof files of other algorithms") else { return }
    var tally = CaseTally("wycheproof, other algorithms")
    for (name, head) in try WycheproofFile.heads() where !WycheproofFile.algorithms.contains(head.algorithm) {
      #expect(!head.algorithm.isEmpty, "\(name)")
      #expect(head.numberOfTests > 0, "\(name)")
      tally.notApplicable("\(head.algorithm): \(name)")
    }
    tally.report()
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
  /// The additional text of a failed expectation.
  var comment: Comment { "tcId \(tcId)" }
}
