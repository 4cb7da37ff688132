import VaultDocument
import VaultKit

/// The action for the picked record: the name of a command.
package enum PickerAction: String {
  case copy, otp, show, edit
}

/// The searchable text of a row.
package struct PickerRow {
  fileprivate let name: String
  fileprivate let others: String

  /// - Parameter others: further searchable texts. Rows with a matching name come first.
  package init(name: String, others: [String]) {
    self.name = BaseLetters.of(name)
    self.others = BaseLetters.of(others.joined(separator: "\n"))
  }
}

/// The rows that match the filter, and the selected one.
package struct PickerState {
  package enum Outcome: Equatable {
    case goesOn, leaves
    /// A row, by its index among all rows.
    case picks(Int, PickerAction)
  }

  private let rows: [PickerRow]
  package private(set) var filter = ""
  /// The indexes of the matching rows, in three groups: by name, by other texts, and only by other fields. Each group
  /// is in the original order.
  package private(set) var shown: [Int]
  /// The indexes without the last group.
  private var shownByRow: [Int]
  /// The rows that have a word in a readable field, for each word that was searched.
  private var fields: [String: Set<Int>] = [:]
  /// The index of the selected row in `shown`.
  package private(set) var selected = 0
  /// The index of the first row on the screen.
  package private(set) var top = 0
  /// The number of rows on the screen.
  private var height = 1

  var count: Int { rows.count }

  package init(_ rows: [PickerRow]) {
    self.rows = rows
    shown = Array(rows.indices)
    shownByRow = shown
  }

  /// The words of the filter that were not searched in fields yet.
  package var unknownWords: [String] { words.filter { fields[$0] == nil } }

  /// Adds the rows with a word in a field. Shown rows keep their place.
  package mutating func learn(_ word: String, isInFieldsOf places: Set<Int>) {
    fields[word] = places
    lookInFields()
  }

  private var words: [String] { filter.split(separator: " ").map(String.init) }

  package mutating func fit(height: Int) {
    self.height = max(1, height)
    scroll()
  }

  package mutating func take(_ key: Key) -> Outcome {
    defer { scroll() }
    switch key {
    case .up, .control("p"): move(by: -1)
    case .down, .control("n"): move(by: 1)
    case .pageUp: move(by: -height)
    case .pageDown: move(by: height)
    case .home: move(by: -shown.count)
    case .end: move(by: shown.count)
    case .tab: break
    case .backspace: if !filter.isEmpty { look(for: String(filter.dropLast())) }
    case .control("u"): look(for: "")
    case .control("w"): look(for: String(filter.reversed().drop { $0 == " " }.drop { $0 != " " }.reversed()))
    case .escape:
      if filter.isEmpty { return .leaves }
      look(for: "")
    case .enter, .control, .text: return picked(by: key) ?? typed(key)
    }
    return .goesOn
  }

  private func picked(by key: Key) -> Outcome? {
    let action: PickerAction
    switch key {
    case .enter: action = .copy
    case .control("o"): action = .otp
    case .control("s"): action = .show
    case .control("e"): action = .edit
    default: return nil
    }
    return shown.isEmpty ? .goesOn : .picks(shown[selected], action)
  }

  private mutating func typed(_ key: Key) -> Outcome {
    if case .text(let character) = key { look(for: filter + String(character)) }
    return .goesOn
  }

  private mutating func move(by count: Int) {
    selected = max(0, min(shown.count - 1, selected + count))
  }

  private mutating func scroll() {
    if selected < top { top = selected }
    if selected >= top + height { top = selected - height + 1 }
    top = max(0, min(top, shown.count - height))
  }

  /// Keeps the rows that contain every word of the text.
  private mutating func look(for text: String) {
    let before = BaseLetters.of(filter)
    filter = text
    (selected, top) = (0, 0)
    let letters = BaseLetters.of(text)
    // A longer filter matches only rows of the shorter one, unless a combining sign changes the last letter.
    let candidates = !before.isEmpty && letters.starts(with: before) ? shownByRow.sorted() : Array(rows.indices)
    let words = letters.split(separator: " ").map { PartMatch(String($0)) }
    var (names, others): ([Int], [Int]) = ([], [])
    for index in candidates {
      let row = rows[index]
      let left = words.filter { !$0.matches(baseLetters: row.name) }
      if left.isEmpty {
        names.append(index)
      } else if left.allSatisfy({ $0.matches(baseLetters: row.others) }) {
        others.append(index)
      }
    }
    shownByRow = names + others
    lookInFields()
  }

  /// Adds the rows that match only in fields, once this is known for every word.
  private mutating func lookInFields() {
    shown = shownByRow
    let words = words
    guard !words.isEmpty, unknownWords.isEmpty else { return }
    let parts = words.map { (fields: fields[$0] ?? [], match: PartMatch($0)) }
    let known = Set(shown)
    let candidates = parts.reduce(into: Set<Int>()) { $0.formUnion($1.fields) }.subtracting(known)
    shown += candidates.sorted().filter { index in
      parts.allSatisfy { part in
        part.fields.contains(index) || part.match.matches(baseLetters: rows[index].name)
          || part.match.matches(baseLetters: rows[index].others)
      }
    }
  }
}
