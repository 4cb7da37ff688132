import Testing
import VaultCrypto
import VaultDocument
import VaultTestSupport
import VaultSealing

/// Keys, wraps and MACs of format 1 against vectors made by the implementation in `Tests/Reference`.
@Suite("Own vectors: keys")
struct OwnKeyVectorTests {
  @Test("KDF with and without a salt")
  func kdf() throws {
    try OwnVectors.forEach("kdf") { one in
      let (label, items, salt) = try (one.text("label"), one.hexes("items_hex"), one.hex("salt_hex"))
      let (key, count) = try (one.hex("key_hex"), one.int("byte_count"))
      let output = try KeyDerivation.derive(
        from: RawSpan(_elements: key.span), label: label, items: items, salt: salt, byteCount: count)
      #expect(try revealed(output) == one.hex("output_hex"), "\(one.place)")
    }
  }

  @Test("what a root key gives: id, commitment, the keys of MACs and of wraps")
  func root() throws {
    try OwnVectors.forEach("root") { one in
      let root = try one.root()
      #expect(try root.id.description == one.text("root_id"))
      #expect(try root.commitment == one.base64("commitment"))
      #expect(try RootID(parsing: one.text("root_id")) == root.id)
      #expect(try revealed(root.dataKeyWrapKey()) == one.hex("data_key_wrap_key_hex"))
      for name in ["header", "checkpoint", "backup"] {
        let key = try root.derive("ecv/1/\(name)-mac", items: [root.id.bytes])
        #expect(try revealed(key) == one.hex("\(name)_mac_key_hex"), "\(one.place) \(name)")
      }
    }
  }

  @Test("what a data key gives: field key, MAC key and hint")
  func recordKeys() throws {
    try OwnVectors.forEach("record-keys") { one in
      let keys = try RecordKeys(
        dataKey: one.secret("data_key_hex"), vaultID: one.id("vault_id"), recordID: one.id("record_id"))
      let token = try SealedToken(parsing: keys.seal(RawSpan(), at: .now()))
      #expect(try token.hint == Base64.decodeURL(one.text("hint")), "\(one.place)")
      // The field key opens what these keys seal, and the MAC key makes the same MAC.
      let scope = try TokenScope(
        label: "ecv/1/field", hint: token.hint, items: [one.id("vault_id").bytes, one.id("record_id").bytes])
      let cipher = try FieldCipher(form: .token(scope), keys: one.secret("field_key_hex"))
      #expect(try cipher.open(token).string().isEmpty, "\(one.place)")
      let (macKey, message) = try (one.hex("record_mac_key_hex"), [UInt8](1...9))
      let mac = try HMACSHA256.authenticate(
        RawSpan(_elements: message.span), key: RawSpan(_elements: macKey.span))
      #expect(try keys.authenticate(message) == mac, "\(one.place)")
    }
  }

  @Test("the key of an attachment's stream is theirs")
  func attachmentKeys() throws {
    try OwnVectors.forEach("attachments") { one in
      let root = try RootKey.random(vaultID: one.id("vault_id"))
      let record = try one.id("record_id")
      let wrapped = try root.verifiedWrap(of: one.secret("data_key_hex"), record: record)
      let key = try root.attachmentKey(of: one.id("attachment_id"), record: record, wrapped)
      #expect(try revealed(key) == one.hex("key_hex"), "\(one.place)")
    }
  }

  @Test("data keys unwrap, the wrap is theirs to the byte under their nonce, and ours unwrap")
  func dataKeyWrap() throws {
    try OwnVectors.forEach("data-key-wrap") { one in
      let root = try one.root()
      let record = try one.id("record_id")
      let theirs = try WrappedKey(parsing: one.text("wrap"))
      try one.expectSameWrap(theirs, of: one.hex("data_key_hex"))
      #expect(try revealed(root.dataKeyWrapKey()) == one.hex("wrap_key_hex"), "\(one.place)")
      // Keys are the same when one opens what the other sealed.
      let keys = try RecordKeys(dataKey: one.secret("data_key_hex"), vaultID: root.vaultID, recordID: record)
      let token = try keys.seal(secretBytes([0x78]), at: .now())
      #expect(try root.recordKeys(from: theirs, record: record).reveal(token) == "x", "\(one.place)")
      let ours = try root.makeDataKey(for: record)
      let again = try root.recordKeys(from: WrappedKey(parsing: ours.wrapped.text), record: record)
      let other = try ours.keys.seal(secretBytes([0x79]), at: .now())
      #expect(try again.reveal(other) == "y", "\(one.place)")
    }
  }

