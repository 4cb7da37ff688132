/// The number of terminal columns of a text: two for East Asian letters and emoji, none for combining marks.
///
/// The table is our own, because that of the C library depends on the locale.
package enum DisplayWidth {
  package static func of(_ text: String) -> Int {
    Printable.isPlain(text) ? text.utf8.count : text.reduce(0) { $0 + of($1) }
  }

  /// The text, cut to a width if needed, with `…` at the cut.
  package static func cut(_ text: String, to width: Int) -> (text: String, width: Int) {
    let whole = of(text)
    guard whole > width else { return (text, whole) }
    guard width > 0 else { return ("", 0) }
    var (result, used) = ("", 0)
    for character in text {
      let next = of(character)
      guard used + next < width else { break }
      result.append(character)
      used += next
    }
    return (result + "…", used + 1)
  }

  private static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    // An emoji is two columns wide, and so is a sequence of joined emoji.
    if first.value > 0x7F, first.properties.isEmojiPresentation || scalars.contains("\u{FE0F}") { return 2 }
    // Terminals add up code points: the vowel sign of an Indic letter has a column of its own.
    return scalars.reduce(0) { $0 + of($1) }
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    guard scalar.value >= 0x300 else { return 1 }
    if joining.contains(where: { $0 ~= scalar.value }) { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return wide.contains { $0 ~= scalar.value } ? 2 : 1
    }
  }

  /// Hangul vowels and final consonants that join the consonant before them.
  private static let joining: [ClosedRange<UInt32>] = [0x1160...0x11FF, 0xD7B0...0xD7FF]

  /// Wide and full-width characters other than emoji (Unicode, EastAsianWidth.txt, whole blocks).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}
