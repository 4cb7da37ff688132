/// Reads netrc as curl, git and Python do.
enum NetrcText {
  private static let rules: [String: LeafRule] = [
    "login": .username, "password": .password, "account": .secret("account"),
  ]

  /// Whether a text begins with a machine that has a login, a password or an account.
  static func begins(_ text: String) -> Bool {
    var reader = NetrcReader(text)
    guard reader.keyword()?.text == "machine", reader.value() != nil, let word = reader.keyword() else { return false }
    return !word.isQuoted && rules[word.text] != nil
  }

  static func entries(of text: String) -> [LineEntry] {
    var reader = NetrcReader(text)
    var entries: [LineEntry] = []
    while let word = reader.keyword() {
      switch word.isQuoted ? "" : word.text {
      case "machine":
        var entry = LineEntry(line: word.line)
        add("machine", rule: .title, value: reader.value(), to: &entry)
        entries.append(entry)
      case "default": entries.append(LineEntry(line: word.line, known: [(.member("title"), "default")]))
      case "macdef":
        let name = reader.value()
        let macro = name.map { _ in reader.macro() } ?? ""
        guard let name, !entries.isEmpty else { break }
        entries[entries.count - 1].add(
          "macdef \(name.text)", text: macro, rule: .secret("macdef \(name.text)"), at: name.line)
      case let name:
        if entries.isEmpty { entries.append(LineEntry(line: word.line)) }
        guard let rule = rules[name], !entries[entries.count - 1].isEmpty else {
          // After an unknown word, it is not certain to which entry the following words belong.
          entries[entries.count - 1].fault = "the machine has a word that netrc does not define"
          break
        }
        add(name, rule: rule, value: reader.value(), to: &entries[entries.count - 1])
      }
    }
    return entries
  }

  private static func add(_ name: String, rule: LeafRule, value: NetrcReader.Word?, to entry: inout LineEntry) {
    guard let value else {
      entry.fault = "a keyword has no value after it"
      return
    }
    if !value.isClosed { entry.fault = "a quote is not closed on its line" }
    entry.add(name, text: value.text, rule: rule, at: value.line)
  }
}

extension LineEntry {
  /// Whether a word comes before the first machine.
  fileprivate var isEmpty: Bool { values.isEmpty && known.isEmpty && fault == nil }
}

/// The words of a netrc file.
///
/// `#` begins a comment if a keyword could be there. After a keyword on the same line every word is its value, even a
/// word with `#` or another keyword. A keyword on a later line is a value only in quotes.
struct NetrcReader {
  struct Word {
    let line: Int
    let text: String
    let isQuoted: Bool
    let isClosed: Bool
  }

  private static let keywords: Set<String> = ["machine", "default", "login", "password", "account", "macdef"]

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Whether the byte separates words. Other control characters are parts of a word.
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private var isAtLineEnd: Bool { index == bytes.count || bytes[index] == UInt8(ascii: "\n") }

  /// The next word outside comments; nil at the end.
  mutating func keyword() -> Word? {
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "#") {
        skipToLineEnd()
      } else if !Self.isBlank(bytes[index]) {
        return word()
      } else {
        skip()
      }
    }
    return nil
  }

  /// The value of the keyword that was read last; nil without one.
  mutating func value() -> Word? {
    while !isAtLineEnd, Self.isBlank(bytes[index]) { skip() }
    if !isAtLineEnd { return word() }
    let before = self
    guard let next = keyword() else { return nil }
    guard next.isQuoted || !Self.keywords.contains(next.text) else {
      self = before
      return nil
    }
    return next
  }

  /// The lines of a macro, up to a blank line.
  mutating func macro() -> String {
    skipToLineEnd()
    if index < bytes.count { skip() }
    var lines: [Substring] = []
    while index < bytes.count {
      let start = index
      skipToLineEnd()
      let text = String(decoding: bytes[start..<index], as: UTF8.self)
      if text.trimmingSpaces.isEmpty { break }
      lines.append(text.ends(with: "\r") ? text.dropLast() : text[...])
      if index < bytes.count { skip() }
    }
    return lines.joined(separator: "\n")
  }

  private mutating func skip() {
    if bytes[index] == UInt8(ascii: "\n") { line += 1 }
    index += 1
  }

  private mutating func skipToLineEnd() {
    while !isAtLineEnd { index += 1 }
  }

  private mutating func word() -> Word {
    let isQuoted = bytes[index] == UInt8(ascii: "\"")
    var (text, isClosed): ([UInt8], Bool) = ([], !isQuoted)
    if isQuoted { index += 1 }
    while !isAtLineEnd {
      var byte = bytes[index]
      if isQuoted ? byte == UInt8(ascii: "\"") : Self.isBlank(byte) { break }
      if isQuoted, byte == UInt8(ascii: "\\"), index + 1 < bytes.count, bytes[index + 1] != UInt8(ascii: "\n") {
        index += 1
        let escapes: [UInt8: UInt8] = [UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9]
        byte = escapes[bytes[index]] ?? bytes[index]
      }
      text.append(byte)
      index += 1
    }
    if isQuoted, !isAtLineEnd {
      isClosed = true
      index += 1
    }
    return Word(line: line, text: String(decoding: text, as: UTF8.self), isQuoted: isQuoted, isClosed: isClosed)
  }
}
