import Testing

@testable import VaultDocument

@Suite("JSON in pieces")
struct JSONListReaderTests {
  /// Reads a text in pieces of a size, its list handed over.
  private func members(_ text: String, pieces size: Int) throws(DocumentError) -> (JSONValue, [String]) {
    var rest = Array(text.utf8)[...]
    var taken: [String] = []
    let value = try JSONParser.parse(
      limits: .list,
      from: {
        defer { rest = rest.dropFirst(size) }
        return Array(rest.prefix(size))
      }, handingOver: "list"
    ) { name, value in taken.append("\(name)=\(value)") }
    return (value, taken)
  }

  private static let texts = [
    #"{"list":{"a":1,"b":[1,2,{"x":"é😀"}],"é":null},"other":{"list":{"deep":1}},"n":-12.5e3}"#,
    " {\n \"n\" : 1234567890 ,\n\t\"list\" : { }\r\n } \n", #"{"list":[1,2]}"#, #"{"list":1}"#, "{}",
    "[1,2,3]", "12345", "true", #""text""#, #"{"a":"\ud83d\ude00\n"}"#,
  ]

  @Test("pieces of any size read as the whole does", arguments: texts)
  func sizes(_ text: String) throws {
    let whole = try members(text, pieces: 1 << 20)
    for size in 1...max(2, text.utf8.count) {
      let parts = try members(text, pieces: size)
      #expect(parts.0 == whole.0 && parts.1 == whole.1, "pieces of \(size)")
    }
    // But for the list that is handed over, the document is what the parser reads.
    if whole.1.isEmpty { #expect(try JSONParser.parse(text) == whole.0) }
  }

  @Test(
    "a text that is none fails at the same place in pieces of any size",
    arguments: [
      "", "{", #"{"list":{"a":1"#, #"{"list":{"a":1,}}"#, #"{"list":{"a" 1}}"#, #"{"list":{"a":01}}"#,
      #"{"list":{"a":tru}}"#,
      "{\"list\":{\n\"é\":1,\n  \"b\":\"\u{1}\"}}", #"{"list":{}} x"#, #"{"a":1,"a":2}"#, "[1,2", "\u{FEFF}{}",
      #"{"list":{"a":"\ud83d"}}"#,
    ])
  func failures(_ text: String) {
    let whole = #expect(throws: DocumentError.self) { try members(text, pieces: 1 << 20) }
    for size in 1...max(2, text.utf8.count) {
      let parts = #expect(throws: DocumentError.self) { try members(text, pieces: size) }
      #expect(parts == whole, "pieces of \(size)")
    }
    let parsed = #expect(throws: DocumentError.self) { try JSONParser.parse(text) }
    #expect(parsed?.code == whole?.code && parsed?.line == whole?.line)
  }

  @Test("a list far longer than what is in memory at a time is handed over whole, with the line of a fault in it")
  func long() throws {
    let lines = (0..<20_000).map { "  \"\($0)\" : [\n \($0), \"é\"\n ]" }
    let text = "{ \"list\" : {\n" + lines.joined(separator: ",\n") + "\n}\n}"
    let read = try members(text, pieces: 1000)
    #expect(read.1.count == 20_000 && read.1[12_345].hasPrefix("12345="))
    let broken = text.replacing("\"15000\" : [", with: "\"15000\" ; [")
    let failure = #expect(throws: DocumentError.self) { try members(broken, pieces: 1000) }
    #expect(failure?.line == 15_000 * 3 + 2 && failure?.column == 11)
  }
}
