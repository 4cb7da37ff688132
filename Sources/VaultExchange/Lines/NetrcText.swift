/// The words of a netrc file and what they say.
enum NetrcText {
  struct Word {
    let line: Int
    let text: String
    /// Whether it stood in quotes, so that it is no word of the format.
    let isQuoted: Bool
    /// How many lines follow it, for a macro.
    fileprivate let end: Int
  }

  /// Words between blanks, with quotes around those that hold some; `#` begins a comment where a word could.
  static func words(of text: String) -> [Word] {
    let bytes = Array(text.utf8)
    var (words, index, line): ([Word], Int, Int) = ([], 0, 1)
    while index < bytes.count {
      let byte = bytes[index]
      if byte <= 0x20 {
        if byte == UInt8(ascii: "\n") { line += 1 }
        index += 1
      } else if byte == UInt8(ascii: "#") {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
      } else {
        words.append(word(bytes, &index, &line))
      }
    }
    return words
  }

  private static func word(_ bytes: [UInt8], _ index: inout Int, _ line: inout Int) -> Word {
    let (first, isQuoted) = (line, bytes[index] == UInt8(ascii: "\""))
    var text: [UInt8] = []
    if isQuoted { index += 1 }
    while index < bytes.count {
      var byte = bytes[index]
      if isQuoted ? byte == UInt8(ascii: "\"") : byte <= 0x20 { break }
      if isQuoted, byte == UInt8(ascii: "\\"), index + 1 < bytes.count {
        index += 1
        let escapes: [UInt8: UInt8] = [UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9]
        byte = escapes[bytes[index]] ?? bytes[index]
      }
      if bytes[index] == UInt8(ascii: "\n") { line += 1 }
      text.append(byte)
      index += 1
    }
    if isQuoted { index += 1 }
    return Word(
      line: first, text: String(decoding: text, as: UTF8.self), isQuoted: isQuoted, end: min(index, bytes.count))
  }

  /// An entry for each machine.
  static func entries(of text: String) -> [LineEntry] {
    var rest = words(of: text)[...]
    var entries: [LineEntry] = []
    let rules: [String: LeafRule] = ["login": .username, "password": .password, "account": .secret("account")]
    while let word = rest.popFirst() {
      switch word.isQuoted ? "" : word.text {
      case "machine":
        var entry = LineEntry(line: word.line)
        if let name = rest.popFirst() {
          entry.add("machine", name.text, .title, at: name.line)
        } else {
          entry.fault = "a machine has no name"
        }
        entries.append(entry)
      case "default": entries.append(LineEntry(line: word.line, known: [(.member("title"), "default")]))
      case "macdef":
        guard let name = rest.popFirst(), !entries.isEmpty else { break }
        let macro = macro(behind: name, in: text)
        entries[entries.count - 1].add(
          "macdef \(name.text)", macro.text, .secret("macdef \(name.text)"), at: name.line)
        rest = rest.drop { $0.line < macro.end }
      case let name:
        guard let rule = rules[name], !entries.isEmpty else {
          // What it belongs to is not sure, and nor is what follows it.
          if entries.isEmpty { entries.append(LineEntry(line: word.line)) }
          entries[entries.count - 1].fault = "a word is none of this format"
          break
        }
        guard let value = rest.popFirst() else {
          entries[entries.count - 1].fault = "a word has no value behind it"
          break
        }
        entries[entries.count - 1].add(name, value.text, rule, at: value.line)
      }
    }
    return entries
  }

  /// The lines of a macro, up to a blank one, and the number of the line behind them.
  private static func macro(behind name: Word, in text: String) -> (text: String, end: Int) {
    let lines = text.lines.dropFirst(name.line).prefix { !$0.trimmingSpaces.isEmpty }
    return (lines.joined(separator: "\n"), name.line + lines.count + 1)
  }
}
