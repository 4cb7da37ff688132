internal import VaultDocument

/// Writes JSON trees as a binary property list, version 00.
///
/// Foundation writes canonically equal strings only once, so one of two passwords would become the other. This writer
/// keeps every value; it shares only member names, which it compares by bytes.
struct BinaryPropertyListWriter {
  private struct Node {
    /// The beginning of the object, or all of it.
    let bytes: [UInt8]
    /// The numbers of the objects it refers to.
    let references: [Int]
  }

  private var nodes: [Node] = []
  private var names: [[UInt8]: Int] = [:]

  static func bytes(of value: JSONValue) throws -> [UInt8] {
    var writer = BinaryPropertyListWriter()
    let top = try writer.add(value)
    return writer.bytes(top: top)
  }

  /// Adds a value after its parts and returns its object number. Null and numbers of more than 64 bits are refused.
  private mutating func add(_ value: JSONValue) throws -> Int {
    switch value {
    case .object(let members):
      let keys = members.map { add(name: Array($0.name.utf8), $0.name) }
      let values = try members.map { try add($0.value) }
      return append(Self.head(0xD, count: keys.count), keys + values)
    case .array(let items):
      let references = try items.map { try add($0) }
      return append(Self.head(0xA, count: items.count), references)
    case .string(let text): return append(Self.string(text))
    case .bool(let flag): return append([flag ? 0x09 : 0x08])
    case .number(let number):
      guard let bytes = Self.number(number.literal) else { throw Self.refusal("is a number of more than 64 bits") }
      return append(bytes)
    case .null: throw Self.refusal("is null, which a property list cannot hold")
    }
  }

  private mutating func add(name: [UInt8], _ text: String) -> Int {
    if let known = names[name] { return known }
    let number = append(Self.string(text))
    names[name] = number
    return number
  }

  private mutating func append(_ bytes: [UInt8], _ references: [Int] = []) -> Int {
    nodes.append(Node(bytes: bytes, references: references))
    return nodes.count - 1
  }

  private static func refusal(_ reason: String) -> EncodingError {
    .invalidValue("<value>", .init(codingPath: [], debugDescription: reason))
  }

  /// A kind and the count of bytes, units or items that follow.
  private static func head(_ kind: UInt8, count: Int) -> [UInt8] {
    count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 0xF] + integer(UInt64(count))
  }

  private static func string(_ text: String) -> [UInt8] {
    let utf8 = Array(text.utf8)
    if utf8.allSatisfy({ $0 < 0x80 }) { return head(0x5, count: utf8.count) + utf8 }
    let units = Array(text.utf16)
    return head(0x6, count: units.count) + units.flatMap { bigEndian(UInt64($0), byteCount: 2) }
  }

  /// Nil if the literal is neither a 64-bit integer nor a finite `Double`.
  private static func number(_ literal: String) -> [UInt8]? {
    // Eight bytes are signed; larger numbers take sixteen.
    if let number = Int64(literal) {
      return number < 0 ? [0x13] + bigEndian(UInt64(bitPattern: number), byteCount: 8) : integer(UInt64(number))
    }
    if let number = UInt64(literal) {
      return [0x14] + bigEndian(0, byteCount: 8) + bigEndian(number, byteCount: 8)
    }
    guard let number = Double(literal), number.isFinite else { return nil }
    return [0x23] + bigEndian(number.bitPattern, byteCount: 8)
  }

  /// A non-negative integer in 1, 2, 4 or 8 bytes.
  private static func integer(_ number: UInt64) -> [UInt8] {
    let power = number < 1 << 8 ? 0 : number < 1 << 16 ? 1 : number < 1 << 32 ? 2 : 3
    return [0x10 | UInt8(power)] + bigEndian(number, byteCount: 1 << power)
  }

  private static func bigEndian(_ number: UInt64, byteCount: Int) -> [UInt8] {
    (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: number >> (UInt64($0) * 8)) }
  }

  private static func byteCount(for number: Int) -> Int {
    (1...8).first { $0 == 8 || number < 1 << ($0 * 8) } ?? 8
  }

  /// The whole file, once all objects were added; `top` is the number of the outermost.
  private func bytes(top: Int) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    let referenceByteCount = Self.byteCount(for: nodes.count)
    for node in nodes {
      offsets.append(bytes.count)
      bytes += node.bytes
      for reference in node.references { bytes += Self.bigEndian(UInt64(reference), byteCount: referenceByteCount) }
    }
    let table = bytes.count
    let offsetByteCount = Self.byteCount(for: table)
    for offset in offsets { bytes += Self.bigEndian(UInt64(offset), byteCount: offsetByteCount) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetByteCount), UInt8(referenceByteCount)]
    for number in [nodes.count, top, table] { bytes += Self.bigEndian(UInt64(number), byteCount: 8) }
    return bytes
  }
}
