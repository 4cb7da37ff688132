import VaultAge
import VaultCrypto
import VaultTerminal

/// Reads the lines of a sheet as a person types them: upper or lower case, with or without spaces and line numbers.
struct SheetReader {
  /// The outcome of reading a line.
  enum Verdict {
    case more
    case done(SecretBytes)
    /// The line does not count, and has to be typed again.
    case wrong(String)
    /// Several lines were typed, and one of them is wrong. All of them have to be typed again.
    case wrongBefore(String)
  }

  private enum Form { case words, groups }

  /// The number of the first line of words on a sheet, which follow the groups.
  private let firstWordLine: Int
  private var form: Form?
  /// The kinds of identities that the lines of words so far can be.
  private var prefixes = Array(SheetCode.prefixes.indices)
  private var bytes: [UInt8] = []
  private var wordLineCount = 0
  private var characters: [UInt8] = []

  init(firstWordLine: Int = 5) { self.firstWordLine = firstWordLine }

  /// The number of the line to type next; nil if either form may come.
  var nextLine: Int? {
    switch form {
    case nil: nil
    case .words: firstWordLine + wordLineCount
    case .groups: groupLine(at: characters.count)
    }
  }

  mutating func take(_ line: [UInt8]) throws -> Verdict {
    let tokens = Self.tokens(line)
    guard !tokens.isEmpty else { return .more }
    let form = self.form ?? Self.form(of: tokens)
    let verdict = try form == .words ? takeWords(tokens) : takeGroups(tokens)
    if case .wrong = verdict { return verdict }
    if case .wrongBefore = verdict {
      (self.form, characters) = (nil, [])
      return verdict
    }
    self.form = form
    return verdict
  }

  /// The identity in a text: lines of a sheet, a whole sheet that was saved as text, or an identity file.
  ///
  /// - Parameter name: the file, for errors.
  static func identity(in text: [UInt8], named name: String) throws -> SecretBytes {
    func refused(_ reason: String, _ hint: String) -> CommandError {
      CommandError(.inputRefused, "input_refused", subject: name, reason, hints: [hint])
    }
    let lines = text.split { $0 == UInt8(ascii: "\n") }.map(Array.init)
    let first = lines.firstIndex { tokens($0).first.map { SheetCode.prefix(of: upper($0)) != nil } ?? false } ?? 0
    var reader = SheetReader()
    for line in lines.dropFirst(first) {
      switch try reader.take(line) {
      case .more: continue
      case .done(let secret): return secret
      case .wrong(let fault), .wrongBefore(let fault):
        throw refused("is not the text of a sheet: \(fault)", "compare that line with the page")
      }
    }
    let missing = reader.nextLine.map { "line \($0) is missing" } ?? "it is empty"
    throw refused("is not the whole key of a sheet: \(missing)", "give lines 1 to 4, or the lines of words after them")
  }

  /// The words or groups of a line. The number of a line, and marks that no sheet has between words, do not count.
  private static func tokens(_ line: [UInt8]) -> [[UInt8]] {
    let visible = line.map { $0 < 0x80 ? $0 : UInt8(ascii: " ") }
    let marks = Array(" \t\r\n,;.|".utf8)
    var tokens = visible.split { marks.contains($0) }.map(Array.init)
    let isNumbered = tokens.count > 1 && tokens[0].count == 1 && UInt8(ascii: "1")...UInt8(ascii: "9") ~= tokens[0][0]
    if isNumbered { tokens.removeFirst() }
    return tokens
  }

  private static func form(of tokens: [[UInt8]]) -> Form {
    let beginsIdentity = upper(tokens[0]).starts(with: Array("AGE".utf8))
    let areWords = tokens.count { $0.count == SheetCode.wordShape.count } * 2 > tokens.count
    return areWords && !beginsIdentity ? .words : .groups
  }

  private static func upper(_ letters: [UInt8]) -> [UInt8] {
    letters.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 ? $0 - 32 : $0 }
  }

  private static func lower(_ letters: [UInt8]) -> [UInt8] {
    letters.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 + 32 : $0 }
  }
}

// MARK: Words

extension SheetReader {
  /// Takes one line of words, or several that were typed as one.
  private mutating func takeWords(_ tokens: [[UInt8]]) throws -> Verdict {
    // After a fault all of it is typed again.
    var next = self
    var rest = tokens.map(Self.lower)[...]
    while !rest.isEmpty {
      guard next.bytes.count < SheetCode.byteCount else { return .wrong("there are more words than a sheet has") }
      let words = Array(rest.prefix(SheetCode.wordsInLine))
      rest = rest.dropFirst(SheetCode.wordsInLine)
      if let fault = next.takeLine(words) { return .wrong(fault) }
    }
    self = next
    guard bytes.count == SheetCode.byteCount else { return .more }
    return .done(try SheetCode.text(bytes, prefix: prefixes[0]))
  }

