import Testing
import VaultDocument

@Suite struct JSONParserTests {
  @Test("scalars are read at the top level")
  func scalars() throws {
    #expect(try json("null") == .null)
    #expect(try json(" true ") == .bool(true))
    #expect(try json("\t\r\nfalse") == .bool(false))
    #expect(try json("\"\"") == .string(""))
    #expect(try json("-0") == .number(try #require(JSONNumber(literal: "-0"))))
  }

  @Test(
    "number literals are kept as written",
    arguments: [
      "0", "-0", "1.50", "12345678901234567890", "1E+2", "1e-999", "0.10", "-1.5e10",
    ])
  func literals(literal: String) throws { #expect(try json("[\(literal)]").array?.first?.number?.literal == literal) }

  @Test("every escape is understood, pairs of surrogates make one character")
  func escapes() throws {
    let text = #""\"\\\/\b\f\n\r\t\u0041\u00e9\uD83D\uDE00\u0000""#
    #expect(try json(text).string == "\"\\/\u{8}\u{c}\n\r\tA\u{e9}\u{1F600}\0")
  }

  @Test("a decomposed string stays decomposed")
  func decomposed() throws {
    #expect(try json("\"e\u{301}\"").string.map { Array($0.utf8) } == [0x65, 0xCC, 0x81])
    #expect(try json("\"e\u{301}\"") != json("\"\u{e9}\""))
  }

  @Test("members are sorted by the bytes of their names, whatever their order was")
  func sorting() throws {
    let object = try #require(try json(#"{"b":1,"":2,"Z":3,"\uff5e":4,"\uD83D\uDE00":5,"é":6,"a":7}"#).object)
    #expect(object.names == ["", "Z", "a", "b", "é", "\u{ff5e}", "\u{1F600}"])
    #expect(object["b"] == 1)
    #expect(object["é"] == 6)
    #expect(object["c"] == nil)
  }

  @Test("raw spans, arrays and text are read alike")
  func inputs() throws {
    let bytes = Array(#"{"a":[1,{"b":null}]}"#.utf8)
    let value = try JSONParser.parse(bytes)
    #expect(try JSONParser.parse(unsafe bytes.span.bytes) == value)
    #expect(try JSONParser.parse(utf8(bytes)) == value)
  }

  @Test("64 levels are read and written, scalars counting as a level")
  func depth() throws {
    let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    let value = try json(deepest)
    #expect(utf8(try value.compactBytes()) == deepest)
    #expect(try json(try utf8(value.prettyBytes())) == value)
    let scalar = String(repeating: "[", count: 63) + "0" + String(repeating: "]", count: 63)
    #expect(utf8(try json(scalar).compactBytes()) == scalar)
  }

  @Test("the 65th level is refused where it begins")
  func tooDeep() {
    let brackets = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
    expectRefused(brackets, .tooDeep, line: 1, column: 65)
    expectRefused(String(repeating: "[", count: 64) + "\n0", .tooDeep, line: 2, column: 1)
    expectRefused(String(repeating: "{\"a\":", count: 65), .tooDeep, line: 1, column: 321)
  }

  @Test("a looser limit does not make the recursion deeper than 64")
  func depthCap() {
    var limits = JSONLimits.record
    limits.depth = 1_000_000
    let text = String(repeating: "[", count: 100_000)
    #expect(refusal { () throws(DocumentError) in try JSONParser.parse(text, limits: limits) } == .tooDeep)
  }

  @Test("16 MiB of '[' are refused at the 65th byte")
  func bomb() { expectRefused([UInt8](repeating: UInt8(ascii: "["), count: 16 << 20), .tooDeep, line: 1, column: 65) }

  @Test("a document past the limit is refused before it is read")
  func tooLarge() throws {
    var limits = JSONLimits.record
    limits.byteCount = 4
    #expect(try JSONParser.parse("null", limits: limits) == .null)
    #expect(refusal { () throws(DocumentError) in try JSONParser.parse("null ", limits: limits) } == .tooLarge)
    #expect(refusal(ofJSON: [UInt8](repeating: 0x20, count: (16 << 20) + 1)) == .tooLarge)
  }

  @Test("a number of 64 bytes is read, one of 65 is refused")
  func numberLength() throws {
    let longest = String(repeating: "1", count: 64)
    #expect(try json(longest).number?.literal == longest)
    expectRefused(" \(longest)1", .numberTooLong, line: 1, column: 2)
    #expect(JSONNumber(literal: longest + "1") == nil)
  }

  @Test("columns count Unicode scalars and lines count LF")
  func places() {
    expectRefused("[\"é\u{1F600}e\u{301}\", x]", .invalidJSON, line: 1, column: 10)
    expectRefused("{\r\n  \"é\" : ?\r\n}", .invalidJSON, line: 2, column: 9)
    expectRefused("\n\n\n", .invalidJSON, line: 4, column: 1)
  }

  @Test("a million members in descending order are sorted, not inserted")
  func manyMembers() throws {
    let names = (0..<1_000_000).reversed().map { "\"\($0 + 1_000_000)\":0" }
    let object = try #require(try json("{\(names.joined(separator: ","))}").object)
    #expect(object.count == 1_000_000)
    #expect(object.first?.name == "1000000")
  }
}
