/// Searches the bytes of JSON strings eight at a time, because most of a document is unescaped text.
enum PlainBytes {
  /// The offset of the first quote, backslash or control character from `start`; the count if there is none of these.
  static func end(in bytes: Span<UInt8>, from start: Int) -> Int {
    unsafe bytes.withUnsafeBytes { buffer in
      var index = start
      while index + 8 <= buffer.count {
        let found = specials(unsafe buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
        if found != 0 { return index + found.trailingZeroBitCount / 8 }
        index += 8
      }
      while index < buffer.count, isPlain(unsafe buffer[index]) { index += 1 }
      return index
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// The high bit of each byte that is not plain. Bits above the lowest one may be wrong, because a borrow goes
  /// upwards.
  @inline(__always)
  private static func specials(_ word: UInt64) -> UInt64 {
    let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    let below = (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
    return below & (ones &* 0x80)
  }
}
