/// The encoding of text.
public enum TextEncoding: String, Sendable, CaseIterable {
  /// UTF-8.
  case utf8 = "utf-8"
  /// UTF-16, little-endian.
  case utf16LittleEndian = "utf-16le"
  /// UTF-16, big-endian.
  case utf16BigEndian = "utf-16be"
  /// Windows-1252, which contains ISO 8859-1 as files use it.
  case windows1252 = "windows-1252"
}

/// Converts text to UTF-8, piece by piece.
///
/// Invalid text becomes the byte FF, which never occurs in UTF-8. The reader of a value finds that byte and knows the
/// line.
struct TextDecoder {
  private var encoding: TextEncoding?
  private var rest: [UInt8] = []
  private var lead: UInt16?
  private var hasBegun = false

  /// - Parameter encoding: nil to detect the encoding from the first bytes, with UTF-8 as the default. A byte order
  ///   mark always decides.
  init(_ encoding: TextEncoding? = nil) { self.encoding = encoding }

  /// The text of the next piece; an empty piece is the end.
  mutating func decode(_ piece: [UInt8]) -> [UInt8] {
    var bytes = rest + piece
    rest = []
    if !hasBegun {
      if bytes.count < 3, !piece.isEmpty {
        rest = bytes
        return []
      }
      hasBegun = true
      bytes.removeFirst(begin(bytes))
    }
    switch encoding ?? .utf8 {
    case .utf8: return bytes
    case .windows1252: return Self.windows1252(bytes)
    case .utf16LittleEndian: return utf16(bytes, isEnd: piece.isEmpty, high: 1)
    case .utf16BigEndian: return utf16(bytes, isEnd: piece.isEmpty, high: 0)
    }
  }

  /// Detects the encoding from the mark, or from the zeros of the first character. Returns the length of the mark.
  private mutating func begin(_ bytes: [UInt8]) -> Int {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      encoding = .utf8
      return 3
    }
    if bytes.starts(with: [0xFF, 0xFE]) {
      encoding = .utf16LittleEndian
      return 2
    }
    if bytes.starts(with: [0xFE, 0xFF]) {
      encoding = .utf16BigEndian
      return 2
    }
    if encoding == nil, bytes.count >= 2, (bytes[0] == 0) != (bytes[1] == 0) {
      encoding = bytes[0] == 0 ? .utf16BigEndian : .utf16LittleEndian
    }
    return 0
  }

  private mutating func utf16(_ bytes: [UInt8], isEnd: Bool, high: Int) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      append(UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + 1 - high]), to: &text)
    }
    if bytes.count % 2 == 1 { rest = [bytes[bytes.count - 1]] }
    if isEnd, !rest.isEmpty || lead != nil {
      text.append(0xFF)
      rest = []
    }
    return text
  }

  private mutating func append(_ unit: UInt16, to text: inout [UInt8]) {
    if let first = lead {
      lead = nil
      if UTF16.isTrailSurrogate(unit) {
        Self.append(UTF16.decode(UTF16.EncodedScalar([first, unit])), to: &text)
        return
      }
      text.append(0xFF)
    }
    if UTF16.isLeadSurrogate(unit) {
      lead = unit
    } else if let scalar = Unicode.Scalar(unit) {
      Self.append(scalar, to: &text)
    } else {
      text.append(0xFF)
    }
  }

  private static func windows1252(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for byte in bytes {
      switch byte {
      case 0x80...0x9F:
        let unit = upper[Int(byte) - 0x80]
        if unit != 0, let scalar = Unicode.Scalar(unit) { append(scalar, to: &text) } else { text.append(0xFF) }
      default: append(Unicode.Scalar(byte), to: &text)
      }
    }
    return text
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    UTF8.encode(scalar)?.forEach { text.append($0) }
  }

  /// Windows-1252 from 80 to 9F; 0 for unassigned bytes.
  private static let upper: [UInt16] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
    0x0178,
  ]
}
