internal import VaultCrypto

/// Wrapped lines of base64 or hex: `base64` and MIME fill 76 columns, PEM 64, `xxd -p` 60.
///
/// A line break after a full line of such digits is ignored. Any other line break is part of the text, so that a line
/// at a terminal is not held back until the next line comes.
struct LineFolding {
  /// The minimum number of digits in a full line.
  static let width = 60

  /// The number of digits before the index, in its line.
  private(set) var run = 0

  /// Digits without the line breaks between them.
  struct Text {
    var bytes: [UInt8] = []
    /// The end of each byte.
    var ends: [Int] = []
    /// Whether a line break was skipped.
    var isFolded = false
    /// Whether the bytes ended before the text.
    var isOpen = false

    func hash(of count: Int) -> Int {
      // Unsafe because padding could be read; bytes have no padding.
      unsafe keyedHash(of: bytes.span.bytes.extracting(0..<count))
    }
  }

  /// Moves past a byte.
  mutating func pass(_ byte: UInt8) { run = Self.isDigit(byte) ? run + 1 : 0 }

  /// Reads up to `count` digits from an index on.
  func text(in bytes: RawSpan, at index: Int, count: Int) -> Text {
    var (text, next, run) = (Text(), index, run)
    while text.bytes.count < count {
      guard next < bytes.byteCount else {
        text.isOpen = true
        break
      }
      let byte = Escapes.byte(bytes, next)
      if Self.isDigit(byte) {
        (next, run) = (next + 1, run + 1)
        text.bytes.append(byte)
        text.ends.append(next)
      } else {
        guard run >= Self.width, let line = Self.lineBegin(bytes, next) else { break }
        (next, run, text.isFolded) = (line, 0, true)
      }
    }
    return text
  }

  /// The start of the next line after spaces; nil if the line does not end here.
  private static func lineBegin(_ bytes: RawSpan, _ index: Int) -> Int? {
    var next = index
    if Escapes.byte(bytes, next) == UInt8(ascii: "\r") { next += 1 }
    guard next < bytes.byteCount else { return next }
    guard Escapes.byte(bytes, next) == UInt8(ascii: "\n") else { return nil }
    next += 1
    while next < bytes.byteCount, " \t".utf8.contains(Escapes.byte(bytes, next)) { next += 1 }
    return next
  }

  /// Whether a byte is a digit of either base64 alphabet, or of hex.
  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
