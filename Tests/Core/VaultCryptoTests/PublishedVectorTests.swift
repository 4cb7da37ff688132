import Testing
import VaultCrypto
import VaultTestSupport

/// Cases published by NIST, by the RFCs and by other implementations, read beside the package.
@Suite("Published vectors") struct PublishedVectorTests {
  private static let applicable = ["Keylen": "256", "IVlen": "96", "Taglen": "128"]

  @Test("NIST: sealing gives the stated ciphertext and tag; opening gives the text, or refuses where NIST says FAIL")
  func nist() throws {
    guard SharedData.isPresent(forCases: 8400, of: "nist gcm") else { return }
    for (name, file) in try ResponseFile.all(in: "vectors/nist-cavp-gcm", ".rsp") {
      var tally = CaseTally("nist \(name)")
      for record in file.records {
        guard isApplicable(record) else {
          tally.notApplicable("nonces other than 96 bits, or keys or tags of other sizes")
          continue
        }
        try checkGCM(record)
        tally.ran()
      }
      tally.report()
      #expect(tally.totalCount == file.records.count)
    }
  }

  private func checkGCM(_ record: ResponseFile.Record) throws {
    let (key, nonce, data) = try material(record)
    let sealed = nonce + (try #require(record.bytes("CT"))) + (try #require(record.bytes("Tag")))
    if record.values["FAIL"] != nil {
      #expect(throws: CryptoError(.authenticationFailed, ""), "\(record.place)") { try gcmOpen(sealed, key, data) }
    } else {
      let text = try #require(record.bytes("PT"), "\(record.place)")
      #expect(try gcmOpen(sealed, key, data) == text, "\(record.place)")
      #expect(try gcmSeal(text, key, nonce: nonce, data) == sealed, "\(record.place)")
    }
  }

  @Test("pyca: each record of each file, whatever its function, has the stated output")
  func pyca() throws {
    guard SharedData.isPresent(forCases: 22, of: "pyca") else { return }
    for folder in ["vectors/kdf", "vectors/mac-x25519-aead"] {
      for (name, file) in try ResponseFile.all(in: folder, ".txt") {
        var tally = CaseTally("pyca \(name)")
        for record in file.records { try check(record, &tally) }
        tally.report()
        #expect(tally.totalCount == file.records.count, "\(name)")
      }
    }
  }

  /// Chooses the check by the record's fields, because the files name no function.
  private func check(_ record: ResponseFile.Record, _ tally: inout CaseTally) throws {
    let names = Set(record.values.keys)
    if names.isSuperset(of: ["INPUT_SCALAR", "INPUT_U"]) {
      let (own, other) = (try #require(record.bytes("INPUT_SCALAR")), try #require(record.bytes("INPUT_U")))
      #expect(try x25519(own, other) == record.bytes("OUTPUT_U"), "\(record.place)")
    } else if names.isSuperset(of: ["IKM", "OKM"]) {
      guard record.values["Hash"] == "SHA-256" else { return tally.notApplicable("HKDF with another hash") }
      let (key, length) = (try #require(record.bytes("IKM")), try #require(record.number("L")))
      let (salt, info) = (record.bytes("salt") ?? [], record.bytes("info") ?? [])
      #expect(try hkdf(key, salt: salt, info: info, length) == record.bytes("OKM"), "\(record.place)")
    } else if names.isSuperset(of: ["Msg", "MD", "Key"]) {
      let mac = try #require(record.bytes("MD"))
      guard mac.count == 32 else { return tally.notApplicable("HMAC of \(mac.count) bytes") }
      let (key, message) = (try #require(record.bytes("Key")), try #require(record.bytes("Msg")))
      #expect(try hmac(message, key) == mac, "\(record.place)")
    } else if names.isSuperset(of: ["IV", "AAD", "Tag", "Ciphertext"]) {
      return try checkChaCha(record, &tally)
    } else if names.isSuperset(of: ["lanes", "memcost"]) {
      return try checkArgon2id(record, &tally)
    } else if names.isSuperset(of: ["N", "r", "p"]) {
      return tally.notApplicable("scrypt, which has a test of its own")
    } else {
      Issue.record("\(record.place): of no form that is known: \(names.sorted())")
    }
    tally.ran()
  }

  private func checkChaCha(_ record: ResponseFile.Record, _ tally: inout CaseTally) throws {
    let (key, nonce) = (try #require(record.bytes("Key")), try #require(record.bytes("IV")))
    let (data, text) = (try #require(record.bytes("AAD")), try #require(record.bytes("Plaintext")))
    let box = try #require(record.bytes("Ciphertext")) + (try #require(record.bytes("Tag")))
    guard nonce.count == ChaCha20Poly1305.nonceByteCount else {
      #expect(throws: CryptoError(.wrongByteCount, "")) { try chaChaSeal(text, key, nonce: nonce, data) }
      return tally.notApplicable("nonces other than 96 bits, each refused by its size")
    }
    switch record.values["Result"] {
    case nil:
      #expect(try chaChaSeal(text, key, nonce: nonce, data) == box, "\(record.place)")
      #expect(try chaChaOpen(box, key, nonce: nonce, data) == text, "\(record.place)")
    case "CIPHERFINAL_ERROR":
      #expect(throws: CryptoError(.authenticationFailed, ""), "\(record.place)") {
        try chaChaOpen(box, key, nonce: nonce, data)
      }
    case let result?: Issue.record("\(record.place): a result that is not known: \(result)")
    }
    tally.ran()
  }

  private func checkArgon2id(_ record: ResponseFile.Record, _ tally: inout CaseTally) throws {
    let hasMore = ["secret", "ad"].contains { record.values[$0]?.isEmpty == false }
    guard !hasMore else { return tally.notApplicable("Argon2id with a secret or associated data") }
    guard Need.argon2.isMet(forCases: 1, of: record.place) else { return tally.notApplicable("no libargon2") }
    let (passphrase, salt) = (try #require(record.bytes("pass")), try #require(record.bytes("salt")))
    let (passes, kibibytes) = (try #require(record.number("iter")), try #require(record.number("memcost")))
    let (lanes, length) = (try #require(record.number("lanes")), try #require(record.number("length")))
    let key = try unsafe Argon2.derive(
      passphrase: passphrase.span.bytes, salt: salt.span.bytes, passes: passes, kibibytes: kibibytes, lanes: lanes,
      byteCount: length)
    #expect(key.exposed == record.bytes("output"), "\(record.place)")
    tally.ran()
  }

  private func isApplicable(_ record: ResponseFile.Record) -> Bool {
    Self.applicable.allSatisfy { record.parameters[$0.key] == $0.value }
  }

  private func material(_ record: ResponseFile.Record) throws -> (key: [UInt8], nonce: [UInt8], data: [UInt8]) {
    (try #require(record.bytes("Key")), try #require(record.bytes("IV")), try #require(record.bytes("AAD")))
  }
}
