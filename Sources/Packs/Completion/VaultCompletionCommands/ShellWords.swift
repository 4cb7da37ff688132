/// An unfinished command line, split into words as a shell does, with quotes and backslashes.
struct ShellWords {
  enum Quote: Character {
    case single = "'"
    case double = "\""
  }

  /// The words without quotes. The last word is unfinished and may be empty.
  private(set) var words: [String] = [""]
  /// The last word as it was typed.
  private(set) var typed = ""
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
        // In double quotes a backslash is literal before most characters.
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

  /// The word in the form that bash needs: inside an open quote, or with backslashes.
  ///
  /// - Parameter rest: the part that bash replaces, which begins after the last word break such as `:` or `=`.
  func replacement(_ word: String, for rest: String) -> String {
    let whole: String
    switch quote {
    case .single: whole = word.replacing("'", with: "'\\''")
    case .double: whole = Self.escaped(word, "\\\"$`")
    case nil: whole = Self.escaped(word, " \t\\\"'$`&|;<>()*?[]{}!#~")
    }
    // bash keeps the text before `rest`.
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
