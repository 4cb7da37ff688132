#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// JSON read by Foundation, so that tests of our writer do not rest on our parser.
indirect enum JSON: Codable, Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// The JSON in the bytes; null if they are not JSON.
  init(_ bytes: [UInt8]) { self = (try? JSONDecoder().decode(JSON.self, from: Data(bytes))) ?? .null }

  init(_ text: String) { self.init(Array(text.utf8)) }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let flag = try? value.decode(Bool.self) {
      self = .bool(flag)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .string(text)
    } else if let items = try? value.decode([JSON].self) {
      self = .array(items)
    } else {
      self = .object(try value.decode([String: JSON].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let items): try container.encode(items)
    case .object(let members): try container.encode(members)
    }
  }

  /// As Foundation prints it with sorted keys, and a newline.
  func foundationBytes() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try [UInt8](encoder.encode(self)) + [UInt8(ascii: "\n")]
  }

  subscript(name: String) -> JSON? { if case .object(let members) = self { members[name] } else { nil } }
  subscript(index: Int) -> JSON? { items.flatMap { $0.indices.contains(index) ? $0[index] : nil } }

  var text: String? { if case .string(let text) = self { text } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  var items: [JSON]? { if case .array(let items) = self { items } else { nil } }
  var members: [String: JSON]? { if case .object(let members) = self { members } else { nil } }
}
