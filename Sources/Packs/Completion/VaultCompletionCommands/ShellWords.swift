/// A command line that somebody types, as a shell splits it: words by blanks, with quotes and backslashes.
struct ShellWords {
  enum Quote: Character {
    case single = "'"
    case double = "\""
  }

  /// What the words are, the last of them unfinished and perhaps empty.
  private(set) var words: [String] = [""]
  /// The last word as it is typed.
  private(set) var typed = ""
  /// The quote that is open at the end.
  private(set) var quote: Quote?

  init(_ line: some StringProtocol) {
    var (isEscaped, isBetween) = (false, true)
    for character in line {
      if quote == nil, !isEscaped, character == " " || character == "\t" {
        if !isBetween { words.append("") }
        (typed, isBetween) = ("", true)
        continue
      }
      isBetween = false
      typed.append(character)
      if isEscaped {
        // Within double quotes a backslash stands for itself before most.
        if quote == .double, !"\\\"$`".contains(character) { words[words.count - 1].append("\\") }
        words[words.count - 1].append(character)
        isEscaped = false
      } else if character == "\\", quote != .single {
        isEscaped = true
      } else if character == quote?.rawValue {
        quote = nil
      } else if quote == nil, let opened = Quote(rawValue: character) {
        quote = opened
      } else {
        words[words.count - 1].append(character)
      }
    }
  }

  /// A word as bash has to be given it in place of what is typed: within open quotes, else with backslashes.
  ///
  /// - Parameters:
  ///   - rest: what bash takes for the word, which begins behind the last of its word breaks such as `:` and `=`.
  func replacement(_ word: String, for rest: String) -> String {
    let whole: String
    switch quote {
    case .single: whole = word.replacing("'", with: "'\\''")
    case .double: whole = Self.escaped(word, "\\\"$`")
    case nil: whole = Self.escaped(word, " \t\\\"'$`&|;<>()*?[]{}!#~")
    }
    // Of what is typed bash keeps what stands before `rest`.
    let opened = quote == nil ? typed : String(typed.drop { $0 != quote?.rawValue }.dropFirst())
    let kept = opened.count - rest.count
    return kept > 0 ? String(whole.dropFirst(kept)) : whole
  }

  private static func escaped(_ word: String, _ special: String) -> String {
    word.reduce(into: "") { result, character in
      if special.contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
