internal import VaultCrypto

/// Base64 (RFC 4648, section 4) between places in secure memory; the codec of `VaultDocument` works on ordinary memory.
enum SecretBase64 {
  /// The count of characters that `count` bytes take.
  static func encodedCount(of count: Int) -> Int { (count + 2) / 3 * 4 }

  /// Writes the characters of `bytes` into `buffer` from `offset`.
  static func encode(_ source: RawSpan, into buffer: inout MutableRawSpan, at offset: Int) {
    let bytes = Span<UInt8>(_bytes: source)
    var output = offset
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group: UInt32 = 0
      for index in 0..<3 {
        group = group << 8 | (index < count ? UInt32(bytes[start + index]) : 0)
      }
      for index in 0..<4 {
        let value = UInt8(truncatingIfNeeded: group >> UInt32(18 - 6 * index)) & 63
        let character = index <= count ? character(of: value) : UInt8(ascii: "=")
        buffer.storeBytes(of: character, toByteOffset: output, as: UInt8.self)
        output += 1
      }
    }
  }

  /// The `byteCount` bytes of canonical base64; nil for any other text.
  static func decode(_ text: Span<UInt8>, byteCount: Int) throws(CryptoError) -> SecretBytes? {
    guard text.count == encodedCount(of: byteCount) else { return nil }
    var isCanonical = true
    let decoded = try SecretBytes(count: byteCount) { buffer throws(CryptoError) in
      for start in stride(from: 0, to: byteCount, by: 3) {
        let count = min(3, byteCount - start)
        var group: UInt32 = 0
        for index in 0..<4 {
          let byte = text[start / 3 * 4 + index]
          let value = index <= count ? value(of: byte) : (byte == UInt8(ascii: "=") ? 0 : nil)
          if value == nil { isCanonical = false }
          group = group << 6 | UInt32(value ?? 0)
        }
        for index in 0..<3 {
          let byte = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * index))
          if index < count {
            buffer.storeBytes(of: byte, toByteOffset: start + index, as: UInt8.self)
          } else if byte != 0 {
            isCanonical = false
          }
        }
      }
    }
    return isCanonical ? decoded : nil
  }

  private static func character(of value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: UInt8(ascii: "A") + value
    case 26..<52: UInt8(ascii: "a") + value - 26
    case 52..<62: UInt8(ascii: "0") + value - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
