import Testing
import VaultDocument
import VaultTestSupport

/// JSON by others, read where it lies beside the repository.
@Suite struct SharedJSONTests {
  private static let folder = "fixtures/json"

  /// The files of a folder; where the shared data is absent, says how many cases were not run.
  private static func files(_ folder: String, expected: Int) throws -> [(name: String, bytes: [UInt8])] {
    guard SharedData.isPresent(forCases: expected, of: folder) else { return [] }
    let names = try SharedData.names(in: "\(Self.folder)/\(folder)").filter { $0.hasSuffix(".json") }
    #expect(names.count >= expected, "\(folder) has fewer files than were shared")
    return try names.map { ($0, try SharedData.bytes("\(Self.folder)/\(folder)/\($0)")) }
  }

  @Test("JSONTestSuite: every y_ is accepted but duplicate members, every n_ is refused, every i_ as documented")
  func testSuite() throws {
    let files = try Self.files("jsontestsuite/test_parsing", expected: 160)
    var counts: [Character: Int] = [:]
    var refusedByName = 0
    for (name, bytes) in files {
      counts[name.first ?? "?", default: 0] += 1
      let code = refusal(ofJSON: bytes)
      switch name.first {
      case "y" where Self.duplicateMembers.contains(name):
        #expect(code == .duplicateMember, "\(name)")
        refusedByName += 1
      case "y":
        #expect(code == nil, "\(name)")
        let value = try JSONParser.parse(bytes)
        #expect(try JSONParser.parse(try value.prettyBytes()) == value, "\(name)")
        #expect(try foundationValue(bytes) == value.withDoubles(), "\(name)")
      case "n": #expect(code != nil, "\(name)")
      default: #expect(Outcome(code) == Self.undefined[name], "\(name) is not in the table or went otherwise")
      }
    }
    let line = "yni".map { "\($0)_ \(counts[$0, default: 0])" }.joined(separator: ", ")
    print("jsontestsuite test_parsing: \(files.count) run (\(line)), \(refusedByName) y_ refused by name")
  }

  /// Correct by the grammar, refused by the format, since readers disagree on which of the two counts.
  private static let duplicateMembers: Set = [
    "y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json",
  ]

  /// What RFC 8259 leaves open, one by one, in the whole suite.
  private static let undefined: [String: Outcome] = [
    // Numbers are kept as text, so that no size or precision is out of range.
    "i_number_huge_exp.json": .accepted,
    "i_number_pos_double_huge_exp.json": .accepted,
    "i_number_real_pos_overflow.json": .accepted,
    "i_number_too_big_neg_int.json": .accepted,
    "i_number_very_big_negative_int.json": .accepted,
    "i_number_double_huge_neg_exp.json": .accepted,
    "i_number_neg_int_huge_exp.json": .accepted,
    "i_number_real_neg_overflow.json": .accepted,
    "i_number_real_underflow.json": .accepted,
    "i_number_too_big_pos_int.json": .accepted,
    // Half of a surrogate pair is no character and has no UTF-8.
    "i_object_key_lone_2nd_surrogate.json": .refused(.loneSurrogate),
    "i_string_incomplete_surrogate_pair.json": .refused(.loneSurrogate),
    "i_string_invalid_lonely_surrogate.json": .refused(.loneSurrogate),
    "i_string_1st_valid_surrogate_2nd_invalid.json": .refused(.loneSurrogate),
    "i_string_incomplete_surrogate_and_escape_valid.json": .refused(.loneSurrogate),
    "i_string_incomplete_surrogates_escape_valid.json": .refused(.loneSurrogate),
    "i_string_invalid_surrogate.json": .refused(.loneSurrogate),
    "i_string_inverted_surrogates_U+1D11E.json": .refused(.loneSurrogate),
    "i_string_lone_second_surrogate.json": .refused(.loneSurrogate),
    // Bytes that are not UTF-8 are never repaired.
    "i_string_UTF8_surrogate_U+D800.json": .refused(.invalidUTF8),
    "i_string_iso_latin_1.json": .refused(.invalidUTF8),
    "i_string_lone_utf8_continuation_byte.json": .refused(.invalidUTF8),
    "i_string_overlong_sequence_2_bytes.json": .refused(.invalidUTF8),
    "i_string_overlong_sequence_6_bytes_null.json": .refused(.invalidUTF8),
    "i_string_UTF-8_invalid_sequence.json": .refused(.invalidUTF8),
    "i_string_not_in_unicode_range.json": .refused(.invalidUTF8),
    "i_string_overlong_sequence_6_bytes.json": .refused(.invalidUTF8),
    "i_string_truncated-utf-8.json": .refused(.invalidUTF8),
    // Another encoding: its zero bytes are no JSON; a byte order mark is refused by name.
    "i_string_utf16LE_no_BOM.json": .refused(.invalidJSON),
    "i_string_utf16BE_no_BOM.json": .refused(.invalidJSON),
    "i_string_UTF-16LE_with_BOM.json": .refused(.invalidJSON),
    // More than 64 levels.
    "i_structure_500_nested_arrays.json": .refused(.tooDeep),
    "i_structure_UTF-8_BOM_empty_object.json": .refused(.byteOrderMark),
  ]

