import Testing
import VaultDocument
import VaultTestSupport

/// The encodings of format 1 against vectors made by the implementation in `Tests/Reference`.
@Suite("Own vectors: encodings")
struct OwnVectorTests {
  @Test("ENC of a label and items")
  func enc() throws {
    try OwnVectors.forEach("enc") { one in
      let (label, items) = try (one.text("label"), one.hexes("items_hex"))
      #expect(try CanonicalEncoding.enc(label, items) == one.hex("output_hex"), "\(one.place)")
    }
  }

  @Test("T of a tree, and both of its written forms, which parse to the same tree")
  func tree() throws {
    try OwnVectors.forEach("tree") { one in
      let value = try JSONParser.parse(one.file("json"))
      #expect(try value.canonicalBytes() == one.hex("t_hex"), "\(one.place)")
      #expect(try value.prettyBytes() == one.file("pretty"), "\(one.place)")
      #expect(try value.compactBytes() == one.file("compact"), "\(one.place)")
      for form in try [value.prettyBytes(), value.compactBytes()] {
        #expect(try JSONParser.parse(form).canonicalBytes() == one.hex("t_hex"), "\(one.place)")
      }
    }
  }

  @Test("base64 and base64url are taken when canonical, and only then")
  func base64() throws {
    try OwnVectors.forEach("base64") { one in
      if try one.bool("valid") {
        let bytes = try one.hex("bytes_hex")
        #expect(try Base64.encode(bytes) == one.text("base64"))
        #expect(try Base64.encodeURL(bytes) == one.text("base64url"))
        #expect(try Base64.decode(one.text("base64")) == bytes, "\(one.place)")
        #expect(try Base64.decodeURL(one.text("base64url")) == bytes, "\(one.place)")
      } else {
        #expect(throws: DocumentError(code: .invalidBase64), "\(one.place)") {
          one.has("base64") ? try Base64.decode(one.text("base64")) : try Base64.decodeURL(one.text("base64url"))
        }
      }
    }
  }

  @Test("dates are read to the nanosecond and written in both forms, and no other text is a date")
  func times() throws {
    try OwnVectors.forEach("times") { one in
      let text = try one.text("text")
      if try one.bool("valid") {
        let time = try Timestamp(parsing: text)
        #expect(try time.secondsSinceEpoch == Int64(one.int("seconds")), "\(one.place)")
        #expect(try time.nanoseconds == Int32(one.int("nanoseconds")), "\(one.place)")
        #expect(try time.text == one.text("written"), "\(one.place)")
        #expect(try time.compactText == one.text("compact"), "\(one.place)")
        #expect(try Timestamp(parsingCompact: time.compactText).secondsSinceEpoch == time.secondsSinceEpoch)
      } else {
        #expect(throws: DocumentError(code: .invalidDate), "\(one.place)") { try Timestamp(parsing: text) }
      }
    }
  }
}
