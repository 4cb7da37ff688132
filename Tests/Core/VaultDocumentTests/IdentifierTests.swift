import Testing
import VaultDocument

@Suite struct IdentifierTests {
  private static let text = "00112233-4455-6677-8899-aabbccddeeff"

  @Test("an identifier is its 16 bytes and its lower-case UUID")
  func forms() throws {
    let id = try #require(Identifier(parsing: Self.text))
    #expect(id.bytes == [0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255])
    #expect(id.text == Self.text)
    #expect("\(id)" == Self.text)
    #expect(Identifier(bytes: id.bytes) == id)
    #expect(id.folderName == "00")
    #expect(id.folder == 0)
  }

  @Test("every byte is written as its two digits, in text and in bytes")
  func digits() {
    for first in 0..<16 {
      let bytes = (0..<16).map { UInt8(first * 16 + $0) }
      let digits = bytes.map { Hex.encode([$0]) }
      let parts = [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]].map { $0.joined() }
      let id = Identifier(bytes: bytes)
      var written: [UInt8] = [1]
      id.appendText(to: &written)
      #expect(id.text == parts.joined(separator: "-"))
      #expect(written == [1] + Array(id.text.utf8))
    }
  }

  @Test(
    "anything but a lower-case UUID is refused",
    arguments: [
      "", "00112233-4455-6677-8899-AABBCCDDEEFF", "00112233-4455-6677-8899-aabbccddeef",
      "001122334455-6677-8899-aabbccddeeff0",
      "00112233-4455-6677-8899-aabbccddeefg", "{0112233-4455-6677-8899-aabbccddeeff}",
      "00112233-4455-6677-8899-aabbccddeeff ",
      "00112233445566778899aabbccddeeff", "00112233_4455-6677-8899-aabbccddeeff", "０0112233-4455-6677-8899-aabbccddee",
    ])
  func malformed(text: String) { #expect(Identifier(parsing: text) == nil) }

  @Test("identifiers sort as their bytes do")
  func order() {
    let ids = (0..<200).map { _ in Identifier.random() }
    #expect(ids.sorted().map(\.text) == ids.map(\.text).sorted())
    #expect(Set(ids).count == 200)
    for id in ids {
      #expect(Identifier(parsing: id.text) == id)
      #expect(id.text.hasPrefix(id.folderName))
    }
  }

  @Test("another count of bytes than 16 stops the program")
  func wrongCount() async {
    await #expect(processExitsWith: .failure) { _ = Identifier(bytes: [UInt8](repeating: 0, count: 15)) }
  }
}
