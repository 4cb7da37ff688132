/// Taking text apart by its bytes.
///
/// Swift compares characters: a quote, a colon or a line end before a combining mark is another character to it than
/// alone, and would be none to a reader of lines. All that separates here is ASCII, which no other scalar has in its
/// bytes.
extension StringProtocol where SubSequence == Substring {
  /// The lines, whatever ends them: LF, CRLF or CR.
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

  /// Without spaces, tabs and line ends at both ends.
  var trimmingSpaces: Substring {
    let scalars = unicodeScalars
    guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return self[start..<scalars.index(after: end)]
  }

  /// What stands between the separators, of which there is at least one byte.
  func parts(separatedBy separator: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    while let pair = rest.pair(separatedBy: separator) {
      parts.append(pair.before)
      rest = pair.behind
    }
    return parts + [rest]
  }

  /// What stands before and behind the first separator; nil without one.
  func pair(separatedBy separator: String) -> (before: Substring, behind: Substring)? {
    guard let range = utf8.firstRange(of: separator.utf8) else { return nil }
    return (self[..<range.lowerBound], self[range.upperBound...])
  }

  /// Whether it begins with these bytes.
  func begins(with text: String) -> Bool { utf8.starts(with: text.utf8) }

  /// Whether it ends with these bytes.
  func ends(with text: String) -> Bool { utf8.reversed().starts(with: text.utf8.reversed()) }

  /// Whether these bytes stand somewhere in it.
  func holds(_ text: String) -> Bool { utf8.firstRange(of: text.utf8) != nil }
}
