import SwiftSyntaxMacrosGenericTestSupport
import Testing
import RecordMacroPlugin

@Suite("What the macros refuse") struct MisuseTests {
  /// The body of a struct with `@VaultRecord`, which is left as it is but for the marks.
  private func expectRefusal(
    _ misuse: Misuse, line: Int = 3, column: Int, of body: String, without plain: String? = nil,
    attribute: String = "@VaultRecord", sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    expectExpansion(
      "\(attribute)\nstruct Thing {\n\(body)\n}", "struct Thing {\n\(plain ?? body)\n}",
      [DiagnosticSpec(message: misuse.message, line: line, column: column)], sourceLocation: sourceLocation)
  }

  @Test("a title that is sealed, or is no text")
  func titles() {
    expectRefusal(
      .sealedTitle, column: 3, of: "  @Title var code: EncryptedCodableString",
      without: "  var code: EncryptedCodableString")
    expectRefusal(.sealedTitle, column: 3, of: "  @Title var code: Sealed<Int>?", without: "  var code: Sealed<Int>?")
    expectRefusal(.noTitle("a list"), column: 3, of: "  @Title var a: [String]", without: "  var a: [String]")
    expectRefusal(.noTitle("of type Int"), column: 3, of: "  @Title var a: Int?", without: "  var a: Int?")
  }

  @Test("a property that cannot be read or written")
  func properties() {
    expectRefusal(.noType("a"), column: 7, of: "  var a = 1")
    expectRefusal(.constant("a"), column: 7, of: "  let a: Int = 1")
    expectRefusal(.lazy("a"), column: 12, of: "  lazy var a: Int = 1")
    expectRefusal(.noMembers, line: 1, column: 1, of: "")
  }

  @Test("names that are none, or stand twice in one object")
  func names() {
    expectRefusal(
      .twice("a"), line: 4, column: 17, of: "  var a: Int\n  @Key(\"a\") var b: Int",
      without: "  var a: Int\n  var b: Int")
    expectRefusal(
      .twice("a"), line: 4, column: 20, of: "  var a: Int\n  @Nested(\"a\") var b: Int",
      without: "  var a: Int\n  var b: Int")
    expectRefusal(.reserved, column: 22, of: "  @Key(\"$vault\") var a: Int", without: "  var a: Int")
    expectRefusal(.emptyName, column: 8, of: "  @Key(\"\") var a: Int", without: "  var a: Int")
    expectRefusal(.notALiteral, column: 8, of: "  @Key(name) var a: Int", without: "  var a: Int")
    expectRefusal(.notAKind, line: 1, column: 14, of: "  var a: Int", attribute: "@VaultRecord(\"Big Thing\")")
    expectRefusal(.notAStyle, line: 1, column: 20, of: "  var a: Int", attribute: "@VaultRecord(keys: style)")
  }

  @Test("coding that is written by hand as well")
  func ownCoding() {
    expectRefusal(
      .ownCoding("CodingKeys"), line: 4, column: 3,
      of: "  var a: Int\n  enum CodingKeys: String, CodingKey {\n    case a\n  }")
    expectRefusal(
      .ownCoding("init(from:)"), line: 4, column: 3,
      of: "  var a: Int\n  init(from decoder: any Decoder) throws { a = 1 }")
  }

  @Test("what is no struct, and marks elsewhere")
  func elsewhere() {
    expectExpansion(
      "@VaultRecord\nfinal class Thing {\n  var a: Int\n}", "final class Thing {\n  var a: Int\n}",
      [DiagnosticSpec(message: Misuse.notAStruct.message, line: 1, column: 1)])
    expectExpansion(
      "struct Thing {\n  @Title var a: String\n}", "struct Thing {\n  var a: String\n}",
      [DiagnosticSpec(message: Misuse.elsewhere("Title").message, line: 2, column: 3)])
  }
}
