import Synchronization
package import VaultCrypto

/// Invisible or unusual characters in a secret.
///
/// They are found byte by byte, without a copy of the secret in ordinary memory. Only their class is reported.
package struct HiddenContent: OptionSet, Sendable {
  package var rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let utf16 = HiddenContent(rawValue: 1 << 0)
  package static let noText = HiddenContent(rawValue: 1 << 1)
  package static let byteOrderMark = HiddenContent(rawValue: 1 << 2)
  package static let zero = HiddenContent(rawValue: 1 << 3)
  static let carriageReturn = HiddenContent(rawValue: 1 << 4)
  static let secondLine = HiddenContent(rawValue: 1 << 5)
  static let emptyLine = HiddenContent(rawValue: 1 << 6)
  static let lineSeparator = HiddenContent(rawValue: 1 << 7)
  static let control = HiddenContent(rawValue: 1 << 8)
  static let direction = HiddenContent(rawValue: 1 << 9)
  /// Characters without width, such as U+200B.
  static let invisible = HiddenContent(rawValue: 1 << 10)
  /// Joiners, also without width, which occur in emoji and in words of some scripts.
  static let joiner = HiddenContent(rawValue: 1 << 11)
  static let foreignSpace = HiddenContent(rawValue: 1 << 12)
  static let blankBefore = HiddenContent(rawValue: 1 << 13)
  static let blankBehind = HiddenContent(rawValue: 1 << 14)
  /// The line end was CRLF, and was removed as a whole.
  static let droppedReturn = HiddenContent(rawValue: 1 << 15)
  /// Characters that no keyboard types: U+FFFD, which replaces a lost byte, and noncharacters.
  static let replacement = HiddenContent(rawValue: 1 << 16)

  private static let words: [(HiddenContent, String)] = [
    (.utf16, "text in UTF-16"), (.noText, "bytes that are not UTF-8"), (.byteOrderMark, "a byte order mark"),
    (.zero, "a NUL character"), (.carriageReturn, "a carriage return"), (.secondLine, "a second line"),
    (.emptyLine, "an empty line at its end"), (.lineSeparator, "a line separator"), (.control, "a control character"),
    (.direction, "a mark that turns the writing direction"), (.invisible, "an invisible character"),
    (.joiner, "an invisible joiner or selector"), (.foreignSpace, "a space that the space bar does not type"),
    (.replacement, "a replacement character for a lost one"), (.blankBefore, "a blank at its beginning"),
    (.blankBehind, "a blank at its end"),
  ]

  /// The classes in words, as the object of a sentence; empty for removed line ends.
  package var words: String {
    let words = Self.words.filter { contains($0.0) }.map(\.1)
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " and " + last
  }

  /// The classes that a new passphrase must not contain, because they cannot be typed or seen.
  static let untypeable: HiddenContent = [
    .utf16, .noText, .byteOrderMark, .zero, .carriageReturn, .secondLine, .emptyLine, .lineSeparator, .control,
    .direction, .invisible, .joiner, .foreignSpace, .replacement,
  ]

  /// The classes that are reported for a secret of one line.
  static let oddInLine: HiddenContent = [
    .utf16, .byteOrderMark, .zero, .carriageReturn, .emptyLine, .lineSeparator, .control, .direction, .invisible,
    .foreignSpace, .blankBefore, .blankBehind,
  ]

  /// The classes that are reported for a secret of several lines, which is a key, a certificate or a text.
  static let oddInLines: HiddenContent = [.byteOrderMark, .zero, .direction]
}