  @Test("older roots unwrap, the wrap is theirs to the byte under their nonce, and ours unwrap")
  func keyringWrap() throws {
    try OwnVectors.forEach("keyring-wrap") { one in
      let root = try one.root()
      let older = try RootKey(one.secret("older_root_key_hex"), vaultID: root.vaultID)
      #expect(try older.id.description == one.text("older_root_id"), "\(one.place)")
      let theirs = try WrappedKey(parsing: one.text("wrap"))
      try one.expectSameWrap(theirs, of: one.hex("older_root_key_hex"))
      let key = try root.derive("ecv/1/keyring-wrap", items: [root.id.bytes, older.id.bytes])
      #expect(try revealed(key) == one.hex("wrap_key_hex"), "\(one.place)")
      for wrap in try [theirs, WrappedKey(parsing: root.wrap(olderRoot: older).text)] {
        let opened = try root.unwrap(wrap, olderRoot: older.id)
        #expect(try opened.withKey { $0.copiedBytes() } == one.hex("older_root_key_hex"), "\(one.place)")
        #expect(try opened.commitment == one.base64("older_commitment"), "\(one.place)")
      }
    }
  }

  @Test("the MAC of a checkpoint's head, the hash of its lines, and the hash that names it under any root")
  func checkpoints() throws {
    try OwnVectors.forEach("checkpoints") { one in
      let file = try one.file("file")
      let end = try #require(file.firstIndex(of: UInt8(ascii: "\n")))
      var members = try #require(JSONParser.parse(Array(file[..<end])).object)
      #expect(try one.root().mac(of: members, as: .checkpoint) == one.base64("mac"), "\(one.place)")
      #expect(try one.root().authenticates(members, as: .checkpoint), "\(one.place)")
      #expect(try members["items"] == .string(Hex.encode(sha256(Array(file[(end + 1)...])))), "\(one.place)")
      (members["root"], members["mac"]) = (nil, nil)
      #expect(try sha256(JSONValue.object(members).canonicalBytes()) == one.hex("hash"), "\(one.place)")
    }
  }

  @Test(
    "records: the message of the MAC, the MAC, every token and every former value",
    arguments: ["records", "former-values"])
  func records(name: String) throws {
    try OwnVectors.forEach(name) { one in
      let document = try JSONParser.parse(one.file("file"))
      let root = try one.root()
      let envelope = try RecordEnvelope(of: document)
      let record = try RecordSeal.verify(document, as: envelope.id) { hint throws(SealingError) in
        guard hint == root.id.wrapHint else { throw SealingError(.unknownRoot, "another root") }
        return root
      }
      var members = try #require(document.object)
      var inner = try #require(members["$vault"]?.object)
      inner["mac"] = nil
      inner["key"] = nil
      members["$vault"] = .object(inner)
      let message = CanonicalEncoding.enc(
        "ecv/1/record-mac", [root.vaultID.bytes, envelope.id.bytes, JSONValue.object(members).canonicalBytes()])
      #expect(try sha256(message) == one.hex("mac_message_sha256"), "\(one.place)")
      #expect(try record.keys.authenticate(message) == one.base64("mac"), "\(one.place)")
      var opened = JSONValue.object(record.fields)
      try opened.mapStrings { _, text in SealedToken.hasTokenShape(text) ? try record.keys.reveal(text) : text }
      #expect(try opened.prettyBytes() == one.file("opened"), "\(one.place)")
      #expect(envelope.former.isEmpty != one.has("former"), "\(one.place)")
      if one.has("former") {
        var former = JSONValue.object(try #require(inner["former"]?.object))
        try former.mapStrings { _, text in try record.keys.reveal(text) }
        #expect(try former.prettyBytes() == one.file("former"), "\(one.place)")
        for path in envelope.former.paths {
          let texts = try envelope.former.tokens(at: path).map { JSONValue.string(try record.keys.reveal($0)) }
          #expect(former[path.description] == .array(texts), "\(one.place) \(path)")
        }
      }
    }
  }
}

extension OwnVectors.Case {
  /// Bytes in hex, in secure memory.
  func secret(_ name: String) throws -> SecretBytes { try secretBytes(hex(name)) }

  /// The root key of the case.
  func root() throws -> RootKey { try RootKey(secret("root_key_hex"), vaultID: id("vault_id")) }

  /// Compares the box of a wrap with the output of our AEAD for its key, nonce and associated data.
  fileprivate func expectSameWrap(_ wrap: WrappedKey, of key: [UInt8]) throws {
    let box = try sealedBox(
      key, key: hex("wrap_key_hex"), nonce: hex("nonce_hex"), associatedData: hex("associated_data_hex"))
    #expect(box == wrap.box, "\(place)")
  }
}

/// Published bytes in secure memory.
func secretBytes(_ bytes: [UInt8]) throws -> SecretBytes { try SecretBytes(copying: RawSpan(_elements: bytes.span)) }

/// A copy of a secret that is published in the vectors.
func revealed(_ secret: SecretBytes) -> [UInt8] { secret.withBytes { $0.copiedBytes() } }

func sha256(_ bytes: [UInt8]) throws -> [UInt8] { try SHA256.hash(RawSpan(_elements: bytes.span)) }

/// The output of our AEAD under a given nonce: nonce ‖ ciphertext ‖ tag.
func sealedBox(
  _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], associatedData: [UInt8]
) throws -> [UInt8] {
  try AESGCM.seal(
    RawSpan(_elements: plaintext.span), key: RawSpan(_elements: key.span), nonce: RawSpan(_elements: nonce.span),
    associatedData: RawSpan(_elements: associatedData.span))
}
