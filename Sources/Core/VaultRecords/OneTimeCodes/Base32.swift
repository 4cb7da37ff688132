/// Base32 (RFC 4648, section 6) as services print it: in any case, with blanks and hyphens, with padding or without.
package enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// The bytes that a text stands for; nil where it is none of base32, or was cut off.
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
    // Five bits or more are a digit that belongs to nothing.
    return bitCount < 5 ? bytes : nil
  }

  /// Bytes as capital letters without padding, as addresses of one-time codes have them.
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
