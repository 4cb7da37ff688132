package import VaultTerminal

/// What a picker shows: the filter, a header, rows, and the keys in the last line.
package struct PickerScreen {
  /// Texts of every row, which fit the screen.
  package struct Texts {
    let header: String
    /// That of a row, by its place among all.
    let row: (Int) -> String

    package init(header: String, row: @escaping (Int) -> String) { (self.header, self.row) = (header, row) }
  }

  /// As many as the screen has.
  package let lines: [String]
  /// Where in the first line somebody types, from 0.
  package let cursorColumn: Int

  /// How many rows fit on a screen of so many lines.
  package static func rowCount(lines: Int) -> Int { max(1, lines - 3) }

  /// How wide the texts of rows may be, beside the mark of the selected one.
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
      let note = state.count == 0 ? "no record" : "no record holds it"
      lines.append("  " + DisplayWidth.cut(note, to: Self.textWidth(columns: columns)).text)
    }
    let room = max(1, count - 1)
    lines = lines.prefix(room) + [String](repeating: "", count: max(0, room - lines.count))
    if count > 1 { lines.append(style.dim(Self.keys(state, columns))) }
    (self.lines, cursorColumn) = (lines, cursor)
  }

  /// The filter, without its beginning where it is too long, and how many rows it leaves.
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

  /// How many rows there are, as lists say it, the longest form first.
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

/// Texts whose direction changes nothing beside them.
package enum Isolated {
  /// The text between marks that isolate it, where it may be written from right to left (Unicode, UAX 9).
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
