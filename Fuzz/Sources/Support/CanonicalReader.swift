import VaultDocument

/// Reads `T` back (format 1, section 1.2, Trees), written from the document alone: an encoding that can be read back is
/// not ambiguous.
struct CanonicalReader {
  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The tree that `bytes` are `T` of; nil when they are of none.
  static func read(_ bytes: [UInt8]) -> JSONValue? {
    var reader = CanonicalReader(bytes)
    guard let value = reader.value(), reader.position == bytes.count else { return nil }
    return value
  }

  private mutating func value() -> JSONValue? {
    guard let kind = take(1)?.first else { return nil }
    switch kind {
    case 0x00: return .null
    case 0x01: return .bool(false)
    case 0x02: return .bool(true)
    case 0x03: return text().flatMap { JSONNumber(literal: $0) }.map { .number($0) }
    case 0x04: return text().map { .string($0) }
    case 0x05: return items()
    case 0x06: return members()
    default: return nil
    }
  }

  private mutating func items() -> JSONValue? {
    guard let count = count() else { return nil }
    var items: [JSONValue] = []
    for _ in 0..<count {
      guard let item = value() else { return nil }
      items.append(item)
    }
    return .array(items)
  }

  private mutating func members() -> JSONValue? {
    guard let count = count() else { return nil }
    var members: [(String, JSONValue)] = []
    for _ in 0..<count {
      guard let name = text(), let value = value() else { return nil }
      if let last = members.last {
        guard last.0.utf8.lexicographicallyPrecedes(name.utf8) else { return nil }
      }
      members.append((name, value))
    }
    return (try? JSONObject(members)).map { .object($0) }
  }

  private mutating func text() -> String? {
    count().flatMap { take($0) }.flatMap { String(validating: $0, as: UTF8.self) }
  }

  private mutating func count() -> Int? { take(4)?.reduce(0) { $0 << 8 | Int($1) } }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= bytes.count - position else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }
}
