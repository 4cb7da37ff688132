import Testing
import VaultDocument
import VaultExchange
import VaultSealing
import VaultTestSupport

@Suite("The text of a scalar is kept, whatever type the format gives it")
struct ScalarTests {
  private func expect(_ texts: [String], of row: ScalarRow, _ format: String) throws {
    let imported = try Imported(ImportFormats.named(format), row.source(texts), options: row.options)
    for (number, text) in texts.enumerated() {
      let found = try row.text(imported, number)
      #expect(found.map { Array($0.utf8) } == Array(text.utf8), "\(format): \(text) came as \(found ?? "nothing")")
    }
  }

  @Test("the list has forty texts")
  func count() {
    #expect(Set(Scalars.all).count == 40)
  }

  @Test("every format that can be imported has a row in the table")
  func formats() throws {
    let rows = Set(try ScalarRow.all().keys).union(ScalarRow.readAs.keys)
    #expect(rows == Set(ImportFormats.all.map(\.format.name)))
  }

  @Test("each format gives the forty texts as they are in the file", arguments: ImportFormats.all.map(\.format.name))
  func imports(_ format: String) throws {
    guard !format.hasSuffix("-yaml") || Need.yaml.isMet(forCases: 1, of: "scalars of \(format)") else { return }
    guard format != "keepass-kdbx" || Need.argon2.isMet(forCases: 1, of: "scalars of \(format)") else { return }
    let name = ScalarRow.readAs[format] ?? format
    try expect(Scalars.all, of: try #require(try ScalarRow.all()[name]), name)
  }

  private static var plainYAML: ScalarRow {
    .each("password") { texts in texts.map { "- title: n\n  password: \($0)\n" }.joined() }
  }
  private static var plainSecret: ScalarRow {
    .one { texts in
      let data = texts.enumerated().map { "  n\($0): \($1)\n" }.joined()
      return Array("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n\(data)".utf8)
    }
  }

  @Test(
    "YAML without quotes gives the text, not the number, moment or word that it stands for",
    .enabled(if: Need.yaml.isMet(forCases: 3, of: "plain scalars of YAML")))
  func plainScalars() throws {
    try expect(Scalars.typed, of: Self.plainYAML, "plain-yaml")
    try expect(Scalars.typed, of: Self.plainSecret, "kubernetes-yaml")
    let tagged = ["!!int 007", "!!float 1.10", "!!str 0777", "!!timestamp 2024-01-02"]
    let record = try Imported("plain-yaml", "- title: n\n" + tagged.enumerated().map { "  n\($0): \($1)\n" }.joined())
    for (number, text) in ["007", "1.10", "0777", "2024-01-02"].enumerated() {
      #expect(try record.first("n").text("secrets.n\(number)") == text)
    }
  }

  @Test(
    "a plain scalar of YAML without any text, and what kubectl writes for a moment that is not set, are empty",
    .enabled(if: Need.yaml.isMet(forCases: 2, of: "empty scalars of YAML")))
  func emptyScalars() throws {
    let empty = try Imported("plain-yaml", "- title: n\n  password:\n  notes: ''\n").first("n")
    #expect(empty.members["password"] == nil)
    #expect(empty.members["notes"] == nil)
    let made = "apiVersion: v1\nkind: Secret\nmetadata:\n  creationTimestamp: null\n  name: n\nstringData:\n  a: b\n"
    #expect(try Imported("kubernetes-yaml", made).first("n").text("fields.created") == nil)
  }

  @Test(
    "numbers and words of JSON keep their literals",
    arguments: ["1.10", "1e3", "1E400", "-0", "12345678901234567890123", "18446744073709551615", "true", "false"])
  func literals(_ literal: String) throws {
    let record = try Imported("plain-json", #"[{"title": "n", "password": \#(literal)}]"#).first("n")
    #expect(try record.text("password") == literal)
    let lines = try Imported("plain-jsonl", #"{"title": "n", "password": \#(literal)}"#).first("n")
    #expect(try lines.text("password") == literal)
  }

  @Test(
    "numbers and dates of a property list in XML keep their texts",
    arguments: [
      ("integer", "007"), ("integer", "-0"), ("integer", "+5"), ("integer", "0x1F"),
      ("integer", "9223372036854775808"), ("integer", "18446744073709551615"), ("real", "1.10"), ("real", "1e400"),
      ("real", "0.1000"), ("real", "nan"), ("date", "2024-01-02T03:04:05Z"), ("date", "0001-01-01T00:00:00Z"),
    ])
  func propertyList(_ type: String, _ text: String) throws {
    let head =
      #"<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#
    let file =
      "\(head)<plist version=\"1.0\"><dict><key>title</key><string>n</string><key>password</key><\(type)>\(text)</\(type)></dict></plist>"
    #expect(try Imported("plist", file).first("n").text("password") == text)
  }

  @Test("a document type that defines entities, and an entity that is not one of XML, are refused")
  func propertyListEntities() {
    for (type, text, code) in [
      ("<!DOCTYPE plist [<!ENTITY a \"b\">]>", "&a;", ExchangeError.Code.unsupported),
      ("<!DOCTYPE plist SYSTEM \"x.dtd\">", "&a;", .malformed), ("", "<b/>", .malformed),
    ] {
      let file = "\(type)<plist><dict><key>title</key><string>\(text)</string></dict></plist>"
      #expect(throws: ExchangeError(code, "")) { _ = try Imported("plist", file) }
    }
  }

  @Test(
    "whole numbers of a binary property list keep all digits up to the largest that it has",
    arguments: [Int64.min.description, Int64.max.description, "9223372036854775808", UInt64.max.description])
  func binaryPropertyList(_ digits: String) throws {
    let number = try #require(UInt64(digits).map { Binary.list(of: $0) } ?? Int64(digits).map { Binary.list(of: $0) })
    let imported = try Imported(ImportFormats.named("plist"), ImportSource(name: "n", bytes: number))
    #expect(try imported.records.first?.text("secrets.n") == digits)
  }

  /// A dictionary of one number under `n`, as plistlib writes it: numbers beyond eight bytes have sixteen.
  private enum Binary {
    static func list(of number: UInt64) -> [UInt8] {
      let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      return list(number > UInt64(Int64.max) ? [0x14] + [UInt8](repeating: 0, count: 8) + bytes : [0x13] + bytes)
    }

    static func list(of number: Int64) -> [UInt8] {
      let bits = UInt64(bitPattern: number)
      return list([0x13] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) })
    }

    private static func list(_ number: [UInt8]) -> [UInt8] {
      let objects: [UInt8] = [0xD1, 1, 2, 0x51, UInt8(ascii: "n")] + number
      let head = Array("bplist00".utf8)
      let table: [UInt8] = [8, 11, 13]
      let tail: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 8)
      return head + objects + table + tail + [0, 0, 0, 0, 0, 0, 0, UInt8(8 + objects.count)]
    }
  }
}
