import Testing
import VaultCrypto
import VaultTestSupport

/// Cases published by NIST, by the RFCs and by other implementations, read beside the package.
@Suite("Published vectors") struct PublishedVectorTests {
  private static let applicable = ["Keylen": "256", "IVlen": "96", "Taglen": "128"]
  private static let otherSizes = "nonces other than 96 bits or tags other than 128"

  @Test("NIST: sealing gives the stated ciphertext and tag") func nistEncrypt() throws {
    guard SharedData.isPresent(forCases: 4200, of: "nist gcmEncryptExtIV256") else { return }
    let file = try ResponseFile("vectors/nist-cavp-gcm/gcmEncryptExtIV256.rsp", recordsBeginWith: "Count")
    var tally = CaseTally("nist gcmEncryptExtIV256")
    for record in file.records {
      guard isApplicable(record) else {
        tally.notApplicable(Self.otherSizes)
        continue
      }
      let (key, nonce, data) = try material(record)
      let (text, expected) = (try #require(record.bytes("PT")), try box(record))
      let sealed = try gcmSeal(text, key, nonce: nonce, data)
      #expect(sealed == nonce + expected)
      tally.ran()
    }
    tally.report()
    #expect(tally.runCount > 0)
    #expect(tally.totalCount == file.records.count)
  }

  @Test("NIST: opening gives the stated text, or refuses where NIST says FAIL") func nistDecrypt() throws {
    guard SharedData.isPresent(forCases: 4200, of: "nist gcmDecrypt256") else { return }
    let file = try ResponseFile("vectors/nist-cavp-gcm/gcmDecrypt256.rsp", recordsBeginWith: "Count")
    var tally = CaseTally("nist gcmDecrypt256")
    for record in file.records {
      guard isApplicable(record) else {
        tally.notApplicable(Self.otherSizes)
        continue
      }
      let (key, nonce, data) = try material(record)
      let sealed = nonce + (try box(record))
      if record.values["FAIL"] != nil {
        #expect(throws: CryptoError(.authenticationFailed, "")) { try gcmOpen(sealed, key, data) }
      } else {
        let text = try #require(record.bytes("PT"))
        #expect(try gcmOpen(sealed, key, data) == text)
      }
      tally.ran()
    }
    tally.report()
    #expect(tally.runCount > 0)
    #expect(tally.totalCount == file.records.count)
  }

  @Test("pyca: ChaCha20-Poly1305 meets OpenSSL's own cases") func chaCha() throws {
    guard SharedData.isPresent(forCases: 5, of: "pyca chacha20_poly1305") else { return }
    let file = try ResponseFile("vectors/mac-x25519-aead/openssl.txt", recordsBeginWith: "COUNT")
    var tally = CaseTally("pyca chacha20_poly1305")
    for record in file.records {
      let (key, nonce) = (try #require(record.bytes("Key")), try #require(record.bytes("IV")))
      let (data, text) = (try #require(record.bytes("AAD")), try #require(record.bytes("Plaintext")))
      let box = try #require(record.bytes("Ciphertext")) + (try #require(record.bytes("Tag")))
      guard nonce.count == ChaCha20Poly1305.nonceByteCount else {
        #expect(throws: CryptoError(.wrongByteCount, "")) { try chaChaSeal(text, key, nonce: nonce, data) }
        tally.notApplicable("nonces other than 96 bits, each refused by its size")
        continue
      }
      if record.values["Result"] == "CIPHERFINAL_ERROR" {
        #expect(throws: CryptoError(.authenticationFailed, "")) { try chaChaOpen(box, key, nonce: nonce, data) }
      } else {
        #expect(try chaChaSeal(text, key, nonce: nonce, data) == box)
        #expect(try chaChaOpen(box, key, nonce: nonce, data) == text)
      }
      tally.ran()
    }
    tally.report()
    #expect(tally.totalCount == file.records.count)
  }

  @Test("RFC 5869, 4231 and 7748 files by pyca agree") func rfcFiles() throws {
    guard SharedData.isPresent(forCases: 12, of: "pyca rfc 5869, 4231, 7748") else { return }
    var tally = CaseTally("pyca rfc 5869, 4231, 7748")
    for record in try ResponseFile("vectors/kdf/rfc-5869-HKDF-SHA256.txt", recordsBeginWith: "COUNT").records {
      let (key, length) = (try #require(record.bytes("IKM")), try #require(record.number("L")))
      let (salt, info) = (record.bytes("salt") ?? [], record.bytes("info") ?? [])
      #expect(try hkdf(key, salt: salt, info: info, length) == record.bytes("OKM"))
      tally.ran()
    }
    for record in try ResponseFile("vectors/mac-x25519-aead/rfc-4231-sha256.txt", recordsBeginWith: "Len").records {
      let (key, message) = (try #require(record.bytes("Key")), try #require(record.bytes("Msg")))
      #expect(try hmac(message, key) == record.bytes("MD"))
      tally.ran()
    }
    for record in try ResponseFile("vectors/mac-x25519-aead/rfc7748.txt", recordsBeginWith: "COUNT").records {
      let (own, other) = (try #require(record.bytes("INPUT_SCALAR")), try #require(record.bytes("INPUT_U")))
      #expect(try x25519(own, other) == record.bytes("OUTPUT_U"))
      tally.ran()
    }
    tally.report()
    #expect(tally.runCount >= 12)
  }

  private func isApplicable(_ record: ResponseFile.Record) -> Bool {
    Self.applicable.allSatisfy { record.parameters[$0.key] == $0.value }
  }

  private func material(_ record: ResponseFile.Record) throws -> (key: [UInt8], nonce: [UInt8], data: [UInt8]) {
    (try #require(record.bytes("Key")), try #require(record.bytes("IV")), try #require(record.bytes("AAD")))
  }

  private func box(_ record: ResponseFile.Record) throws -> [UInt8] {
    try #require(record.bytes("CT")) + (try #require(record.bytes("Tag")))
  }
}
