/// Letters reduced to their base letters, for sorting and searching by people.
///
/// The Unicode names of characters tell the base letters, so the result is the same on every machine and in every
/// locale: `É` is `e`, `ø` is `o`, `ß` is `ss`, `Þ` is `th`, `Ά` is `α`, and letters of other scripts are themselves.
package enum BaseLetters {
  /// The text in lower case, each letter as its base, without marks.
  package static func of(_ text: String) -> String {
    let lowercased = text.lowercased()
    guard !lowercased.utf8Span.isKnownASCII else { return lowercased }
    var result = ""
    for scalar in lowercased.unicodeScalars {
      if scalar.isASCII {
        result.unicodeScalars.append(scalar)
      } else if !isMark(scalar) {
        result += base(of: scalar) ?? String(Character(scalar))
      }
    }
    return result
  }

  /// Marks that stand on letters: accents, points of Hebrew and of Arabic.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0300...0x036F, 0x0591...0x05BD, 0x064B...0x0652: true
    default: false
    }
  }

  private static let special = ["SHARP S": "ss", "THORN": "th", "ETH": "d", "ENG": "n", "DOTLESS I": "i", "SCHWA": "e"]

  private static let named: [String: String] = {
    var letters = ["CYRILLIC SMALL LETTER IO": "е", "GREEK SMALL LETTER FINAL SIGMA": "σ"]
    for value in [0x03B1...0x03C9, 0x0430...0x044F].joined() where value != 0x03C2 {
      guard let scalar = Unicode.Scalar(UInt32(value)), let name = scalar.properties.name else { continue }
      letters[name] = String(Character(scalar))
    }
    return letters
  }()

  /// The base of a lower-case letter; nil if it is the letter itself.
  private static func base(of scalar: Unicode.Scalar) -> String? {
    // After Cyrillic, only more Latin and Greek letters, ligatures and full-width forms have another base.
    guard [0xC0...0x052F, 0x1D00...0x1FFF, 0xFB00...0xFB06, 0xFF21...0xFF5A].contains(where: { $0 ~= scalar.value }),
      var name = scalar.properties.name
    else { return nil }
    if name.hasPrefix("FULLWIDTH ") { name = String(name.dropFirst("FULLWIDTH ".count)) }
    if let mark = name.firstRange(of: " WITH ") { name = String(name[..<mark.lowerBound]) }
    for prefix in ["LATIN SMALL LETTER ", "LATIN SMALL LIGATURE "] where name.hasPrefix(prefix) {
      let letters = name.dropFirst(prefix.count)
      return letters.utf8.count <= 3 && special[String(letters)] == nil
        ? letters.lowercased() : special[String(letters)]
    }
    return named[name]
  }
}

/// The sort key of a text for people: base letters, then marks, then case.
package struct LetterOrder: Comparable, Sendable {
  private let base: String
  private let lowercased: String
  private let text: String

  package init(_ text: String) {
    (base, lowercased, self.text) = (BaseLetters.of(text), text.lowercased(), text)
  }

  /// Compares by bytes, which also orders canonically equivalent texts.
  package static func < (left: LetterOrder, right: LetterOrder) -> Bool {
    var order = compareBytes(left.base.utf8Span.span, right.base.utf8Span.span)
    if order == 0 { order = compareBytes(left.lowercased.utf8Span.span, right.lowercased.utf8Span.span) }
    if order == 0 { order = compareBytes(left.text.utf8Span.span, right.text.utf8Span.span) }
    return order < 0
  }

  package static func == (left: LetterOrder, right: LetterOrder) -> Bool { sameBytes(left.text, right.text) }
}
