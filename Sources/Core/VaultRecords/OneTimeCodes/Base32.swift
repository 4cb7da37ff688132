/// Base32 (RFC 4648, section 6) as services print it: in any case, with blanks and hyphens, with or without padding.
package enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// The decoded bytes; nil if the text is not base32 or was cut off.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var (bytes, bits, bitCount, isPadded) = ([UInt8](), 0, 0, false)
    for byte in text.utf8 where ![UInt8(ascii: " "), UInt8(ascii: "-")].contains(byte) {
      if byte == UInt8(ascii: "=") {
        isPadded = true
        continue
      }
      let letter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte
      guard !isPadded, let value = alphabet.firstIndex(of: letter) else { return nil }
      (bits, bitCount) = (bits << 5 | value, bitCount + 5)
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes.append(UInt8(bits >> bitCount))
      bits &= 1 << bitCount - 1
    }
    // Five or more bits left mean an incomplete digit group.
    return bitCount < 5 ? bytes : nil
  }

  /// Capital letters without padding, as in addresses of one-time codes.
  package static func encode(_ bytes: [UInt8]) -> String {
    var (text, bits, bitCount) = ([UInt8](), 0, 0)
    for byte in bytes {
      (bits, bitCount) = (bits << 8 | Int(byte), bitCount + 8)
      while bitCount >= 5 {
        bitCount -= 5
        text.append(alphabet[bits >> bitCount])
        bits &= 1 << bitCount - 1
      }
    }
    if bitCount > 0 { text.append(alphabet[bits << (5 - bitCount)]) }
    return String(decoding: text, as: UTF8.self)
  }
}
