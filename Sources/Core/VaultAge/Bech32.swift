/// Bech32 (BIP 173) without its length limit, as c2sp.org/age uses it for recipients and identities.
///
/// An identity is a secret, so nothing here allocates. The checksum runs over the characters in place, and the bits go
/// straight into memory of the caller.
package enum Bech32 {
  /// Why a text is not Bech32; no part of the text is in it.
  package struct Fault: Error {
    let reason: StaticString
  }

  /// The positions of the parts of a checked text.
  package struct Layout {
    /// Offset of the separator, which is also the byte count of the prefix.
    let separator: Int
    /// Byte count of the data without the checksum.
    package let byteCount: Int
  }

  private static let checksumCount = 6
  private static let alphabet = [UInt8]("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// Checks case, alphabet, checksum and padding of the whole text. The caller checks prefix and size.
  package static func check(_ text: RawSpan) throws(Fault) -> Layout {
    try checkCase(of: text)
    guard let separator = lastSeparator(in: text), separator > 0 else {
      throw Fault(reason: "there is no digit 1 between the prefix and the data")
    }
    let first = separator + 1
    guard text.byteCount - first >= checksumCount else { throw Fault(reason: "the text is too short") }
    var checksum = Checksum(prefixOf: text, count: separator)
    for offset in first..<text.byteCount {
      let value = values[Int(lowercased(text[octet: offset]))]
      guard value < 32 else { throw Fault(reason: "a character is not in the Bech32 alphabet") }
      checksum.append(value)
    }
    guard checksum.isValid else { throw Fault(reason: "the checksum is wrong") }
    let bitCount = (text.byteCount - first - checksumCount) * 5
    let layout = Layout(separator: separator, byteCount: bitCount / 8)
    guard bitCount % 8 < 5 else { throw Fault(reason: "the data is not a whole number of bytes") }
    guard paddingIsZero(in: text, bitCount: bitCount) else { throw Fault(reason: "the padding bits are not zero") }
    return layout
  }

  /// Writes the data of a text that `check` accepted with this layout. `output` has `layout.byteCount` bytes.
  package static func decode(_ text: RawSpan, _ layout: Layout, into output: inout MutableRawSpan) {
    var group: UInt32 = 0
    var bitCount = 0
    var written = 0
    for offset in (layout.separator + 1)..<(text.byteCount - checksumCount) {
      group = (group << 5 | UInt32(values[Int(lowercased(text[octet: offset]))])) & 0xFFF
      bitCount += 5
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      output.storeBytes(of: UInt8(truncatingIfNeeded: group >> UInt32(bitCount)), toByteOffset: written, as: UInt8.self)
      written += 1
    }
  }

  /// The data of a text that `check` accepted with this layout; only for texts that are not secret.
  static func data(_ text: RawSpan, _ layout: Layout) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: layout.byteCount)
    var elements = bytes.mutableSpan
    var output = MutableRawSpan(_elements: &elements)
    decode(text, layout, into: &output)
    return bytes
  }

  /// The text of data that is not secret.
  package static func text(prefix: StaticString, _ data: [UInt8]) -> String {
    var characters = [UInt8](
      repeating: 0, count: encodedCount(prefix: prefix.utf8CodeUnitCount, data: data.count))
    var elements = characters.mutableSpan
    var output = MutableRawSpan(_elements: &elements)
    encode(prefix: prefix, RawSpan(_elements: data.span), into: &output)
    return String(decoding: characters, as: UTF8.self)
  }

  /// Byte count of the text for a prefix and data of these byte counts.
  package static func encodedCount(prefix: Int, data: Int) -> Int { prefix + 1 + (data * 8 + 4) / 5 + checksumCount }

  /// Writes prefix, separator, data and checksum to `output`, which has `encodedCount` bytes. The case of `prefix` is
  /// the case of the whole text.
  package static func encode(prefix: StaticString, _ data: RawSpan, into output: inout MutableRawSpan) {
    var writer = Writer(prefix: prefix, into: &output)
    var group: UInt32 = 0
    var bitCount = 0
    for offset in data.byteOffsets {
      group = (group << 8 | UInt32(data[octet: offset])) & 0xFFF
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        writer.append(UInt8(truncatingIfNeeded: group >> UInt32(bitCount)) & 31, to: &output)
      }
    }
    if bitCount > 0 { writer.append(UInt8(truncatingIfNeeded: group << UInt32(5 - bitCount)) & 31, to: &output) }
    for value in writer.checksum.finished() { writer.append(value, to: &output) }
  }

  /// Lower-case form of an ASCII letter; other bytes stay unchanged.
  static func lowercased(_ octet: UInt8) -> UInt8 {
    octet >= UInt8(ascii: "A") && octet <= UInt8(ascii: "Z") ? octet + 32 : octet
  }

  private static func checkCase(of text: RawSpan) throws(Fault) {
    var hasUpper = false
    var hasLower = false
    for offset in text.byteOffsets {
      let octet = text[octet: offset]
      guard octet.isVisible else { throw Fault(reason: "a character is not visible ASCII") }
      if octet >= UInt8(ascii: "A"), octet <= UInt8(ascii: "Z") { hasUpper = true }
      if octet >= UInt8(ascii: "a"), octet <= UInt8(ascii: "z") { hasLower = true }
    }
    guard !(hasUpper && hasLower) else { throw Fault(reason: "the text mixes upper and lower case") }
  }

  private static func lastSeparator(in text: RawSpan) -> Int? {
    var offset = text.byteCount - 1
    while offset >= 0, text[octet: offset] != UInt8(ascii: "1") { offset -= 1 }
    return offset >= 0 ? offset : nil
  }

  private static func paddingIsZero(in text: RawSpan, bitCount: Int) -> Bool {
    let paddingCount = bitCount % 8
    guard paddingCount > 0 else { return true }
    let last = values[Int(lowercased(text[octet: text.byteCount - checksumCount - 1]))]
    return last & ((1 << UInt8(paddingCount)) - 1) == 0
  }
}

