/// Splits text by bytes.
///
/// Swift compares characters, so a quote, colon or line end before a combining mark is a different character. All
/// separators here are ASCII, and ASCII bytes occur in no other scalar.
extension StringProtocol where SubSequence == Substring {
  /// The lines, with any line ends: LF, CRLF or CR.
  var lines: [Substring] {
    var lines: [Substring] = []
    var (start, index) = (startIndex, startIndex)
    while index < endIndex {
      let byte = utf8[index]
      let end = index
      index = utf8.index(after: index)
      guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else { continue }
      if byte == UInt8(ascii: "\r"), index < endIndex, utf8[index] == UInt8(ascii: "\n") {
        index = utf8.index(after: index)
      }
      lines.append(self[start..<end])
      start = index
    }
    return lines + [self[start...]]
  }

  /// The text without spaces, tabs and line ends at both ends.
  var trimmingSpaces: Substring {
    let scalars = unicodeScalars
    guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return self[start..<scalars.index(after: end)]
  }

  /// The parts between the separators. The separator must not be empty.
  func parts(separatedBy separator: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    while let pair = rest.pair(separatedBy: separator) {
      parts.append(pair.before)
      rest = pair.behind
    }
    return parts + [rest]
  }

  /// The text before and after the first separator; nil if there is no separator.
  func pair(separatedBy separator: String) -> (before: Substring, behind: Substring)? {
    guard let range = utf8.firstRange(of: separator.utf8) else { return nil }
    return (self[..<range.lowerBound], self[range.upperBound...])
  }

  func begins(with text: String) -> Bool { utf8.starts(with: text.utf8) }

  func ends(with text: String) -> Bool { utf8.reversed().starts(with: text.utf8.reversed()) }

  func holds(_ text: String) -> Bool { utf8.firstRange(of: text.utf8) != nil }
}