extension HiddenContent {
  /// - Parameter secret: without the line end of a single line.
  package init(in secret: SecretBytes) {
    // Unsafe only for the decoder, which reads the bytes as a sequence and keeps none of them.
    self = secret.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe HiddenContent(bytes: $0) } }
  }

  /// Characters after the first invalid byte are not examined.
  private init(bytes: UnsafeRawBufferPointer) {
    self = []
    if unsafe Self.isUTF16(bytes) {
      self = .utf16
      return
    }
    var decoder = UTF8()
    var iterator = unsafe bytes.makeIterator()
    var (index, last): (Int, Unicode.Scalar?) = (0, nil)
    while case .scalarValue(let scalar) = unsafe decoder.decode(&iterator) {
      insert(Self.of(scalar, at: index))
      (index, last) = (index + 1, scalar)
    }
    if last == " " || last == "\t" { insert(.blankBehind) }
    if unsafe String(validating: bytes, as: UTF8.self) == nil { insert(.noText) }
    unsafe noteLines(bytes)
  }

  private mutating func noteLines(_ bytes: UnsafeRawBufferPointer) {
    func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    let end = unsafe bytes.lastIndex { !isLineEnd($0) }.map { $0 + 1 } ?? 0
    if unsafe bytes[..<end].contains(UInt8(ascii: "\n")) { insert(.secondLine) }
    let lineEnds = unsafe bytes[end...].count { $0 == UInt8(ascii: "\n") }
    if lineEnds > 1 || (lineEnds == 1 && !contains(.secondLine)) { insert(.emptyLine) }
  }

  /// Whether every other byte is zero, or the UTF-16 mark comes first. A single zero byte is a NUL instead.
  private static func isUTF16(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 2 else { return false }
    let first = unsafe (bytes[0], bytes[1])
    if first == (0xFF, 0xFE) || first == (0xFE, 0xFF) { return true }
    func areZero(from start: Int) -> Bool {
      stride(from: start, to: bytes.count, by: 2).allSatisfy { unsafe bytes[$0] == 0 }
    }
    return (bytes.count.isMultiple(of: 2) || bytes.count > 3) && areZero(from: 0) != areZero(from: 1)
  }

  private static func of(_ scalar: Unicode.Scalar, at index: Int) -> HiddenContent {
    switch scalar.value {
    case 0: .zero
    case 0x0A: []
    case 0x0D: .carriageReturn
    case 0x09: index == 0 ? [.control, .blankBefore] : .control
    case 0x20: index == 0 ? .blankBefore : []
    case 0xFEFF: index == 0 ? .byteOrderMark : .invisible
    case 0x85, 0x2028, 0x2029: .lineSeparator
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: .direction
    case 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF: .joiner
    case 0x2800, 0xFFF9...0xFFFB: .invisible  // A Braille pattern without dots; annotations.
    case 0xFFFC, 0xFFFD, 0xFDD0...0xFDEF: .replacement
    case let value where value & 0xFFFE == 0xFFFE: .replacement
    case 0x3000: []  // Keyboards of Chinese and Japanese type it, and it is wide.
    default: of(scalar.properties)
    }
  }

  private static func of(_ properties: Unicode.Scalar.Properties) -> HiddenContent {
    switch properties.generalCategory {
    case .control: .control
    case .spaceSeparator: .foreignSpace
    default: properties.isDefaultIgnorableCodePoint ? .invisible : []
    }
  }
}

extension HiddenContent {
  /// Findings in passphrases of this run, with their sources.
  package final class Findings: Sendable {
    fileprivate let sentences = Mutex<[String]>([])

    package init() {}
  }

  @TaskLocal package static var findings = Findings()

  /// Remembers why a passphrase may not open anything.
  static func note(_ content: HiddenContent, in name: String) {
    let words = content.words
    var sentences =
      words.isEmpty ? [] : ["the passphrase from \(name) has \(words): correct it if that was not intended"]
    if content.contains(.droppedReturn) {
      sentences.append(
        "the passphrase from \(name) ended with CRLF, which was removed: if an earlier version kept the carriage "
          + "return, give the passphrase with it and without a line end")
    }
    findings.sentences.withLock { found in found += sentences.filter { !found.contains($0) } }
  }

  package static var hints: [String] { findings.sentences.withLock(\.self) }
}

extension CommandError {
  /// The error, with hints about the passphrases that opened nothing.
  var hintingAtHiddenContent: CommandError {
    guard status == .cannotUnlock else { return self }
    var error = self
    error.hints += HiddenContent.hints.filter { !hints.contains($0) }
    return error
  }
}
