import Testing
import VaultDocument

@Suite struct JSONRefusalTests {
  @Test("an empty document is refused")
  func empty() { expectRefused("", .invalidJSON, line: 1, column: 1) }

  @Test("a byte order mark is refused")
  func byteOrderMark() { expectRefused("\u{FEFF}{}", .byteOrderMark, line: 1, column: 1) }

  @Test("text after the document is refused")
  func trailingText() { expectRefused("{}\n x", .invalidJSON, line: 2, column: 2) }

  @Test("a comment is refused")
  func comment() { expectRefused("[1, // one\n2]", .invalidJSON, line: 1, column: 5) }

  @Test("a comma before a closing bracket is refused")
  func trailingComma() {
    expectRefused("[1,]", .invalidJSON, line: 1, column: 4)
    expectRefused("{\"a\":1,}", .invalidJSON, line: 1, column: 8)
  }

  @Test("a missing comma is refused")
  func missingComma() {
    expectRefused("[1 2]", .invalidJSON, line: 1, column: 4)
    expectRefused("{\"a\":1 \"b\":2}", .invalidJSON, line: 1, column: 8)
  }

  @Test("a missing colon is refused")
  func missingColon() { expectRefused("{\"a\" 1}", .invalidJSON, line: 1, column: 6) }

  @Test("a name without quotes is refused")
  func bareName() { expectRefused("{a:1}", .invalidJSON, line: 1, column: 2) }

  @Test(
    "a document that ends early is refused at its end",
    arguments: [
      "[", "[1", "[1,", "{", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "\"a", "\"\\", "\"\\u12",
      "\"\\ud800\\u",
    ])
  func truncated(text: String) { expectRefused(text, .invalidJSON, line: 1, column: text.utf8.count + 1) }

  @Test("brackets that do not match are refused")
  func mismatch() {
    expectRefused("[1}", .invalidJSON, line: 1, column: 3)
    expectRefused("{\"a\":1]", .invalidJSON, line: 1, column: 7)
  }

  @Test("a control character in a string is refused unless escaped")
  func control() {
    expectRefused("[\"a\u{1}\"]", .invalidJSON, line: 1, column: 4)
    expectRefused("[\"a\n\"]", .invalidJSON, line: 1, column: 4)
    #expect(refusal(ofJSON: Array("\"\u{7f}\"".utf8)) == nil)
  }

  @Test("an unknown escape is refused where its backslash is")
  func escape() {
    expectRefused("[\"ab\\x\"]", .invalidJSON, line: 1, column: 5)
    expectRefused("[\"\\u12g4\"]", .invalidJSON, line: 1, column: 3)
    expectRefused("[\"\\U0041\"]", .invalidJSON, line: 1, column: 3)
  }

  @Test(
    "half of a surrogate pair is refused, in names too",
    arguments: [
      #"["\ud800"]"#, #"["\udc00"]"#, #"["\ud800\ud800"]"#, #"["\ud800x"]"#, #"["\ud800\n"]"#, #"["\ud800\u0041"]"#,
      #"{"\udfff":1}"#,
    ])
  func loneSurrogate(text: String) { expectRefused(text, .loneSurrogate, line: 1, column: 3) }

  @Test(
    "bytes that are not UTF-8 are refused where they stand",
    arguments: [
      [0xFF], [0xC3], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80],
      [0xF8, 0x88, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
    ] as [[UInt8]])
  func invalidUTF8(bytes: [UInt8]) {
    expectRefused(Array("[\"é".utf8) + bytes + Array("\"]".utf8), .invalidUTF8, line: 1, column: 4)
    expectRefused(Array("[\"\\n".utf8) + bytes + Array("\"]".utf8), .invalidUTF8, line: 1, column: 5)
  }

  @Test(
    "what is not a number of RFC 8259 is refused where it begins",
    arguments: [
      "-", "-a", "1.", "1.e1", "1e", "1e+", "--1", "-.5", "0.", "2.e",
    ])
  func number(literal: String) {
    expectRefused("[\(literal)]", .invalidJSON, line: 1, column: 2)
    #expect(JSONNumber(literal: literal) == nil)
  }

