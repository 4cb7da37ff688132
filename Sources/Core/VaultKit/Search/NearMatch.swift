internal import VaultDocument
internal import VaultTrust

/// Finds the texts that a person may have meant who made a slip, by the groups of three letters that two texts share.
///
/// Letters count as base letters. A text is compared word by word and as a whole, with a blank before and after each
/// word, so that its first letters weigh more.
package struct NearMatch: Sendable {
  /// The least share of common groups, as in PostgreSQL's pg_trgm.
  private static let threshold = 0.3
  /// Longer values are prose, which nobody types as a search word.
  private static let maximumByteCount = 4096

  private let groups: Set<UInt64>
  private let letterCount: Int
  private let filter: GroupFilter

  package init(_ text: String) {
    let words = Self.words(of: text)
    groups = Self.groups(of: words[...])
    filter = GroupFilter(groups, leastCount: Int((Self.threshold * Double(groups.count)).rounded(.up)))
    letterCount = words.reduce(0) { $0 + $1.count }
  }

  /// From 0 for nothing in common to 1; 0 if the similarity is a coincidence.
  package func similarity(to text: String) -> Double {
    guard letterCount > 2, text.utf8.count <= Self.maximumByteCount, filter.mayPass(text) else { return 0 }
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

/// Rejects most texts that share too few groups with a word, without splitting them.
///
/// If two texts are similar, the share of common groups among those of both is at least the threshold, so it is at
/// least that among those of the word alone.
private struct GroupFilter: Sendable {
  private static let blank = UInt8(ascii: " ")

  /// A bit for each of 4,096 values that a group can have here; two groups may share one.
  private let bits: [UInt64]
  private let leastCount: Int

  init(_ groups: Set<UInt64>, leastCount: Int) {
    var bits = [UInt64](repeating: 0, count: 64)
    for group in groups {
      let place = Self.place(of: group)
      bits[place >> 6] |= 1 << UInt64(place & 63)
    }
    (self.bits, self.leastCount) = (bits, leastCount)
  }

  private static func place(of group: UInt64) -> Int { Int((group &* 0x9E37_79B9_7F4A_7C15) >> 52) }

  /// False if the text has fewer of the groups than needed; a text that is not ASCII always passes.
  func mayPass(_ text: String) -> Bool {
    let bytes = text.utf8Span.span
    let start = UInt64(Self.blank) << 21 | UInt64(Self.blank)
    var (group, isInWord, count) = (start, false, 0)
    for index in 0...bytes.count {
      let byte = index < bytes.count ? bytes[index] : Self.blank
      guard byte < 0x80 else { return true }
      let letter = Self.letter(byte)
      guard letter != Self.blank || isInWord else { continue }
      isInWord = letter != Self.blank
      group = (group << 21 | UInt64(letter)) & (1 << 63 - 1)
      let place = Self.place(of: group)
      if bits[place >> 6] >> UInt64(place & 63) & 1 != 0 {
        count += 1
        if count >= leastCount { return true }
      }
      if !isInWord { group = start }
    }
    return false
  }

  /// A lower-case letter or a digit; a blank for every other character.
  private static func letter(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    default: blank
    }
  }
}

/// Finds a part of a name, comparing base letters.
package struct PartMatch: Sendable {
  private let letters: TextMatch

  package init(_ word: String) { letters = TextMatch(BaseLetters.of(word)) }

  package func matches(baseLetters text: String) -> Bool { letters.matches(lowercased: text) }
}

/// Guesses for a word that is not the exact name of a record.
package struct NameGuesses: Sendable {
  /// The records with the word as their name, in any case.
  package let named: [RecordSummary]
  /// The records with the word in their names, comparing and sorting by base letters.
  package let parts: [RecordSummary]
  /// The most similar names, at most five, the best first.
  package let names: [String]
  /// The errors of files whose names are unknown.
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
      let isPart = part.matches(baseLetters: BaseLetters.of(record.name))
      let score = isPart ? 1 : near.similarity(to: record.name)
      guard score > 0 else { continue }
      let key = LetterOrder(record.name)
      if isPart { parts.append((key, record)) }
      names.append((score, key, record.name))
    }
    parts.sort { $0.key == $1.key ? $0.record.id < $1.record.id : $0.key < $1.key }
    names.sort { $0.score == $1.score ? $0.key < $1.key : $0.score > $1.score }
    var unique: [String] = []
    for (_, _, name) in names where !unique.contains(name) && unique.count < 5 { unique.append(name) }
    // A person who types a whole name without its accents means it, and not longer names.
    let whole = parts.filter { BaseLetters.of($0.record.name) == base }
    self.named = named
    self.parts = (whole.isEmpty ? parts : whole).map(\.record)
    self.names = unique
  }
}

extension LockedVault {
  package func guesses(_ word: String) async throws(VaultError) -> NameGuesses {
    let (records, faults) = try await rows()
    var guesses = NameGuesses(of: word, among: records)
    guesses.faults = faults
    return guesses
  }

  /// The most records that are read for comparison.
  private static let nearReadCount = 256

  /// The records whose readable values are most similar to the texts of a query without results, the best first. If
  /// more than 256 are similar, the first by name are compared.
  package func nearest(_ query: RecordQuery, limit: Int) async throws(VaultError) -> [RecordSummary] {
    var query = query
    (query.allowsSlips, query.order, query.limit) = (true, .name, Self.nearReadCount)
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
