import VaultTerminal

/// One printed page: lines of a fixed width, and a QR code beside some of them.
struct SheetPage {
  struct Line {
    let text: String
    let isTitle: Bool
  }

  /// The columns of a page. A4 and Letter both have room for them at 9 points.
  static let columns = 80
  /// The column at which the code begins, beside the lines of the identity.
  static let codeColumn = 35
  /// The light margin that readers need, in modules.
  static let codeMargin = 4

  private(set) var lines: [Line] = []
  /// The rows of the code with its margin, from the top, with true for each dark module; nil without a code.
  private(set) var code: [[Bool]]?
  /// The line at which the code begins.
  private(set) var codeLine = 0

  mutating func title(_ text: String) { lines.append(Line(text: text, isTitle: true)) }
  mutating func gap() { lines.append(Line(text: "", isTitle: false)) }

  /// Adds text, wrapped between words. Later lines begin with `indent` spaces.
  mutating func text(_ text: String, indent: Int = 0, width: Int = columns) {
    var line = ""
    for word in Printable.text(text).split(separator: " ", omittingEmptySubsequences: false) {
      if !line.isEmpty, line.count + 1 + word.count > width {
        add(line)
        line = String(repeating: " ", count: indent) + word
      } else {
        line += line.isEmpty ? String(word) : " " + word
      }
    }
    add(line)
  }

  /// Adds a line as it stands, such as a part of a command.
  mutating func add(_ text: String) { lines.append(Line(text: text, isTitle: false)) }

  /// Puts a code beside the lines that follow.
  ///
  /// - Parameter modules: the rows of the code without its margin.
  mutating func begin(_ modules: [[Bool]]?) {
    guard let modules, let width = modules.first?.count else { return }
    let side = [Bool](repeating: false, count: Self.codeMargin)
    let edge = [[Bool]](repeating: [Bool](repeating: false, count: width + 2 * Self.codeMargin), count: Self.codeMargin)
    code = edge + modules.map { side + $0 + side } + edge
    codeLine = lines.count
  }

  /// Adds empty lines until the code ends.
  mutating func endCode() {
    guard let code else { return }
    while lines.count < codeLine + (code.count + 1) / 2 { gap() }
  }
}

extension SheetPage {
  /// The page as text, with two rows of the code in a line.
  ///
  /// - Parameter isColored: whether the code gets its colors from the terminal. On paper the ink is dark.
  func text(isColored: Bool) -> String {
    let drawn = (code ?? []).indices.filter { $0.isMultiple(of: 2) }.map { row in
      let halves = (code?[row] ?? []).indices.map { half(row, $0) }.joined()
      return isColored ? "\u{1B}[30;107m\(halves)\u{1B}[0m" : halves
    }
    return lines.enumerated().map { index, line in
      let row = index - codeLine
      let beside = drawn.indices.contains(row) ? drawn[row] : ""
      let left = beside.isEmpty ? line.text : Printable.padded(line.text, to: Self.codeColumn)
      return isColored || beside.isEmpty ? left + beside : (left + beside).trimmingTrailingSpaces
    }.joined(separator: "\n") + "\n"
  }

  private func half(_ row: Int, _ column: Int) -> String {
    guard let code else { return "" }
    return switch (code[row][column], row + 1 < code.count && code[row + 1][column]) {
    case (true, true): "█"
    case (true, false): "▀"
    case (false, true): "▄"
    case (false, false): " "
    }
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}

/// The sizes of a page for pictures, in points. The text lies within both kinds of paper.
struct SheetPaper {
  static let a4 = SheetPaper(width: 595.28, height: 841.89)
  static let letter = SheetPaper(width: 612, height: 792)

  static let (left, top) = (54.0, 54.0)
  static let (fontSize, lineHeight) = (9.0, 11.6)
  /// The width of a character of a monospaced font, which is 0.6 of its size in the usual ones.
  private static let advance = fontSize * 0.6

  let width: Double
  let height: Double

  /// The base line of a line.
  func base(_ line: Int) -> Double { Self.top + Double(line + 1) * Self.lineHeight }

  /// The squares of a code: their places and their size.
  func squares(_ page: SheetPage) -> (size: Double, places: [(x: Double, y: Double)]) {
    guard let code = page.code else { return (0, []) }
    let room = Double(SheetPage.columns - SheetPage.codeColumn) * Self.advance
    let size = room / Double(code.count)
    let x = Self.left + Double(SheetPage.codeColumn) * Self.advance
    let y = Self.top + Double(page.codeLine) * Self.lineHeight
    let places = code.enumerated().flatMap { row, modules in
      modules.indices.filter { modules[$0] }.map { (x: x + Double($0) * size, y: y + Double(row) * size) }
    }
    return (size, places)
  }
}
