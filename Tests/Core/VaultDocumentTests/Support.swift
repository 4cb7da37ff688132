import Testing
import VaultDocument

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Parses a text and expects that it is refused by this code at this place.
func expectRefused(
  _ text: String, _ code: DocumentError.Code, line: Int, column: Int, sourceLocation: SourceLocation = #_sourceLocation
) {
  expectRefused(Array(text.utf8), code, line: line, column: column, sourceLocation: sourceLocation)
}

/// Parses bytes and expects that they are refused by this code at this place.
func expectRefused(
  _ bytes: [UInt8], _ code: DocumentError.Code, line: Int, column: Int,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  do throws(DocumentError) {
    _ = try JSONParser.parse(bytes)
    Issue.record("accepted", sourceLocation: sourceLocation)
  } catch {
    #expect(error.code == code, sourceLocation: sourceLocation)
    #expect(error.line == line, "line", sourceLocation: sourceLocation)
    #expect(error.column == column, "column", sourceLocation: sourceLocation)
  }
}

/// The code by which something is refused; nil where it is accepted.
func refusal<R>(_ body: () throws(DocumentError) -> R) -> DocumentError.Code? {
  do throws(DocumentError) {
    _ = try body()
    return nil
  } catch { return error.code }
}

/// The code by which a text is refused; nil where it is accepted.
func refusal(ofJSON bytes: [UInt8]) -> DocumentError.Code? {
  refusal { () throws(DocumentError) in try JSONParser.parse(bytes) }
}

func json(_ text: String) throws(DocumentError) -> JSONValue { try JSONParser.parse(text) }

func utf8(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// A tree as Foundation's coders see it, the independent judge of our reader and writer.
struct FoundationTree: Codable {
  let value: JSONValue

  init(_ value: JSONValue) { self.value = value }

  func encode(to encoder: any Encoder) throws {
    switch value {
    case .array(let items):
      var container = encoder.unkeyedContainer()
      for item in items { try container.encode(FoundationTree(item)) }
    case .object(let object):
      var container = encoder.container(keyedBy: Name.self)
      for member in object { try container.encode(FoundationTree(member.value), forKey: Name(member.name)) }
    case .null, .bool, .number, .string:
      var container = encoder.singleValueContainer()
      try encodeScalar(to: &container)
    }
  }

  private func encodeScalar(to container: inout any SingleValueEncodingContainer) throws {
    switch value {
    case .bool(let flag): try container.encode(flag)
    case .string(let text): try container.encode(text)
    case .number(let number):
      if let integer = Int(number.literal) {
        try container.encode(integer)
      } else {
        try container.encode(try #require(Double(number.literal)))
      }
    default: try container.encodeNil()
    }
  }

  /// Numbers come back as the shortest text of their `Double`.
  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Name.self) {
      let members = try container.allKeys.map { ($0.stringValue, try container.decode(Self.self, forKey: $0).value) }
      value = .object(try JSONObject(members))
    } else if var container = try? decoder.unkeyedContainer() {
      var items: [JSONValue] = []
      while !container.isAtEnd { items.append(try container.decode(Self.self).value) }
      value = .array(items)
    } else {
      value = try Self.scalar(from: decoder.singleValueContainer())
    }
  }

  private static func scalar(from container: any SingleValueDecodingContainer) throws -> JSONValue {
    if container.decodeNil() { return .null }
    if let flag = try? container.decode(Bool.self) { return .bool(flag) }
    if let text = try? container.decode(String.self) { return .string(text) }
    return .number(try #require(JSONNumber(literal: "\(try container.decode(Double.self))")))
  }

  struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// The output of `JSONEncoder` in the form of vault files, without the final newline.
func foundationBytes(_ value: JSONValue, pretty: Bool = true) throws -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting =
    pretty ? [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
  return [UInt8](try encoder.encode(FoundationTree(value)))
}

/// The reading of `JSONDecoder`.
func foundationValue(_ bytes: [UInt8]) throws -> JSONValue {
  try JSONDecoder().decode(FoundationTree.self, from: Data(bytes)).value
}

extension JSONValue {
  /// The same tree with every number as the shortest text of its `Double`.
  func withDoubles() throws -> JSONValue {
    switch self {
    case .number(let number):
      let double = try #require(Double(number.literal))
      return .number(try #require(JSONNumber(literal: "\(double)")))
    case .array(let items): return .array(try items.map { try $0.withDoubles() })
    case .object(let object): return .object(try JSONObject(object.map { ($0.name, try $0.value.withDoubles()) }))
    case .null, .bool, .string: return self
    }
  }
}
