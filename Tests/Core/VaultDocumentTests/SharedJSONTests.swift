import Testing
import VaultDocument
import VaultTestSupport

/// JSON by others, read where it lies beside the repository.
@Suite struct SharedJSONTests {
  private static let folder = "fixtures/json"

  /// The files of a folder; where the shared data is absent, says how many cases were not run.
  private static func files(_ folder: String, cases: Int) throws -> [(name: String, bytes: [UInt8])] {
    guard SharedData.isPresent(forCases: cases, of: folder) else { return [] }
    let names = try SharedData.names(in: "\(Self.folder)/\(folder)").filter { $0.hasSuffix(".json") }
    #expect(!names.isEmpty, "\(folder) is empty")
    return try names.map { ($0, try SharedData.bytes("\(Self.folder)/\(folder)/\($0)")) }
  }

  @Test("JSONTestSuite: every y_ is accepted but duplicate members, every n_ is refused, every i_ as its bytes tell")
  func testSuite() throws {
    let files = try Self.files("jsontestsuite/test_parsing", cases: 160)
    var tally = CaseTally("jsontestsuite test_parsing")
    for (name, bytes) in files {
      let outcome = Outcome(refusal(ofJSON: bytes))
      switch name.prefix(2) {
      case "y_" where Outcome.expected(of: bytes) == .refused(.duplicateMember):
        #expect(outcome == .refused(.duplicateMember), "\(name)")
        tally.ran()
      case "y_":
        #expect(outcome == .accepted, "\(name)")
        checkAccepted(name, bytes, &tally)
      case "n_":
        #expect(outcome != .accepted, "\(name)")
        tally.ran()
      case "i_":
        #expect(outcome == Outcome.expected(of: bytes), "\(name)")
        tally.ran()
      default: Issue.record("\(name): what is to become of it?")
      }
    }
    tally.report()
    #expect(tally.totalCount == files.count)
  }

  /// Checks that accepted text comes back the same, and equals Foundation's reading if Foundation accepts it.
  private func checkAccepted(_ name: String, _ bytes: [UInt8], _ tally: inout CaseTally) {
    #expect(throws: Never.self, "\(name)") {
      let value = try JSONParser.parse(bytes)
      #expect(try JSONParser.parse(try value.prettyBytes()) == value, "\(name)")
      guard let theirs = try? foundationValue(bytes) else { return tally.notApplicable("Foundation refuses \(name)") }
      #expect(try theirs == value.withDoubles(), "\(name)")
      tally.ran()
    }
  }

  @Test("JSONTestSuite: number literals, names and strings that parsers change come back as they were")
  func transforms() throws {
    let files = try Self.files("jsontestsuite/test_transform", cases: 12)
    for (name, bytes) in files {
      let expected = Outcome.expected(of: bytes)
      #expect(Outcome(refusal(ofJSON: bytes)) == expected, "\(name)")
      guard expected == .accepted else { continue }
      let text = utf8(bytes).filter { !$0.isWhitespace }
      #expect(throws: Never.self, "\(name)") {
        let compact = try JSONParser.parse(bytes).compactBytes()
        #expect(utf8(compact) == text, "\(name)")
      }
    }
    print("jsontestsuite test_transform: \(files.count) run")
  }

  @Test("Foundation's fail files are refused, but those that are correct JSON of a shape its test does not want")
  func foundationFail() throws {
    let files = try Self.files("swift-foundation/fail", cases: 20)
    for (name, bytes) in files {
      let isCorrect = (try? foundationValue(bytes)) != nil && Outcome.expected(of: bytes) == .accepted
      #expect((refusal(ofJSON: bytes) == nil) == isCorrect, "\(name)")
    }
    print("swift-foundation fail: \(files.count) run")
  }

  @Test("Foundation's pass files are read as JSONDecoder reads them; UTF-16, UTF-32 and duplicates are refused")
  func foundationPass() throws {
    let files = try Self.files("swift-foundation/pass", cases: 10)
    var tally = CaseTally("swift-foundation pass")
    for (name, bytes) in files {
      let expected = Outcome.expected(of: bytes)
      #expect(Outcome(refusal(ofJSON: bytes)) == expected, "\(name)")
      if expected == .accepted { checkAccepted(name, bytes, &tally) } else { tally.ran() }
    }
    tally.report()
    #expect(tally.totalCount == files.count)
  }

  @Test("naughty strings survive as values and as names, and print as Foundation prints them")
  func naughtyStrings() throws {
    guard SharedData.isPresent(forCases: 258, of: "blns") else { return }
    let items = try #require(try JSONParser.parse(SharedData.bytes("\(Self.folder)/blns/blns.json")).array)
    #expect(!items.isEmpty)
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

  @Test("RFC 8785 inputs and outputs are the same tree to us, but for how it rewrites numbers and sorts names")
  func canonicalisation() throws {
    let files = try Self.files("jcs-rfc8785/input", cases: 3)
    for (name, bytes) in files {
      let output = try SharedData.bytes("\(Self.folder)/jcs-rfc8785/output/\(name)")
      let hexText = utf8(try SharedData.bytes("\(Self.folder)/jcs-rfc8785/outhex/\(name.dropLast(5)).txt"))
      #expect(try Hex.decode(hexText.filter { !$0.isWhitespace }) == output, "\(name)")
      let theirs = try JSONParser.parse(output)
      #expect(try JSONParser.parse(bytes).withDoubles() == theirs.withDoubles(), "\(name)")
      // RFC 8785 sorts by UTF-16, we by UTF-8: beyond the first 65,536 characters the two differ.
      let isSortedAlike = utf8(output).unicodeScalars.allSatisfy { $0.value < 0x10000 }
      #expect(try theirs.compactBytes() == output || !isSortedAlike, "\(name)")
    }
    print("jcs-rfc8785 input: \(files.count) run")
  }

  @Test("RFC 8785 number texts are accepted and kept to the byte")
  func canonicalNumbers() throws {
    guard SharedData.isPresent(forCases: 12, of: "jcs-rfc8785 numbers") else { return }
    let table = try JSONParser.parse(SharedData.bytes("\(Self.folder)/jcs-rfc8785/numbers.json"))
    let rows = try #require(table["numbers"]?.array)
    #expect(!rows.isEmpty)
    for row in rows {
      let literal = try #require(row["json"]?.string, "\(row["ieee754"]?.string ?? "a row")")
      #expect(JSONNumber(literal: literal)?.literal == literal)
      #expect(utf8(try json("[\(literal)]").compactBytes()) == "[\(literal)]")
    }
    let others = table["must_fail"]?.array?.count ?? 0
    print("jcs-rfc8785 numbers: \(rows.count) run, \(others) not applicable (NaN: there is no arithmetic here)")
  }
}

