/// Reads a binary file from start to end. A length beyond the end is reported as damage.
struct ByteCursor {
  private let bytes: [UInt8]
  private(set) var offset: Int
  private let end: Int

  init(_ bytes: [UInt8], from offset: Int = 0) { (self.bytes, self.offset, end) = (bytes, offset, bytes.count) }

  var isAtEnd: Bool { offset == end }

  var rest: [UInt8] { Array(bytes[offset..<end]) }

  mutating func take(_ count: Int) throws(ExchangeError) -> [UInt8] {
    guard count >= 0, count <= end - offset else { throw ExchangeError.truncated }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  /// A little-endian integer of `count` bytes, at most 8.
  mutating func integer(_ count: Int) throws(ExchangeError) -> UInt64 {
    try take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A count that is stored in `byteCount` bytes.
  mutating func count(_ byteCount: Int) throws(ExchangeError) -> Int {
    guard let count = Int(exactly: try integer(byteCount)) else { throw ExchangeError.truncated }
    return count
  }
}

extension FixedWidthInteger {
  var littleEndianBytes: [UInt8] { (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }
}