  /// Takes the words of one line; returns their fault, or nil.
  private mutating func takeLine(_ words: [[UInt8]]) -> String? {
    let place = "line \(firstWordLine + wordLineCount)"
    guard words.count == SheetCode.wordsInLine else {
      return "\(place) has \(words.count) words, but must have \(SheetCode.wordsInLine)"
    }
    if let index = words.firstIndex(where: { SheetCode.number(of: $0) == nil }) {
      return "\(place): word \(index + 1) is not a word of a sheet"
    }
    let numbers = words.compactMap(SheetCode.number)
    let fitting = prefixes.filter { bytes(of: numbers, $0) != nil }
    guard let first = fitting.first, let more = bytes(of: numbers, first) else {
      guard let index = suspect(in: words) else { return "\(place): its words do not fit together" }
      return "\(place): its words do not fit together; word \(index + 1) is probably wrong"
    }
    prefixes = fitting
    bytes += more
    wordLineCount += 1
    return nil
  }

  private func bytes(of numbers: [UInt16], _ prefix: Int) -> [UInt8]? {
    SheetCode.bytes(of: numbers, line: wordLineCount, prefix: prefix)
  }

  /// The word in which one other letter makes the line fit; nil if there is no such word, or several.
  private func suspect(in words: [[UInt8]]) -> Int? {
    let found = words.indices.filter { index in
      words[index].indices.contains { place in
        SheetCode.wordShape[place].contains { letter in
          var changed = words
          changed[index][place] = letter
          let numbers = changed.compactMap(SheetCode.number)
          return numbers.count == words.count && prefixes.contains { bytes(of: numbers, $0) != nil }
        }
      }
    }
    return found.count == 1 ? found[0] : nil
  }
}

// MARK: Groups

extension SheetReader {
  private static let alphabet = Array("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".utf8)

  /// Takes characters of the Bech32 text: a line of the sheet, or any part.
  private mutating func takeGroups(_ tokens: [[UInt8]]) throws -> Verdict {
    let typed = tokens.flatMap(Self.upper)
    let line = groupLine(at: characters.count)
    let all = characters + typed
    guard let prefix = SheetCode.prefix(of: all) else {
      return .wrong("line 1 does not begin with \(SheetCode.prefixes[0])1, and is not a line of words")
    }
    let (start, count) = (SheetCode.start(prefix), SheetCode.characterCount(prefix))
    if let place = all.indices.dropFirst(start).first(where: { !Self.alphabet.contains(all[$0]) }) {
      return .wrong(
        "\(self.place(at: place, start)): a character is not one of a sheet: 1, B, I and O never occur there")
    }
    guard all.count <= count else { return .wrong("line \(line) has too many characters") }
    let (done, end) = (max(0, characters.count - start), all.count - start)
    guard all.count == count || end.isMultiple(of: SheetCode.charactersInLine) else {
      let expected = min(SheetCode.charactersInLine, count - start - done)
      return .wrong("line \(max(line, 2)) has \(end - done) characters, but must have \(expected)")
    }
    characters = all
    guard all.count == count else { return .more }
    let secret = try SecretBytes(copying: RawSpan(_elements: all.span))
    do throws(Bech32.Fault) {
      _ = try secret.withBytes { text throws(Bech32.Fault) in try Bech32.check(text) }
      return .done(secret)
    } catch {
      guard let wrong = Self.suspect(in: all, from: start) else {
        return .wrongBefore("the lines do not fit together: two or more characters are wrong")
      }
      return .wrongBefore("\(self.place(at: wrong, start)): a character is probably wrong")
    }
  }

  /// The line of the sheet in which the character at an offset stands.
  private func groupLine(at offset: Int) -> Int {
    guard let prefix = SheetCode.prefix(of: characters), offset >= SheetCode.start(prefix) else { return 1 }
    return 2 + (offset - SheetCode.start(prefix)) / SheetCode.charactersInLine
  }

  private func place(at offset: Int, _ start: Int) -> String {
    let place = offset - start
    return "line \(2 + place / SheetCode.charactersInLine), group \(1 + place % SheetCode.charactersInLine / 4)"
  }

  /// The place at which one other character makes the text valid; the checksum finds at most one such place.
  private static func suspect(in text: [UInt8], from start: Int) -> Int? {
    text.indices.dropFirst(start).first { place in
      alphabet.contains { character in
        var changed = text
        changed[place] = character
        return (try? Bech32.check(RawSpan(_elements: changed.span))) != nil
      }
    }
  }
}