  @Test("JSONTestSuite: number literals, names and strings that parsers change come back as they were")
  func transforms() throws {
    let files = try Self.files("jsontestsuite/test_transform", expected: 12)
    for (name, bytes) in files {
      let expected = Self.transformOutcome(name)
      #expect(Outcome(refusal(ofJSON: bytes)) == expected, "\(name)")
      guard expected == .accepted else { continue }
      let text = utf8(bytes).filter { !$0.isWhitespace }
      #expect(utf8(try JSONParser.parse(bytes).compactBytes()) == text, "\(name)")
    }
    print("jsontestsuite test_transform: \(files.count) run")
  }

  private static func transformOutcome(_ name: String) -> Outcome {
    if name.hasPrefix("object_") { return .refused(.duplicateMember) }
    if name.contains("escaped_invalid") { return .refused(.loneSurrogate) }
    return name.contains("invalid") ? .refused(.invalidUTF8) : .accepted
  }

  @Test("Foundation's fail files are refused, but the one that is correct JSON of a shape its test does not want")
  func foundationFail() throws {
    let files = try Self.files("swift-foundation/fail", expected: 20)
    for (name, bytes) in files { #expect((refusal(ofJSON: bytes) == nil) == (name == "fail1.json"), "\(name)") }
    print("swift-foundation fail: \(files.count) run (fail1 is correct JSON)")
  }

  @Test("Foundation's pass files are read as JSONDecoder reads them; UTF-16, UTF-32 and duplicates are refused")
  func foundationPass() throws {
    let files = try Self.files("swift-foundation/pass", expected: 10)
    for (name, bytes) in files {
      if name.contains("utf16") || name.contains("utf32") {
        #expect(refusal(ofJSON: bytes) == .invalidJSON, "\(name)")
      } else if name == "pass13.json" || name == "pass15.json" {
        #expect(refusal(ofJSON: bytes) == .duplicateMember, "Foundation keeps the first of two members")
      } else {
        let value = try JSONParser.parse(bytes)
        #expect(try value.withDoubles() == foundationValue(bytes), "\(name)")
        #expect(try JSONParser.parse(try value.prettyBytes()) == value, "\(name)")
      }
    }
    print("swift-foundation pass: \(files.count) run, 6 property lists not applicable (another format)")
  }

  @Test("naughty strings survive as values and as names, and print as Foundation prints them")
  func naughtyStrings() throws {
    guard SharedData.isPresent(forCases: 258, of: "blns") else { return }
    let items = try #require(try JSONParser.parse(SharedData.bytes("\(Self.folder)/blns/blns.json")).array)
    #expect(items.count >= 250)
    for item in items {
      let text = try #require(item.string)
      let value = JSONValue.object(try JSONObject([("value", item), (text.isEmpty ? "empty" : text + "x", .null)]))
      #expect(try JSONParser.parse(try value.prettyBytes()) == value)
      #expect(try value.prettyBytes(finalNewline: false) == foundationBytes(value))
      let path = MemberPath([.member(text), .index(0), .member(text)])
      #expect(try MemberPath(parsing: path.description) == path)
    }
    #expect(try JSONValue.array(items).prettyBytes(finalNewline: false) == foundationBytes(.array(items)))
    print("blns: \(items.count) run")
  }

  @Test("RFC 8785 inputs and outputs are the same tree to us, but for its rewritten numbers")
  func canonicalisation() throws {
    let files = try Self.files("jcs-rfc8785/input", expected: 3)
    for (name, bytes) in files {
      let output = try SharedData.bytes("\(Self.folder)/jcs-rfc8785/output/\(name)")
      let hexText = utf8(try SharedData.bytes("\(Self.folder)/jcs-rfc8785/outhex/\(name.dropLast(5)).txt"))
      #expect(try Hex.decode(hexText.filter { !$0.isWhitespace }) == output, "\(name)")
      #expect(try JSONParser.parse(output).compactBytes() == output, "\(name)")
      // RFC 8785 writes 56.0 as 56; our rule keeps the literal.
      let ours = utf8(try JSONParser.parse(bytes).compactBytes()).replacing("56.0", with: "56")
      #expect(Array(ours.utf8) == output, "\(name)")
    }
    print("jcs-rfc8785 input: \(files.count) run")
  }

  @Test("RFC 8785 number texts are accepted and kept to the byte")
  func canonicalNumbers() throws {
    guard SharedData.isPresent(forCases: 12, of: "jcs-rfc8785 numbers") else { return }
    let table = try JSONParser.parse(SharedData.bytes("\(Self.folder)/jcs-rfc8785/numbers.json"))
    let rows = try #require(table["numbers"]?.array)
    #expect(rows.count == 12)
    for row in rows {
      let literal = try #require(row["json"]?.string)
      #expect(JSONNumber(literal: literal)?.literal == literal)
      #expect(utf8(try json("[\(literal)]").compactBytes()) == "[\(literal)]")
    }
    print("jcs-rfc8785 numbers: \(rows.count) run, 1 not applicable (NaN: there is no arithmetic here)")
  }
}

/// What is to become of a file.
private enum Outcome: Equatable {
  case accepted
  case refused(DocumentError.Code)

  init(_ code: DocumentError.Code?) { self = code.map { .refused($0) } ?? .accepted }
}
