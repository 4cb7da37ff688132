import VaultDocument
package import VaultKit
package import VaultTerminal

/// Marks the texts that `find` searched for.
package struct Highlight {
  private let texts: [TextMatch]
  private let conditions: [MemberPath]
  private let style: Style
  /// How many characters of a value are shown before the match, at most.
  private static let leadCount = 6

  package init(_ query: RecordQuery, _ style: Style) {
    texts = query.texts.map(TextMatch.init)
    conditions = query.conditions.map(\.path)
    self.style = style
  }

  /// The text with the first match of each searched text in bold.
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

  /// The places of the matches in a record, and the fields of conditions: `title`, `address.city: Paris`.
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
