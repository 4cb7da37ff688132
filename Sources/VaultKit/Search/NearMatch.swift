internal import VaultDocument

/// Finds what somebody may have meant who made a slip: by the groups of three letters that two texts have in common.
///
/// Letters count as base letters. A text is compared word by word and as a whole, with a blank before and behind each
/// word, so that its first letters weigh more.
struct NearMatch: Sendable {
  /// The least share of groups that both have, of those that one has, as PostgreSQL's pg_trgm has it.
  private static let threshold = 0.3
  /// Longer values are texts, and not what somebody spells.
  private static let maximumByteCount = 4096

  private let groups: Set<UInt64>
  private let letterCount: Int

  init(_ text: String) {
    let words = Self.words(of: text)
    groups = Self.groups(of: words[...])
    letterCount = words.reduce(0) { $0 + $1.count }
  }

  /// From 0 for nothing in common to 1; 0 where that is a coincidence.
  func similarity(to text: String) -> Double {
    guard letterCount > 2, text.utf8.count <= Self.maximumByteCount else { return 0 }
    let words = Self.words(of: text)
    let parts = words.indices.map { words[$0...$0] } + (words.count > 1 ? [words[...]] : [])
    let best = parts.map { similarity(to: Self.groups(of: $0)) }.max() ?? 0
    return best >= Self.threshold ? best : 0
  }

  private func similarity(to others: Set<UInt64>) -> Double {
    let common = groups.intersection(others).count
    return common == 0 ? 0 : Double(common) / Double(groups.count + others.count - common)
  }

  private static func words(of text: String) -> [[Unicode.Scalar]] {
    BaseLetters.of(text).unicodeScalars.split { !($0.properties.isAlphabetic || $0.properties.numericType != nil) }
      .map(Array.init)
  }

  private static func groups(of words: ArraySlice<[Unicode.Scalar]>) -> Set<UInt64> {
    var groups: Set<UInt64> = []
    for word in words {
      // Three scalars of 21 bits each.
      var group: UInt64 = 0x20 << 21 | 0x20
      for scalar in word + [" "] {
        group = (group << 21 | UInt64(scalar.value)) & (1 << 63 - 1)
        groups.insert(group)
      }
    }
    return groups
  }
}

/// Finds a part of a name, letters being base letters.
package struct PartMatch: Sendable {
  private let letters: TextMatch

  package init(_ word: String) { letters = TextMatch(BaseLetters.of(word)) }

  /// Whether a text, which is in base letters, holds the part.
  package func matches(baseLetters text: String) -> Bool { letters.matches(lowercased: text) }
}

/// What a word may mean that is the exact name of no record.
package struct NameGuesses: Sendable {
  /// The records whose name the word is, in any case.
  package let named: [RecordSummary]
  /// The records with the word in their names, letters being base letters, in the order of these.
  package let parts: [RecordSummary]
  /// The names that are nearest, the best first.
  package let names: [String]
  /// The files of which nobody can say whether their records have the name.
  package fileprivate(set) var faults: [VaultError] = []

  package init(of word: String, among records: some Sequence<RecordSummary>) {
    let base = BaseLetters.of(word)
    let (name, near, part) = (NameMatch(word), NearMatch(word), PartMatch(word))
    var parts: [(key: LetterOrder, record: RecordSummary)] = []
    var names: [(score: Double, key: LetterOrder, name: String)] = []
    var named: [RecordSummary] = []
    for record in records where !record.name.isEmpty {
      guard !name.names(record.name) else {
        named.append(record)
        continue
      }
      let key = LetterOrder(record.name)
      let isPart = part.matches(baseLetters: BaseLetters.of(record.name))
      if isPart { parts.append((key, record)) }
      let score = isPart ? 1 : near.similarity(to: record.name)
      if score > 0 { names.append((score, key, record.name)) }
    }
    parts.sort { $0.key == $1.key ? $0.record.id < $1.record.id : $0.key < $1.key }
    names.sort { $0.score == $1.score ? $0.key < $1.key : $0.score > $1.score }
    var unique: [String] = []
    for (_, _, name) in names where !unique.contains(name) && unique.count < 5 { unique.append(name) }
    // Who types a whole name without its marks means it, and not those that go on.
    let whole = parts.filter { BaseLetters.of($0.record.name) == base }
    self.named = named
    self.parts = (whole.isEmpty ? parts : whole).map(\.record)
    self.names = unique
  }
}

extension LockedVault {
  /// What a word may mean that names no record.
  ///
  /// - Throws: ``VaultError`` when a folder cannot be read; `.cancelled`.
  package func guesses(_ word: String) async throws(VaultError) -> NameGuesses {
    let (records, faults) = try await rows()
    var guesses = NameGuesses(of: word, among: records)
    guesses.faults = faults
    return guesses
  }

  /// The records whose readable values are nearest to the texts of a query that finds nothing, the best first.
  ///
  /// - Parameter limit: the most of them.
  /// - Throws: ``VaultError`` when a folder cannot be read; `.cancelled`.
  package func nearest(_ query: RecordQuery, limit: Int) async throws(VaultError) -> [RecordSummary] {
    var query = query
    (query.allowsSlips, query.limit) = (true, nil)
    let texts = query.texts.map { (NearMatch($0), TextMatch($0)) }
    var found: [(score: Double, record: RecordSummary)] = []
    for summary in try await rows(query).records {
      guard let record = try? self.record(summary.id) else { continue }
      let values = JSONValue.object(record.fields).searchedValues
      let score = texts.reduce(0) { sum, text in
        sum + (values.map { text.1.matches($0) ? 1 : text.0.similarity(to: $0) }.max() ?? 0)
      }
      found.append((score, summary))
    }
    found.sort { $0.score == $1.score ? $0.record.id < $1.record.id : $0.score > $1.score }
    return found.prefix(limit).map(\.record)
  }
}
