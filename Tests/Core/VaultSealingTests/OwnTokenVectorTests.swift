import Testing
import VaultCrypto
import VaultDocument
import VaultFields
import VaultTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import VaultSealing

/// Sealed fields of format 1 against vectors made by the implementation in `Tests/Reference`.
@Suite("Own vectors: sealed fields")
struct OwnTokenVectorTests {
  @Test("the padded size of every byte count")
  func padding() throws {
    try OwnVectors.forEach("padding") { one in
      let count = try one.int("byte_count")
      #expect(try Padding.paddedCount(count) == one.int("padded_byte_count"), "\(one.place)")
    }
  }

  @Test("tokens open, are ours to the byte under their nonce, and what we seal opens")
  func tokens() throws {
    try OwnVectors.forEach("tokens") { one in
      let scope = try TokenScope(
        label: "ecv/1/field", hint: Base64.decodeURL(one.text("hint")),
        items: [one.id("vault_id").bytes, one.id("record_id").bytes])
      let padded = try one.expectToken(
        under: scope, one.hex("field_key_hex"),
        associated: ("ecv/1/field", [one.id("vault_id").bytes, one.id("record_id").bytes]))
      #expect(try padded == one.int("plaintext_byte_count"), "\(one.place)")
    }
  }

  @Test("tokens outside a vault open with the application key alone")
  func appTokens() throws {
    try OwnVectors.forEach("app-tokens") { one in
      let items = try one.texts("context").map { Array($0.utf8) }
      let scope = try TokenScope(label: "ecv/1/app-field", hint: Base64.decodeURL(one.text("hint")), items: items)
      try one.expectToken(under: scope, one.hex("field_key_hex"), associated: ("ecv/1/app-field", items))
      let context = try SealingContext(applicationKey: one.secret("application_key_hex"), bound: one.texts("context"))
      try one.expectOpens(one.text("token"), in: context)
    }
  }

  @Test("tokens that are bound to a place open there alone")
  func places() throws {
    try OwnVectors.forEach("app-places") { one in
      let context = try SealingContext(applicationKey: one.secret("application_key_hex"), bound: one.texts("context"))
      let place = try one.texts("place")
      let bound = try place.count == 1 ? context.bound(to: place[0]) : context.bound(to: place[0], place[1])
      try one.expectOpens(one.text("token"), in: bound)
      for other in [context, try context.bound(to: place.joined(), "")] {
        #expect(throws: SealingError(.authenticationFailed, ""), "\(one.place)") {
          try EncryptedCodableString(reading: one.text("token"), in: other)
        }
      }
    }
  }

  @Test("search tags are the first bits of the keyed hash")
  func searchTags() throws {
    try OwnVectors.forEach("search-tags") { one in
      let context = try SealingContext(applicationKey: one.secret("application_key_hex"), bound: one.texts("context"))
      let tag = try context.searchTag(
        of: EncryptedCodableString(one.text("text")), for: one.text("name"), bits: one.int("bits"))
      #expect(try tag.bytes == one.hex("tag_hex"), "\(one.place)")
    }
  }

  @Test("the CryptoKit representation opens, and what we seal opens")
  func cryptoKit() throws {
    try OwnVectors.forEach("cryptokit") { one in
      let data = try one.hex("associated_data_hex")
      let context = try SealingContext(cryptoKitKey: one.secret("key_hex"), associatedData: data)
      try one.expectOpens(one.text("representation"), in: context)
      let box = try sealedBox(
        one.file("text"), key: one.hex("key_hex"), nonce: one.hex("nonce_hex"), associatedData: data)
      #expect(try Base64.encode(box) == one.text("representation"), "\(one.place)")
    }
  }
}

extension OwnVectors.Case {
  /// Checks everything about the token of the case; returns the count of padded bytes.
  @discardableResult
  fileprivate func expectToken(
    under scope: TokenScope, _ fieldKey: [UInt8], associated: (label: String, items: [[UInt8]])
  ) throws -> Int {
    let cipher = try FieldCipher(form: .token(scope), keys: secretBytes(fieldKey))
    let token = try SealedToken(parsing: text("token"))
    let sealedAt = try file("sealed_at")
    #expect(try token.sealedAt.compactText == text("sealed_at"), "\(place)")
    #expect(token.hint == scope.hint, "\(place)")
    #expect(try cipher.open(token).string().utf8.elementsEqual(sealedText().utf8), "\(place)")
    let data = CanonicalEncoding.enc(associated.label, [[1], scope.hint, sealedAt] + associated.items)
    #expect(scope.associatedData(sealedAtText: sealedAt) == data, "\(place)")
    // Under the nonce of the vector the whole token is the same.
    let text = try Array(sealedText().utf8)
    let padded = text + Padding.withBytes(after: text.count) { $0.copiedBytes() }
    let box = try sealedBox(padded, key: fieldKey, nonce: hex("nonce_hex"), associatedData: data)
    let whole = SealedToken.text(head: scope.time(token.sealedAt).head, box: box)
    #expect(try whole == self.text("token"), "\(place)")
    let ours = try cipher.seal(RawSpan(_elements: text.span), at: token.sealedAt)
    #expect(try ours != self.text("token"), "\(place)")
    #expect(ours.utf8.count == whole.utf8.count, "\(place)")
    #expect(try cipher.open(ours).string().utf8.elementsEqual(sealedText().utf8), "\(place)")
    return padded.count
  }

  /// Checks that a value decodes to the text of the case, and that the text, sealed again, does too.
  fileprivate func expectOpens(_ field: String, in context: SealingContext) throws {
    let decoder = JSONDecoder.opening(with: context)
    let value = try decoder.decode([EncryptedCodableString].self, from: Data(JSONEncoder().encode([field])))
    #expect(try value.map { try Array($0.reveal().utf8) } == [file("text")], "\(place)")
    let again = try JSONEncoder.sealing(with: context).encode([EncryptedCodableString(text("text"))])
    #expect(try decoder.decode([EncryptedCodableString].self, from: again) == value, "\(place)")
  }
}
