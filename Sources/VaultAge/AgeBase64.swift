/// Canonical base64 (RFC 4648 sections 4 and 3.5) of headers and armor.
///
/// A codec of its own because this target may import only `VaultCrypto`, and because age needs both the unpadded form
/// (headers) and the padded one (armor). It handles only what may be public: stanza bodies, shares, sealed bytes.
enum AgeBase64 {
  private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let pad = UInt8(ascii: "=")
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// Appends the encoding of `bytes`, unpadded unless `padded`.
  static func encode(_ bytes: RawSpan, padded: Bool = false, to text: inout [UInt8]) {
    var offset = 0
    while offset < bytes.byteCount {
      let count = min(3, bytes.byteCount - offset)
      var group = UInt32(bytes[octet: offset]) << 16
      if count > 1 { group |= UInt32(bytes[octet: offset + 1]) << 8 }
      if count > 2 { group |= UInt32(bytes[octet: offset + 2]) }
      for index in 0...count { text.append(alphabet[Int(group >> UInt32(18 - 6 * index)) & 63]) }
      if padded, count < 3 { text.append(contentsOf: repeatElement(pad, count: 3 - count)) }
      offset += count
    }
  }

  /// The encoding of `bytes` as text, unpadded.
  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    encode(RawSpan(_elements: bytes.span), to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends what unpadded `text` stands for; false when it is not canonical.
  static func decode(_ text: RawSpan, to bytes: inout [UInt8]) -> Bool {
    var group: UInt32 = 0
    var bitCount = 0
    for offset in text.byteOffsets {
      let value = values[Int(text[octet: offset])]
      guard value < 64 else { return false }
      group = (group << 6 | UInt32(value)) & 0xFFFF
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bitCount)))
      }
    }
    // Six bits left over: a lone last character. Other left-over bits must be zero, or the same bytes had two texts.
    return bitCount < 6 && group & ((1 << UInt32(bitCount)) - 1) == 0
  }

  /// Appends what padded `text` stands for; false when it is not canonical.
  static func decodePadded(_ text: RawSpan, to bytes: inout [UInt8]) -> Bool {
    guard text.byteCount % 4 == 0 else { return false }
    var count = text.byteCount
    while count > 0, text.byteCount - count < 2, text[octet: count - 1] == pad { count -= 1 }
    return decode(text.extracting(0..<count), to: &bytes)
  }

  /// What unpadded `text` stands for, or nil when it is not canonical or not `byteCount` bytes.
  static func bytes(_ text: String, byteCount: Int) -> [UInt8]? {
    let characters = [UInt8](text.utf8)
    var bytes: [UInt8] = []
    guard decode(RawSpan(_elements: characters.span), to: &bytes), bytes.count == byteCount else { return nil }
    return bytes
  }
}