/// The expected result for a file.
private enum Outcome: Equatable {
  case accepted
  case refused(DocumentError.Code)

  init(_ code: DocumentError.Code?) { self = code.map { .refused($0) } ?? .accepted }

  /// The verdict from the bytes of a text, where the grammar of RFC 8259 decides or leaves a choice.
  static func expected(of bytes: [UInt8]) -> Outcome {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return .refused(.byteOrderMark) }
    // Another encoding: its zero bytes are no JSON.
    if bytes.contains(0) { return .refused(.invalidJSON) }
    // Bytes that are not UTF-8 are never repaired.
    guard let text = String(validating: bytes, as: UTF8.self) else { return .refused(.invalidUTF8) }
    let marks = JSONMarks(text)
    // Half of a surrogate pair is not a character and has no UTF-8.
    if marks.hasLoneSurrogate { return .refused(.loneSurrogate) }
    if marks.depth > 64 { return .refused(.tooDeep) }
    // Readers disagree on which of two members counts. Numbers are kept as text: no size or precision is out of range.
    return marks.hasDuplicateMember ? .refused(.duplicateMember) : .accepted
  }
}

/// The facts that decide about a text that is otherwise JSON, found without our parser.
private struct JSONMarks {
  private(set) var depth = 0
  private(set) var hasLoneSurrogate = false
  private(set) var hasDuplicateMember = false

  init(_ text: String) {
    var names: [Set<String>] = []
    var rest = Substring(text)
    while let character = rest.unicodeScalars.popFirst() {
      switch character {
      case "{", "[":
        names.append([])
        depth = max(depth, names.count)
      case "}", "]": _ = names.popLast()
      case "\"":
        let literal = Self.takeString(&rest)
        if Self.hasLoneSurrogate(literal) { hasLoneSurrogate = true }
        guard rest.drop(while: \.isWhitespace).first == ":", let level = names.indices.last else { continue }
        // Two names are the same where Swift says so, which is canonical equivalence.
        guard let name = try? foundationValue(Array("\"\(literal)\"".utf8)).string else { continue }
        if !names[level].insert(name).inserted { hasDuplicateMember = true }
      default: continue
      }
    }
  }

  /// Takes the text up to the quote that ends a string, and the quote.
  private static func takeString(_ rest: inout Substring) -> String {
    var literal = String.UnicodeScalarView()
    while let scalar = rest.unicodeScalars.popFirst(), scalar != "\"" {
      literal.append(scalar)
      if scalar == "\\", let escaped = rest.unicodeScalars.popFirst() { literal.append(escaped) }
    }
    return String(literal)
  }

  private static func hasLoneSurrogate(_ literal: String) -> Bool {
    var units: [UInt16] = []
    var rest = literal.utf16[...]
    while let unit = rest.popFirst() {
      guard unit == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        units.append(unit)
        continue
      }
      let digits = escape == UInt8(ascii: "u") ? String(decoding: rest.prefix(4), as: UTF16.self) : ""
      units.append(UInt16(digits, radix: 16) ?? 0)
      if !digits.isEmpty { rest = rest.dropFirst(4) }
    }
    return String(validating: units, as: UTF16.self) == nil
  }
}
