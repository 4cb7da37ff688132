import VaultDocument
package import VaultKit
package import VaultTerminal

/// What `find` looks for, as it shows where that stands.
package struct Highlight {
  private let texts: [TextMatch]
  private let conditions: [MemberPath]
  private let style: Style
  /// How many characters of a value stand before what was looked for, at most.
  private static let leadCount = 6

  package init(_ query: RecordQuery, _ style: Style) {
    texts = query.texts.map(TextMatch.init)
    conditions = query.conditions.map(\.path)
    self.style = style
  }

  /// The text with the first place of each searched text in bold.
  func look(_ text: String) -> String {
    guard style.isColored else { return text }
    let characters = Array(text)
    let marked = Set(texts.compactMap { $0.characters(of: text) }.joined()).filter { $0 < characters.count }
    var (result, run) = ("", "")
    for (index, character) in characters.enumerated() {
      if marked.contains(index) {
        run.append(character)
      } else {
        if !run.isEmpty { result += style.bold(run) }
        run = ""
        result.append(character)
      }
    }
    return result + (run.isEmpty ? "" : style.bold(run))
  }

  /// Where the texts stand in a record, and what conditions ask for: `title`, `address.city: Paris`.
  package func places(in record: RecordView) -> String {
    var places: [String] = []
    func add(_ path: MemberPath, _ value: String, of text: TextMatch?) {
      let isTitle = value == record.name
      let place = isTitle ? path.description : "\(path): \(text.map { excerpt(of: value, $0) } ?? value)"
      if !places.contains(place) { places.append(place) }
    }
    let leaves = record.readableLeaves
    for text in texts {
      if let leaf = leaves.first(where: { text.matches($0.text) }) { add(leaf.path, leaf.text, of: text) }
    }
    for path in conditions { add(path, record.cell(at: path), of: nil) }
    return places.joined(separator: ", ")
  }

  private func excerpt(of value: String, _ text: TextMatch) -> String {
    let start = (text.characters(of: value)?.lowerBound ?? 0) - Self.leadCount
    return start > 1 ? "…" + value.dropFirst(start) : value
  }
}
