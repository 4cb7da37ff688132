import VaultDocument

/// Names that the user may have meant.
package enum Suggestion {
  /// Names that are never proposed. A user with a typing error must not answer a question or open anything.
  private static let dangerous: Set<String> = [
    "--yes", "-y", "--accept-rollback", "--unattested", "--no-baseline", "--reveal", "--reseal", "--drop-key",
    "--everywhere",
  ]

  /// The names that begin with the word, or that differ from it by a slip; empty if none is similar.
  package static func names(for word: some StringProtocol, among names: [String]) -> [String] {
    let names = names.filter { !dangerous.contains($0) && $0 != word }
    let front = word.prefix { $0 == "-" }
    let letters = Array(word.lowercased().dropFirst(front.count))
    // So short a word is not a slip, and no name is so long.
    guard (2...30).contains(letters.count) else { return [] }
    let begun = names.filter { $0.hasPrefix(word.lowercased()) }
    if letters.count > 2, (1...4).contains(begun.count) { return begun }
    let withPart = self.names(withPart: String(letters), among: names.filter { $0.prefix { $0 == "-" } == front })
    if (1...4).contains(withPart.count) { return withPart }
    let near = names.filter { $0.prefix { $0 == "-" } == front }.map { name in
      (name: name, distance: distance(from: letters, to: Array(name.dropFirst(front.count).lowercased())))
    }
    .filter { $0.distance <= ($0.name.count - front.count > 5 && letters.count > 5 ? 2 : 1) }
    return near.min { $0.distance < $1.distance }.map { [$0.name] } ?? []
  }

  /// The names that have the word as a part, such as `card` in `payment-card`.
  package static func names(withPart word: String, among names: [String]) -> [String] {
    names.filter { name in
      let parts = name.split(separator: "-")
      return parts.count > 1 && parts.contains { $0 == word.lowercased() }
    }
  }

  /// A hint; nil if there is nothing to propose.
  ///
  /// - Parameter form: the form of a name in the hint.
  package static func hint(
    for word: some StringProtocol, among names: [String], _ form: (String) -> String = { $0 }
  ) -> String? {
    let found = self.names(for: word, among: names).map { "`\(Printable.text(form($0)))`" }
    return found.isEmpty ? nil : "did you mean \(Sentence.alternatives(found))?"
  }

  /// The number of letters to insert, delete, replace, or exchange with their neighbours.
  private static func distance(from word: [Character], to name: [Character]) -> Int {
    var rows = [Array(0...name.count)]
    for (index, letter) in word.enumerated() {
      var row = [index + 1]
      for (column, other) in name.enumerated() {
        var best = min(rows[index][column] + (letter == other ? 0 : 1), rows[index][column + 1] + 1, row[column] + 1)
        if index > 0, column > 0, letter == name[column - 1], word[index - 1] == other {
          best = min(best, rows[index - 1][column - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[word.count][name.count]
  }
}