  @Test("a leading zero, plus, point, hex, NaN and Infinity are refused")
  func numberForms() {
    expectRefused("[01]", .invalidJSON, line: 1, column: 3)
    expectRefused("[-012]", .invalidJSON, line: 1, column: 4)
    expectRefused("[+1]", .invalidJSON, line: 1, column: 2)
    expectRefused("[.5]", .invalidJSON, line: 1, column: 2)
    expectRefused("[0x1]", .invalidJSON, line: 1, column: 3)
    expectRefused("[NaN]", .invalidJSON, line: 1, column: 2)
    expectRefused("[Infinity]", .invalidJSON, line: 1, column: 2)
  }

  @Test("a misspelt word is refused where it begins")
  func word() {
    expectRefused("[True]", .invalidJSON, line: 1, column: 2)
    expectRefused("[tru]", .invalidJSON, line: 1, column: 2)
    expectRefused("[nul", .invalidJSON, line: 1, column: 2)
  }

  @Test("white space of Unicode is refused")
  func whiteSpace() {
    expectRefused("[\u{a0}1]", .invalidJSON, line: 1, column: 2)
    expectRefused("[\u{c}1]", .invalidJSON, line: 1, column: 2)
  }

  @Test("a repeated member name is refused where it occurs again")
  func duplicates() {
    expectRefused(#"{"a":1,"a":1}"#, .duplicateMember, line: 1, column: 8)
    expectRefused("{\"b\":1,\n\"a\":{\"x\":[1]},\n  \"b\":2}", .duplicateMember, line: 3, column: 3)
    expectRefused(#"[{"a":1,"\u0061":2}]"#, .duplicateMember, line: 1, column: 9)
    expectRefused(#"{"":1,"":2}"#, .duplicateMember, line: 1, column: 7)
  }

  @Test("canonically equivalent member names are refused where the second occurs")
  func equivalentNames() {
    expectRefused("{\"\u{e9}\":1,\"e\u{301}\":1}", .duplicateMember, line: 1, column: 8)
    expectRefused("{\"K\":1,\"\u{212a}\":1}", .duplicateMember, line: 1, column: 8)
    expectRefused(#"{"\uac00":1,"\u1100\u1161":1}"#, .duplicateMember, line: 1, column: 13)
    #expect(refusal(ofJSON: Array("{\"e\":1,\"\u{e9}\":1,\"E\u{301}\":2}".utf8)) == nil)
  }

  @Test("names that differ in the order of many combining marks are found equivalent, and in linear steps")
  func combiningMarks() {
    let marks = 30_000
    let mixed = "a" + String(repeating: "\u{301}\u{316}", count: marks)
    let sorted = "a" + String(repeating: "\u{316}", count: marks) + String(repeating: "\u{301}", count: marks)
    #expect(refusal(ofJSON: Array("{\"\(mixed)\":1,\"\(sorted)\":1}".utf8)) == .duplicateMember)
    let tibetan = "a" + String(repeating: "\u{f73}", count: marks)
    let parts = "a" + String(repeating: "\u{f71}", count: marks) + String(repeating: "\u{f72}", count: marks)
    #expect(refusal(ofJSON: Array("{\"\(tibetan)\":1,\"\(parts)\":1}".utf8)) == .duplicateMember)
    #expect(refusal(ofJSON: Array("{\"\(tibetan)\":1,\"\(mixed)\":1}".utf8)) == nil)
  }

  @Test("an error names its place and never the text of the input")
  func message() throws {
    let error = try #require(throws: DocumentError.self) { try json("{\"marker\":\"marker\n\"}") }
    #expect(error.description == "line 1, column 18: a control character in a string must be escaped")
    #expect("\(error) \(String(reflecting: error))".contains("marker") == false)
  }
}
