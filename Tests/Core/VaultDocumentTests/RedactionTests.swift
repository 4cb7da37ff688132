import Testing
import VaultDocument

@Suite struct RedactionTests {
  private static let marker = "MARKER-4711"

  @Test(
    "nothing that prints a value shows what it holds",
    arguments: [
      #""MARKER-4711""#, #"["MARKER-4711"]"#, #"{"MARKER-4711":1}"#, #"{"a":{"b":["MARKER-4711"]}}"#,
    ])
  func values(text: String) throws {
    let value = try json(text)
    #expect(!printed(value).contains(Self.marker))
    if let object = value.object { #expect(!printed(object).contains(Self.marker)) }
  }

  @Test("numbers and truth values are not shown either")
  func scalars() throws {
    let number = try #require(JSONNumber(literal: "4711.0815"))
    #expect(!printed(number).contains("4711"))
    #expect(!printed(JSONValue.number(number)).contains("4711"))
    #expect(!printed(JSONValue.bool(true)).contains("true"))
  }

  @Test("a placeholder says what kind of value it is and how large")
  func placeholders() throws {
    #expect("\(try json(#"{"a":1,"b":2}"#))" == "JSON object with 2 members")
    #expect("\(try json("[1]"))" == "JSON array with 1 item")
    #expect("\(try json("\"x\""))" == "JSON string")
    #expect("\(JSONValue.null)" == "JSON null")
  }

  @Test("errors are equal by code, and every code has a reason of its own")
  func errors() {
    let codes: [DocumentError.Code] = [
      .invalidJSON, .invalidUTF8, .duplicateMember, .tooDeep, .numberTooLong, .tooLarge, .invalidDate,
      .invalidIdentifier, .invalidBase64, .invalidHex, .invalidPath, .noSuchMember, .wrongType, .loneSurrogate,
      .byteOrderMark,
    ]
    #expect(Set(codes.map { DocumentError(code: $0).reason }).count == codes.count)
    #expect(Set(codes.map(\.description)).count == codes.count)
    #expect(DocumentError(code: .tooDeep, line: 1, column: 2) == DocumentError(code: .tooDeep))
    #expect(DocumentError(code: .tooDeep) != DocumentError(code: .tooLarge))
    #expect(DocumentError(code: .wrongType, path: "a.b").description == "a.b: a value of another type is in the way")
  }

  private func printed(_ value: Any) -> String {
    var text = "\(value) \(String(reflecting: value)) \(Mirror(reflecting: value).children.map { "\($0)" })"
    dump(value, to: &text)
    dump([value], to: &text)
    return text
  }
}
