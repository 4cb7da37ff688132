import VaultDocument
import VaultTerminal

/// A page of the documents as text for a terminal: folded, without the marks of Markdown.
///
/// Paragraphs, lists, tables and blocks of code are known, because the documents have no other forms.
struct FoldedPage {
  private let width: Int
  private let style: Style
  /// Whether `vault help NAME` shows a page, for links.
  private let isTopic: (String) -> Bool
  private var lines: [String] = []
  /// The lines of the paragraph or list item that is not folded yet, and the indents of its first and other lines.
  private var open: (text: [String], first: String, rest: String)?
  /// The names of the columns, in a table.
  private var header: [String] = []

  /// The folded lines of a page.
  static func lines(of page: String, width: Int, style: Style, isTopic: @escaping (String) -> Bool) -> [String] {
    var folded = FoldedPage(width: width, style: style, isTopic: isTopic)
    var isCode = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") {
        folded.close()
        isCode.toggle()
      } else if isCode {
        folded.lines.append("    " + line)
      } else {
        folded.append(line)
      }
    }
    folded.close()
    while folded.lines.last == "" { folded.lines.removeLast() }
    return folded.lines
  }

  private init(width: Int, style: Style, isTopic: @escaping (String) -> Bool) {
    (self.width, self.style, self.isTopic) = (width, style, isTopic)
  }

  private mutating func append(_ line: String) {
    if open == nil, line.hasPrefix("    ") { return lines.append(line) }
    let text = line.drop { $0 == " " }
    if text.isEmpty {
      close()
      if lines.last != "" { lines.append("") }
    } else if text.hasPrefix("#") {
      close()
      lines.append(style.bold(plain(String(text.drop { $0 == "#" }.dropFirst()))))
    } else if text.hasPrefix("<!--") {
      close()
    } else if text.hasPrefix("|") {
      appendRow(Self.cells(of: text))
    } else if let mark = Self.itemMark(of: text) {
      close()
      let indent = String(repeating: " ", count: line.count - text.count)
      open = (
        [String(text.dropFirst(mark.count))], indent + mark, indent + String(repeating: " ", count: mark.count)
      )
    } else if open == nil {
      open = ([line], "", "")
    } else {
      open?.text.append(String(text))
    }
  }

  /// A row is a paragraph: the first cell, and below it the others with the names of their columns.
  private mutating func appendRow(_ cells: [String]) {
    if cells.allSatisfy({ $0.allSatisfy { "-: ".contains($0) } }) { return }
    guard !header.isEmpty else { return header = cells.map(plain) }
    fold(cells.first ?? "", first: "", rest: "  ")
    for (name, cell) in zip(header, cells).dropFirst() where !cell.isEmpty {
      let isNamed = header.count > 2 && !name.isEmpty
      fold((isNamed ? name + ": " : "") + cell, first: "    ", rest: isNamed ? "      " : "    ")
    }
  }

  private mutating func close() {
    header = []
    guard let item = open else { return }
    open = nil
    fold(item.text.joined(separator: " "), first: item.first, rest: item.rest)
  }

  private mutating func fold(_ text: String, first: String, rest: String) {
    var (line, used, isEmpty) = (first, DisplayWidth.of(first), true)
    for word in plain(text).split(separator: " ") {
      let size = DisplayWidth.of(String(word))
      if !isEmpty, used + 1 + size > width {
        lines.append(line)
        (line, used, isEmpty) = (rest, DisplayWidth.of(rest), true)
      }
      if !isEmpty { line += " " }
      line += word
      used += size + (isEmpty ? 0 : 1)
      isEmpty = false
    }
    lines.append(line)
  }

  /// The text without the marks of bold text and links. A link to a page says how to see that page.
  private func plain(_ text: String) -> String {
    var (result, rest) = ("", text.replacing("**", with: "")[...])
    while let open = rest.firstIndex(of: "["), let middle = rest[open...].firstRange(of: "]("),
      let end = rest[middle.upperBound...].firstIndex(of: ")")
    {
      let label = rest[rest.index(after: open)..<middle.lowerBound]
      result += rest[..<open] + linked(String(label), to: rest[middle.upperBound..<end])
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private func linked(_ label: String, to target: Substring) -> String {
    if target.hasPrefix("https:") { return "\(label) <\(target)>" }
    let name = target.prefix { $0 != "#" }
    guard name.hasSuffix(".md") else { return label }
    // A page that has the name of a command is shown by the name of its file.
    let topic = [String(name.dropLast(3)), String(name)].first(where: isTopic)
    return topic.map { "\(label) (`vault help \($0)`)" } ?? label
  }

  /// `- `, or a number with its dot.
  private static func itemMark(of text: Substring) -> String? {
    if text.hasPrefix("- ") || text.hasPrefix("* ") { return "- " }
    let digits = text.prefix { $0.isNumber }
    return !digits.isEmpty && text.dropFirst(digits.count).hasPrefix(". ") ? digits + ". " : nil
  }

  /// The cells of a row; `\|` does not end a cell.
  private static func cells(of row: Substring) -> [String] {
    row.replacing("\\|", with: "\u{1}").split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
      .map { $0.split(separator: " ").joined(separator: " ").replacing("\u{1}", with: "|") }
  }
}
