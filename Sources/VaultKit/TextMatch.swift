internal import VaultDocument
internal import VaultSealing

/// Searching readable text without regard to case or to how letters are composed.
public struct TextMatch: Sendable {
  /// The text in lower case.
  let lowercased: String
  private let needle: [Character]
  /// What stands as it is in every text that holds it; may be empty.
  let probe: [UInt8]

  /// A search for `text`.
  public init(_ text: String) {
    lowercased = text.lowercased()
    needle = Array(lowercased)
    probe = Self.longestASCIIRun(in: text)
  }

  /// Whether the bytes of a file can hold the text at all.
  func mayMatch(_ bytes: [UInt8]) -> Bool { Self.mayContain(probe, in: bytes) }

  /// Whether a readable value of the record holds the text.
  func matches(_ value: JSONValue) -> Bool {
    switch value {
    case .string(let text): !SealedToken.hasTokenShape(text) && matches(text)
    case .number(let number): matches(number.literal)
    case .array(let items): items.contains { matches($0) }
    case .object(let members): members.contains { matches($0.value) }
    case .bool, .null: false
    }
  }

  /// Whether `text` holds the text.
  func matches(_ text: String) -> Bool { matches(lowercased: text.lowercased()) }

  /// Whether `text`, which is in lower case, holds the text.
  func matches(lowercased text: String) -> Bool {
    guard !needle.isEmpty else { return true }
    let hay = Array(text)
    guard hay.count >= needle.count else { return false }
    return (0...hay.count - needle.count).contains { start in
      hay[start..<start + needle.count].elementsEqual(needle)
    }
  }

  /// The longest run of ASCII letters and digits, in lower case: what JSON writes as it is, however the rest is written.
  static func longestASCIIRun(in text: String) -> [UInt8] {
    // A letter before a combining mark may be composed with it in the file, so runs are cut at every other character.
    text.split(whereSeparator: { !$0.isPlain }).map { Array($0.lowercased().utf8) }.max { $0.count < $1.count } ?? []
  }

  /// Whether JSON text may hold `probe`: as it is in any case, or behind escapes that another writer chose.
  static func mayContain(_ probe: [UInt8], in bytes: [UInt8]) -> Bool {
    containsASCII(probe, in: bytes) || containsASCII(unicodeEscape, in: bytes)
  }

  private static let unicodeEscape = Array("\\u".utf8)

  /// Whether `bytes` hold `probe`, lower-case ASCII letters, digits and `\`, in any case.
  ///
  /// Looking for a name reads every record, so this runs without bounds checks.
  private static func containsASCII(_ probe: [UInt8], in bytes: [UInt8]) -> Bool {
    guard let first = probe.first else { return true }
    guard bytes.count >= probe.count else { return false }
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      // For letters and digits, setting the bit of case maps both cases to the lower one; other bytes that it maps there
      // are compared again by the loop below. `\` has its bit set as well.
      for start in 0...bytes.count - probe.count where unsafe bytes[start] | 0x20 == first | 0x20 {
        var length = 0
        while length < probe.count, unsafe lowercase(bytes[start + length]) == probe[length] { length += 1 }
        if length == probe.count { return true }
      }
      return false
    }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}

extension Character {
  /// An ASCII letter or digit whose case mapping stays within ASCII. `K` and `S` have foreign twins (KELVIN SIGN, LONG S).
  fileprivate var isPlain: Bool {
    guard let byte = asciiValue else { return false }
    let lower = byte | 0x20
    let isLetter = lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
    return (isLetter && lower != UInt8(ascii: "k") && lower != UInt8(ascii: "s"))
      || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
  }
}
