/// Base64 in its canonical form (RFC 4648): padded with the standard alphabet, or unpadded with the URL alphabet.
///
/// Decoding refuses white space, wrong padding, the other alphabet and stray trailing bits, so that a sequence of bytes
/// has exactly one text.
public enum Base64 {
  /// Standard alphabet, padded (section 4).
  public static func encode(_ bytes: RawSpan) -> String { encode(Span(_bytes: bytes), .standard) }

  /// Standard alphabet, padded (section 4).
  public static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span, .standard) }

  /// URL alphabet, unpadded (section 5).
  public static func encodeURL(_ bytes: RawSpan) -> String { encode(Span(_bytes: bytes), .url) }

  /// URL alphabet, unpadded (section 5).
  public static func encodeURL(_ bytes: [UInt8]) -> String { encode(bytes.span, .url) }

  /// The bytes of padded base64 with the standard alphabet.
  /// - Throws: `.invalidBase64` for any text that `encode` would not have written.
  public static func decode(_ text: String) throws(DocumentError) -> [UInt8] {
    try decode(text.utf8Span.span, .standard)
  }

  /// The bytes of unpadded base64 with the URL alphabet.
  /// - Throws: `.invalidBase64` for any text that `encodeURL` would not have written.
  public static func decodeURL(_ text: String) throws(DocumentError) -> [UInt8] {
    try decode(text.utf8Span.span, .url)
  }

  /// The bytes of padded base64 given as ASCII, such as a part of a token.
  /// - Throws: `.invalidBase64` for any text that `encode` would not have written.
  public static func decode(ascii text: Span<UInt8>) throws(DocumentError) -> [UInt8] { try decode(text, .standard) }

  /// The bytes of unpadded URL base64 given as ASCII.
  /// - Throws: `.invalidBase64` for any text that `encodeURL` would not have written.
  public static func decodeURL(ascii text: Span<UInt8>) throws(DocumentError) -> [UInt8] { try decode(text, .url) }

  /// The number of characters for `byteCount` bytes, with padding.
  public static func encodedCount(of byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

  /// The number of bytes in canonical base64 with padding; for any other text the number means nothing.
  public static func decodedCount(of text: Span<UInt8>) -> Int {
    let paddingCount = text.indices.suffix(2).reversed().prefix { text[$0] == UInt8(ascii: "=") }.count
    return max(0, text.count / 4 * 3 - paddingCount)
  }

  private static func encode(_ bytes: Span<UInt8>, _ alphabet: Base64Alphabet) -> String {
    // Room for the padding, too. Every digit is ASCII, and every counted byte is written.
    unsafe String(unsafeUninitializedCapacity: encodedCount(of: bytes.count)) { buffer in
      var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
      append(bytes, alphabet, to: &output)
      return unsafe output.finalize(for: buffer)
    }
  }

  private static func decode(_ text: Span<UInt8>, _ alphabet: Base64Alphabet) throws(DocumentError) -> [UInt8] {
    var bytes: [UInt8] = []
    guard append(decoding: text, alphabet, to: &bytes) else { throw DocumentError(code: .invalidBase64) }
    return bytes
  }

  /// Appends the characters of `bytes`, for which there is room. Used for base64 that is part of a text or secret.
  package static func append(
    _ bytes: Span<UInt8>, _ alphabet: Base64Alphabet = .standard, to output: inout OutputSpan<UInt8>
  ) {
    let digits = alphabet.digits.span
    let index = bytes.count / 3 * 3
    precondition(output.freeCapacity >= index / 3 * 4, "there is room for what is written")
    // Safe: whole groups end within the bytes, there is room for their characters, and six bits are less than 64.
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe digits.withUnsafeBufferPointer { digits in
        unsafe output.withUnsafeMutableBufferPointer { output, count in
          for start in stride(from: 0, to: index, by: 3) {
            let group = unsafe UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
            unsafe output.initializeElement(at: count, to: digits[Int(group >> 18)])
            unsafe output.initializeElement(at: count + 1, to: digits[Int(group >> 12 & 63)])
            unsafe output.initializeElement(at: count + 2, to: digits[Int(group >> 6 & 63)])
            unsafe output.initializeElement(at: count + 3, to: digits[Int(group & 63)])
            count += 4
          }
        }
      }
    }
    let left = bytes.count - index
    guard left > 0 else { return }
    let group = UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
    output.append(digits[Int(group >> 18)])
    output.append(digits[Int(group >> 12 & 63)])
    if left > 1 { output.append(digits[Int(group >> 6 & 63)]) }
    guard alphabet.isPadded else { return }
    for _ in left..<3 { output.append(UInt8(ascii: "=")) }
  }

  package static func append(_ bytes: Span<UInt8>, _ alphabet: Base64Alphabet, to text: inout [UInt8]) {
    text.append(addingCapacity: encodedCount(of: bytes.count)) { append(bytes, alphabet, to: &$0) }
  }

  /// Appends the decoded bytes of `text`; false if it is not canonical, and then the appended bytes mean nothing.
  package static func append(
    decoding text: Span<UInt8>, _ alphabet: Base64Alphabet, to bytes: inout [UInt8]
  ) -> Bool {
    var isCanonical = false
    bytes.append(addingCapacity: text.count * 6 / 8) { isCanonical = append(decoding: text, alphabet, to: &$0) }
    return isCanonical
  }

  /// Like `append(decoding:to:)` for output that has room for the bytes, such as secure memory. Too little room ends
  /// the process, so the caller makes sure of it even for text that is not canonical.
  package static func append(
    decoding text: Span<UInt8>, _ alphabet: Base64Alphabet = .standard, to output: inout OutputSpan<UInt8>
  ) -> Bool {
    guard let count = digitCount(of: text, alphabet) else { return false }
    let values = alphabet.values.span
    let index = count / 4 * 4
    // One bit that no valid digit has collects every foreign character.
    var foreign = appendGroups(text.extracting(first: index), values, to: &output)
    guard index < count else { return foreign & Base64Alphabet.foreign == 0 }
    var pending: UInt32 = 0
    for digit in index..<count {
      let value = values[Int(text[digit])]
      foreign |= value
      pending = pending << 6 | UInt32(value & 63)
    }
    // Two digits hold a byte and 4 bits, three hold two bytes and 2 bits.
    let strayBitCount = UInt32(count - index == 2 ? 4 : 2)
    let strayBits = pending & (1 << strayBitCount - 1)
    pending >>= strayBitCount
    if count - index == 3 { output.append(UInt8(truncatingIfNeeded: pending >> 8)) }
    output.append(UInt8(truncatingIfNeeded: pending))
    return foreign & Base64Alphabet.foreign == 0 && strayBits == 0
  }

  /// Appends the bytes of whole groups of four digits, for which there is room. Returns the combined bits of all digit
  /// values.
  private static func appendGroups(
    _ text: Span<UInt8>, _ values: Span<UInt8>, to output: inout OutputSpan<UInt8>
  ) -> UInt8 {
    var all: UInt8 = 0
    precondition(
      values.count == 256 && output.freeCapacity >= text.count / 4 * 3, "there is room, and a value of every byte")
    // Safe: checked just above.
    unsafe text.withUnsafeBufferPointer { text in
      unsafe values.withUnsafeBufferPointer { values in
        unsafe output.withUnsafeMutableBufferPointer { output, count in
          for start in stride(from: 0, to: text.count, by: 4) {
            let (first, second) = unsafe (values[Int(text[start])], values[Int(text[start + 1])])
            let (third, fourth) = unsafe (values[Int(text[start + 2])], values[Int(text[start + 3])])
            all |= first | second | third | fourth
            let (high, low) = (UInt32(first & 63) << 18 | UInt32(second & 63) << 12, UInt32(third & 63) << 6)
            let group = high | low | UInt32(fourth & 63)
            unsafe output.initializeElement(at: count, to: UInt8(truncatingIfNeeded: group >> 16))
            unsafe output.initializeElement(at: count + 1, to: UInt8(truncatingIfNeeded: group >> 8))
            unsafe output.initializeElement(at: count + 2, to: UInt8(truncatingIfNeeded: group))
            count += 3
          }
        }
      }
    }
    return all
  }

  /// The number of characters before the padding; nil if no encoder makes this count.
  private static func digitCount(of text: Span<UInt8>, _ alphabet: Base64Alphabet) -> Int? {
    var count = text.count
    if alphabet.isPadded {
      guard count.isMultiple(of: 4) else { return nil }
      while count > 0, text.count - count < 2, text[count - 1] == UInt8(ascii: "=") { count -= 1 }
    }
    return count % 4 == 1 ? nil : count
  }
}

/// One of the two alphabets, as tables both ways, and whether the text is padded.
package struct Base64Alphabet: Sendable {
  /// Marks a byte that is not a digit.
  static let foreign: UInt8 = 0x80

  package static let standard = Base64Alphabet(last: "+/", isPadded: true)
  package static let url = Base64Alphabet(last: "-_", isPadded: false)
  /// The alphabet of age's headers (c2sp.org/age, "Header").
  package static let unpadded = Base64Alphabet(last: "+/", isPadded: false)

  let digits: [UInt8]
  let values: [UInt8]
  let isPadded: Bool

  private init(last: String, isPadded: Bool) {
    digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8) + Array(last.utf8)
    var values = [UInt8](repeating: Self.foreign, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    self.values = values
    self.isPadded = isPadded
  }
}