extension Bech32 {
  /// The running checksum of BIP 173, always over the lower-case prefix.
  private struct Checksum {
    private var state: UInt32 = 1

    init(prefixOf text: RawSpan, count: Int) {
      for offset in 0..<count { append(Bech32.lowercased(text[octet: offset]) >> 5) }
      append(0)
      for offset in 0..<count { append(Bech32.lowercased(text[octet: offset]) & 31) }
    }

    mutating func append(_ value: UInt8) {
      let top = state >> 25
      state = (state & 0x1FF_FFFF) << 5 ^ UInt32(value)
      if top & 1 != 0 { state ^= 0x3B6A_57B2 }
      if top & 2 != 0 { state ^= 0x2650_8E6D }
      if top & 4 != 0 { state ^= 0x1EA1_19FA }
      if top & 8 != 0 { state ^= 0x3D42_33DD }
      if top & 16 != 0 { state ^= 0x2A14_62B3 }
    }

    var isValid: Bool { state == 1 }

    /// The six values that make the text valid.
    func finished() -> [UInt8] {
      var padded = self
      for _ in 0..<Bech32.checksumCount { padded.append(0) }
      let sum = padded.state ^ 1
      return (0..<Bech32.checksumCount).map { UInt8(sum >> UInt32(5 * (5 - $0)) & 31) }
    }
  }

  /// Writes the characters of a text and updates its checksum.
  private struct Writer {
    private var offset = 0
    private let isUpper: Bool
    private(set) var checksum: Checksum

    init(prefix: StaticString, into output: inout MutableRawSpan) {
      let characters = [UInt8]("\(prefix)".utf8)
      isUpper = characters.contains { Bech32.lowercased($0) != $0 }
      checksum = Checksum(prefixOf: RawSpan(_elements: characters.span), count: characters.count)
      for character in characters { put(character, into: &output) }
      put(UInt8(ascii: "1"), into: &output)
    }

    mutating func append(_ value: UInt8, to output: inout MutableRawSpan) {
      checksum.append(value)
      let character = Bech32.alphabet[Int(value)]
      let isLetter = character >= UInt8(ascii: "a")
      put(isUpper && isLetter ? character - 32 : character, into: &output)
    }

    private mutating func put(_ character: UInt8, into output: inout MutableRawSpan) {
      output.storeBytes(of: character, toByteOffset: offset, as: UInt8.self)
      offset += 1
    }
  }
}
