package import VaultDocument
internal import VaultSealing

/// Searches readable text, ignoring case and the composition of letters.
package struct TextMatch: Sendable {
  package let lowercased: String
  private let needle: [Character]
  /// Its bytes; nil if the text is empty or not ASCII.
  private let asciiNeedle: [UInt8]?
  /// Bytes that stand unchanged in every matching text; may be empty.
  package let probe: [UInt8]

  package init(_ text: String) {
    lowercased = text.lowercased()
    needle = Array(lowercased)
    asciiNeedle = needle.isEmpty || !needle.allSatisfy(\.isASCII) ? nil : Array(lowercased.utf8)
    probe = Self.longestASCIIRun(in: text)
  }

  /// Whether the bytes of a file can contain the text at all.
  package func mayMatch(_ bytes: [UInt8]) -> Bool { Self.mayContain(probe, in: bytes) }

  /// Whether a readable value of the record contains the text.
  package func matches(_ value: JSONValue) -> Bool {
    switch value {
    case .string(let text): !SealedToken.hasTokenShape(text) && matches(text)
    case .number(let number): matches(number.literal)
    case .array(let items): items.contains { matches($0) }
    case .object(let members): members.contains { matches($0.value) }
    case .bool, .null: false
    }
  }

  package func matches(_ text: String) -> Bool { matches(lowercased: text.lowercased()) }

  /// Whether a lower-case text contains the text.
  package func matches(lowercased text: String) -> Bool {
    guard !needle.isEmpty else { return true }
    // An ASCII character is one byte, except a line end of two.
    guard let asciiNeedle, text.utf8Span.isKnownASCII else { return range(in: Array(text)) != nil }
    return Self.contains(asciiNeedle, in: text.utf8Span.span) ?? (range(in: Array(text)) != nil)
  }

  /// Whether a text contains the needle; nil if that depends on a line end of two bytes.
  private static func contains(_ needle: [UInt8], in hay: Span<UInt8>) -> Bool? {
    let (carriageReturn, first) = (UInt8(ascii: "\r"), needle[0])
    var hasReturn = false
    for start in 0..<hay.count {
      if hay[start] == carriageReturn { hasReturn = true }
      guard hay[start] == first, hay.count - start >= needle.count else { continue }
      var length = 1
      while length < needle.count, hay[start + length] == needle[length] { length += 1 }
      if length == needle.count { return hasReturn || needle.contains(carriageReturn) ? nil : true }
    }
    return false
  }

  /// The range of characters of the first match in `text`; nil without a match, and for an empty search.
  package func characters(of text: String) -> Range<Int>? { needle.isEmpty ? nil : range(in: Array(text.lowercased())) }

  private func range(in hay: [Character]) -> Range<Int>? {
    guard hay.count >= needle.count else { return nil }
    return (0...hay.count - needle.count).first { start in
      hay[start..<start + needle.count].elementsEqual(needle)
    }.map { $0..<$0 + needle.count }
  }

  /// The longest run of ASCII letters and digits, in lower case, which JSON always writes unchanged.
  package static func longestASCIIRun(in text: String) -> [UInt8] {
    // A letter before a combining mark may be composed with it in the file, so runs are cut at every other character.
    text.split(whereSeparator: { !$0.isPlain }).map { Array($0.lowercased().utf8) }.max { $0.count < $1.count } ?? []
  }

  /// Whether JSON text may contain `probe`, in any case or behind escapes that another writer chose.
  package static func mayContain(_ probe: [UInt8], in bytes: [UInt8]) -> Bool {
    containsASCII(probe, in: bytes) || containsASCII(unicodeEscape, in: bytes)
  }

  private static let unicodeEscape = Array("\\u".utf8)

  /// Whether `bytes` contain `probe`, which is lower-case ASCII letters, digits and `\`, in any case.
  ///
  /// A search reads every record, so this runs without bounds checks and checks eight places at a time for the first
  /// and the last byte.
  private static func containsASCII(_ probe: [UInt8], in bytes: [UInt8]) -> Bool {
    guard let first = probe.first, let last = probe.last else { return true }
    let endCount = bytes.count - probe.count + 1
    guard endCount > 0 else { return false }
    let (firsts, lasts) = (Bytes8(repeating: first), Bytes8(repeating: last))
    return unsafe bytes.withUnsafeBytes { bytes in
      var start = 0
      while start + 8 <= endCount {
        let heads = unsafe bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        let tails = unsafe bytes.loadUnaligned(fromByteOffset: start + probe.count - 1, as: UInt64.self)
        if firsts.mayEqual(heads, and: tails, lasts) {
          for place in start..<start + 8 where unsafe holds(probe, bytes, at: place) { return true }
        }
        start += 8
      }
      for place in start..<endCount where unsafe holds(probe, bytes, at: place) { return true }
      return false
    }
  }

  /// Whether the probe stands at a place; the bytes reach beyond its end.
  @inline(__always)
  private static func holds(_ probe: [UInt8], _ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
    var length = 0
    while length < probe.count, unsafe lowercase(bytes[place + length]) == probe[length] { length += 1 }
    return length == probe.count
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}

extension JSONValue {
  /// The readable values that searches look at.
  package var searchedValues: [String] {
    switch self {
    case .string(let text): SealedToken.hasTokenShape(text) ? [] : [text]
    case .number(let number): [number.literal]
    case .array(let items): items.flatMap(\.searchedValues)
    case .object(let members): members.flatMap(\.value.searchedValues)
    case .bool, .null: []
    }
  }
}

/// One byte eight times, for comparing eight bytes at once in any case.
private struct Bytes8 {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  /// For letters and digits, setting the bit of case maps both cases to the lower one. Other bytes with the same result
  /// are compared again afterwards. `\` has its bit set as well.
  private static let caseBits = ones &* 0x20
  private let value: UInt64

  init(repeating byte: UInt8) { value = Self.ones &* UInt64(byte | 0x20) }

  /// False if none of the eight places can match, with this byte first and the other byte last.
  @inline(__always)
  func mayEqual(_ bytes: UInt64, and others: UInt64, _ other: Bytes8) -> Bool {
    let difference = ((bytes | Self.caseBits) ^ value) | ((others | Self.caseBits) ^ other.value)
    // Has a byte that is zero (Hacker's Delight, section 6-1).
    return (difference &- Self.ones) & ~difference & (Self.ones &* 0x80) != 0
  }
}

extension Character {
  /// An ASCII letter or digit whose case mapping stays within ASCII. `K` and `S` have foreign twins (KELVIN SIGN, LONG
  /// S).
  fileprivate var isPlain: Bool {
    guard let byte = asciiValue else { return false }
    let lower = byte | 0x20
    let isLetter = lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
    return (isLetter && lower != UInt8(ascii: "k") && lower != UInt8(ascii: "s"))
      || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
  }
}
