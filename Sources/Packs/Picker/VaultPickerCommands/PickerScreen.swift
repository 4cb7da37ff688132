package import VaultTerminal

/// The content of a picker: the filter, a header, rows, and the keys in the last line.
package struct PickerScreen {
  /// Texts of all rows, which fit the screen.
  package struct Texts {
    let header: String
    /// The text of a row, by its index among all rows.
    let row: (Int) -> String

    package init(header: String, row: @escaping (Int) -> String) { (self.header, self.row) = (header, row) }
  }

  /// One text for each line of the screen.
  package let lines: [String]
  /// The cursor's column in the first line, from 0.
  package let cursorColumn: Int

  package static func rowCount(lines: Int) -> Int { max(1, lines - 3) }

  /// The width of rows, beside the mark of the selected one.
  package static func textWidth(columns: Int) -> Int { max(10, columns - mark.utf8.count) }

  private static let mark = "> "
  private static let prompt = "Find: "

  package init(_ state: PickerState, _ texts: Texts, columns: Int, lines count: Int, style: Style) {
    let (first, cursor) = Self.filterLine(state, columns)
    var lines = [first, "  " + style.bold(texts.header)]
    for place in state.top..<min(state.top + Self.rowCount(lines: count), state.shown.count) {
      let text = texts.row(state.shown[place])
      guard place == state.selected else { lines.append("  " + text); continue }
      let rest = String(repeating: " ", count: max(0, columns - DisplayWidth.of(text) - Self.mark.utf8.count))
      lines.append(style.inverse(Self.mark + text + rest))
    }
    if state.shown.isEmpty {
      let note = state.count == 0 ? "there are no records" : "no record matches"
      lines.append("  " + DisplayWidth.cut(note, to: Self.textWidth(columns: columns)).text)
    }
    let room = max(1, count - 1)
    lines = lines.prefix(room) + [String](repeating: "", count: max(0, room - lines.count))
    if count > 1 { lines.append(style.dim(Self.keys(state, columns))) }
    (self.lines, cursorColumn) = (lines, cursor)
  }

  /// The filter, without its beginning if it is too long, and the number of remaining rows.
  private static func filterLine(_ state: PickerState, _ columns: Int) -> (line: String, cursor: Int) {
    var filter = state.filter
    var left = columns - prompt.utf8.count - 1
    let count = counts(state).first { left - $0.utf8.count > 8 }
    if let count { left -= count.utf8.count + 2 }
    while DisplayWidth.of(filter) > max(1, left) { filter.removeFirst() }
    let width = DisplayWidth.of(filter)
    let line = prompt + Isolated.text(Printable.text(filter))
    let gap = String(repeating: " ", count: max(0, left - width + 2))
    return (count.map { line + gap + $0 } ?? line, prompt.utf8.count + width)
  }

  /// The number of rows in the words of lists, the longest form first.
  private static func counts(_ state: PickerState) -> [String] {
    let count = state.filter.isEmpty ? "\(state.count)" : "\(state.shown.count) of \(state.count)"
    return [count + (state.count == 1 ? " record" : " records") + ", not verified", count + ", not verified", count]
  }

  /// The keys, in the longest form that fits.
  private static func keys(_ state: PickerState, _ columns: Int) -> String {
    let end = state.filter.isEmpty ? "leave" : "clear"
    let keys = ["Enter copy", "^O code", "^S show", "^E edit", "Esc \(end)"]
    for form in [["Type to find", "arrows move"] + keys, keys] {
      for gap in ["   ", "  ", " "] where DisplayWidth.of(form.joined(separator: gap)) < columns {
        return form.joined(separator: gap)
      }
    }
    return DisplayWidth.cut(keys.joined(separator: " "), to: max(0, columns - 1)).text
  }
}

/// Text whose direction does not affect its surroundings.
package enum Isolated {
  /// The text between isolating marks, if it may be written from right to left (Unicode, UAX 9).
  package static func text(_ text: String) -> String {
    let turns =
      !Printable.isPlain(text)
      && text.unicodeScalars.contains { scalar in
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
      }
    return turns ? "\u{2068}\(text)\u{2069}" : text
  }
}
