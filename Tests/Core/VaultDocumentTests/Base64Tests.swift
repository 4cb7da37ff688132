import Testing
import VaultDocument
import VaultTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct Base64Tests {
  private func refused(_ text: String) -> DocumentError.Code? {
    refusal { () throws(DocumentError) in try Base64.decode(text) }
  }

  private func refusedURL(_ text: String) -> DocumentError.Code? {
    refusal { () throws(DocumentError) in try Base64.decodeURL(text) }
  }

  @Test(
    "the vectors of RFC 4648",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(text: String, base64: String) throws {
    #expect(Base64.encode(Array(text.utf8)) == base64)
    #expect(try Base64.decode(base64) == Array(text.utf8))
    #expect(Base64.encodeURL(Array(text.utf8)) == base64.filter { $0 != "=" })
    #expect(try Base64.decodeURL(base64.filter { $0 != "=" }) == Array(text.utf8))
  }

  @Test("each form has its own alphabet")
  func alphabets() throws {
    #expect(Base64.encode([0xFB, 0xEF, 0xFF]) == "++//")
    #expect(Base64.encodeURL([0xFB, 0xEF, 0xFF]) == "--__")
    #expect(refused("--__") == .invalidBase64)
    #expect(refusedURL("++//") == .invalidBase64)
  }

  @Test("stray trailing bits are refused")
  func strayBits() {
    for text in ["Zh==", "Zm9=", "Zm9vYh==", "/x=="] { #expect(refused(text) == .invalidBase64, "\(text)") }
    for text in ["Zh", "Zm9", "_x"] { #expect(refusedURL(text) == .invalidBase64, "\(text)") }
  }

  @Test("missing, foreign and misplaced padding is refused")
  func padding() {
    for text in ["Zg", "Zg=", "Zg===", "Zm8", "Z===", "====", "=", "Zg==Zg==", "Zm9v=", "Z=m8", "Zm9vZ"] {
      #expect(refused(text) == .invalidBase64, "\(text)")
    }
    for text in ["Zg==", "Zm8=", "Z", "Zm9vY"] { #expect(refusedURL(text) == .invalidBase64, "\(text)") }
  }

  @Test("white space and characters outside the alphabet are refused")
  func foreignCharacters() {
    for text in ["Zm9v\n", " Zm9v", "Zm 9", "Zm\r\n", "Zm9é", "Zm9\0", "Zm9*", "Ｚm9"] {
      #expect(refused(text) == .invalidBase64)
      #expect(refusedURL(text) == .invalidBase64)
    }
  }

  @Test("every text of four characters is accepted exactly when encoding gives it back")
  func canonical() {
    let alphabet = Array("AQgwZ/+-_= ".utf8)
    for index in 0..<alphabet.count * alphabet.count * alphabet.count * alphabet.count {
      var rest = index
      let text = utf8(
        (0..<4).map { _ in
          defer { rest /= alphabet.count }
          return alphabet[rest % alphabet.count]
        })
      if let bytes = try? Base64.decode(text) { #expect(Base64.encode(bytes) == text) }
      let known = Data(base64Encoded: text).map { $0.base64EncodedString() == text } ?? false
      #expect(known == (refused(text) == nil), "\(text)")
    }
  }

  @Test("random bytes are written as Foundation writes them and read back")
  func foundation() throws {
    var generator = SeededGenerator.announced(for: "base64 against Foundation")
    for count in 0..<300 {
      let bytes = generator.bytes(count: count)
      #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
      #expect(Base64.encode(unsafe bytes.span.bytes) == Base64.encode(bytes))
      #expect(try Base64.decode(Base64.encode(bytes)) == bytes)
      #expect(try Base64.decodeURL(Base64.encodeURL(bytes)) == bytes)
      #expect(try Base64.decodeURL(Base64.encodeURL(unsafe bytes.span.bytes)) == bytes)
    }
  }

  @Test("there is room for the bytes of any text, also if `=` stands in front of its last character")
  func room() throws {
    let letters = Array("ab=".utf8)
    for number in 0..<81 {
      let text = [27, 9, 3, 1].map { letters[number / $0 % 3] }
      let decoded = [UInt8](capacity: Base64.decodedCount(of: text.span)) { output in
        _ = Base64.append(decoding: text.span, to: &output)
      }
      #expect(decoded.count <= 3)
    }
  }

  @Test("hex is lower case, both ways")
  func hex() throws {
    let bytes = [UInt8](0...255)
    #expect(try Hex.decode(Hex.encode(bytes)) == bytes)
    #expect(Hex.encode([0x0F, 0xA0]) == "0fa0")
    #expect(Hex.encode(unsafe bytes.span.bytes) == Hex.encode(bytes))
    for text in ["0", "0F", "0g", " 0", "0x"] {
      #expect(refusal { () throws(DocumentError) in try Hex.decode(text) } == .invalidHex)
    }
  }
}
