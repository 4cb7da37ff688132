internal import VaultDocument

/// Reads a script as bash, dash, zsh and busybox do: words, quotes, commands.
///
/// Source: POSIX, Shell Command Language, section 2. The reading ends at text that these shells read differently, and
/// no place after it is filled.
struct ShellScanner {
  struct Document {
    let start: Int
    let end: [UInt8]
    let dropsTabs: Bool
    let isExpanded: Bool
  }

  let text: [UInt8]
  /// The placeholders for values, with their lengths, by index.
  let marks: [Int: Int]
  private(set) var tokens: [TemplateToken] = []
  var places: [TemplatePlace?] = []
  var index = 0
  var depth = 0
  /// Here-documents that the current line announced.
  var documents: [Document] = []

  // The results for `ShellJudgement`.
  var commands: [ShellCommand] = []
  var functions: Set<String> = []
  /// Parts of the text that a shell evaluates: arithmetic, subscripts.
  var evaluated: [Range<Int>] = []
  /// The bodies of here-documents, with the index of each announcement.
  var bodies: [(start: Int, range: Range<Int>)] = []
  /// The start of the outermost incomplete command.
  private var commandStart = 0
  /// The text after an early end of the reading.
  var unread: Range<Int>?
  /// The start of a text that shells read differently.
  var doubt: Int?

  init(_ text: [UInt8], marks: [Int: Int]) { (self.text, self.marks) = (text, marks) }

  mutating func scan() throws(TemplateFault) {
    guard String(validating: text, as: UTF8.self) != nil else {
      throw TemplateFault(line: nil, "the template is not UTF-8")
    }
    if let zero = text.firstIndex(of: 0) {
      throw TemplateFault(line: line(of: zero), "the template has a NUL character, which no shell can hold")
    }
    do throws(TemplateFault) {
      try checkInterpreter()
      try list(until: nil)
      guard documents.isEmpty else { throw unsure(index, "a here-document that does not end") }
    } catch {
      guard let doubt else { throw error }
      if let next = marks.keys.filter({ $0 >= min(doubt, commandStart) }).min() {
        throw TemplateFault(
          line: line(of: next),
          "shells may read this place differently: line \(line(of: doubt)) has \(error.reason)")
      }
      unread = doubt..<text.count
      tokens.append(TemplateToken(mark: "unread"))
      tokens.append(TemplateToken(mark: String(decoding: text[min(index, text.count)...], as: UTF8.self)))
    }
  }

  /// The fault of a text that is not a script.
  func fault(_ start: Int, _ reason: String) -> TemplateFault { TemplateFault(line: line(of: start), reason) }

  /// The fault of a text that shells read differently. Thrown, it ends the reading; places before it stay filled.
  mutating func unsure(_ start: Int, _ reason: String) -> TemplateFault {
    doubt = start
    return fault(start, reason)
  }

  func line(of start: Int) -> Int { 1 + text[..<min(start, text.count)].count { $0 == UInt8(ascii: "\n") } }
  func isAt(_ word: String, _ place: Int? = nil) -> Bool {
    text[min(place ?? index, text.count)...].starts(with: word.utf8)
  }
  func byte(_ place: Int) -> UInt8? { text.indices.contains(place) ? text[place] : nil }
  /// Whether a command has input from a pipe or a redirection.
  var feedsCommands: Bool {
    tokens.contains { ["|", "|&", "<", "<<", "<<<", "<&", "<>"].contains($0.mark) }
  }
  /// Whether a word is exactly `"$@"`, which stands for a whole command.
  func isArguments(_ word: ShellWord) -> Bool { text[word.range].elementsEqual("\"$@\"".utf8) }
  func hasMark(in range: Range<Int>) -> Bool { marks.keys.contains(where: range.contains) }

  /// Refuses other shells.
  private mutating func checkInterpreter() throws(TemplateFault) {
    guard isAt("#!") else { return }
    let line = String(decoding: text[2...].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    var words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }.map(String.init)
    if words.first?.hasSuffix("/env") == true { words.removeFirst() }
    if words.first?.hasSuffix("busybox") == true { words.removeFirst() }
    let name = words.first?.split(separator: "/").last.map(String.init) ?? ""
    let isPlain = words.dropFirst().allSatisfy { $0.utf8.allSatisfy { "-eux".utf8.contains($0) } }
    guard ["sh", "bash", "dash", "ash", "zsh"].contains(name), isPlain else {
      throw unsure(0, "an interpreter other than sh, bash, dash, ash or zsh, or options for it")
    }
  }

  // MARK: Tokens

  func beginsText() -> Bool { tokens.last?.mark != "text" }

  mutating func literal(_ count: Int = 1) {
    openText()
    tokens[tokens.count - 1].text += text[index..<min(text.count, index + count)]
    index += count
  }

  mutating func openText() {
    if beginsText() { tokens.append(TemplateToken(mark: "text")) }
  }

  /// Takes text with a meaning for the shell. No place in it holds a value.
  mutating func sign(_ count: Int = 1, _ form: String = "") {
    let end = min(text.count, index + count)
    for place in index..<end where marks[place] != nil { places.append(nil) }
    tokens.append(TemplateToken(mark: form + String(decoding: text[index..<end], as: UTF8.self)))
    index = end
  }

  /// Takes a placeholder, if one begins here.
  mutating func takeMark(_ place: TemplatePlace?) -> Bool {
    guard let count = marks[index] else { return false }
    let before = index > 0 ? text[index - 1] : 0
    // zsh has modifiers after `$NAME:`. A quote keeps the value from being one.
    places.append(place == .doubleQuotes && (before >= 0x80 || before == UInt8(ascii: ":")) ? .beside : place)
    literal(count)
    return true
  }

  // MARK: Commands

  /// Reads commands up to the parenthesis, or the end of the text.
  mutating func list(until end: UInt8?) throws(TemplateFault) {
    let start = index
    depth += 1
    defer { depth -= 1 }
    guard depth < 40 else { throw fault(start, "the script is nested too deeply") }
    var command = ShellCommand(range: index..<index)
    while index < text.count {
      let byte = text[index]
      if byte == end {
        guard documents.isEmpty else { throw unsure(index, "a here-document that begins before a parenthesis ends") }
        finish(&command)
        return sign()
      }
      if try !blank(&command), try !operation(&command) { try step(&command) }
    }
    finish(&command)
    if end != nil { throw fault(start, "a parenthesis is not closed") }
  }

  mutating func finish(_ command: inout ShellCommand) {
    if !command.isEmpty {
      command.range = command.range.lowerBound..<index
      commands.append(command)
    }
    command = ShellCommand(range: index..<index)
    if depth == 1 { commandStart = index }
  }

  /// Takes spaces, line ends and comments between words.
  mutating func blank(_ command: inout ShellCommand) throws(TemplateFault) -> Bool {
    switch text[index] {
    case UInt8(ascii: " "), UInt8(ascii: "\t"): sign()
    case UInt8(ascii: "\n"):
      finish(&command)
      sign()
      command.range = index..<index
      try takeDocuments()
    case UInt8(ascii: "#"): comment()
    case UInt8(ascii: "\\") where byte(index + 1) == UInt8(ascii: "\n"):
      guard documents.isEmpty, byte(index + 2) != UInt8(ascii: "#") else {
        throw unsure(index, "a backslash at the end of a line with a here-document or before a #")
      }
      index += 2
    default: return false
    }
    return true
  }

  mutating func comment() { sign((text[index...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count) - index) }

  mutating func operation(_ command: inout ShellCommand) throws(TemplateFault) -> Bool {
    let byte = text[index]
    guard ";&|()<>".utf8.contains(byte), !isAt("<("), !isAt(">(") else { return false }
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: ">"): try redirection(&command)
    case UInt8(ascii: "("): try parenthesis(&command)
    case UInt8(ascii: ")"): throw unsure(index, "a closing parenthesis without an opening one")
    default:
      let count = ["&&", "||", ";;", "|&"].contains(where: { isAt($0) }) ? 2 : 1
      guard self.byte(index + count) != UInt8(ascii: "\\") else {
        throw unsure(index, "a backslash after a special sign")
      }
      finish(&command)
      sign(count)
      command.range = index..<index
    }
    return true
  }

  /// A group in parentheses, arithmetic, or a function. The body of a function is read as the next command.
  private mutating func parenthesis(_ command: inout ShellCommand) throws(TemplateFault) {
    let start = index
    if isAt("((") {
      guard command.isEmpty else { throw unsure(start, "parentheses within a command") }
      try arithmetic(from: 2, "")
      command.isClosed = true
    } else if command.isEmpty {
      sign()
      try list(until: UInt8(ascii: ")"))
      command.isClosed = true
    } else {
      guard command.words.count == 1, command.words[0].isFixed, command.assignments.isEmpty,
        command.words[0].range.upperBound == start, isAt("()")
      else { throw unsure(start, "parentheses within a command") }
      functions.insert(command.words[0].text)
      sign(2)
      command = ShellCommand(range: index..<index)
    }
  }

  // MARK: Words of commands

  mutating func step(_ command: inout ShellCommand) throws(TemplateFault) {
    let word = try word(mayAssign: command.isAtStart || command.kind == .simple)
    guard !command.isClosed else { throw unsure(word.range.lowerBound, "words after the end of a group") }
    guard command.words.isEmpty else {
      if word.range.count == 1, isAt("}", word.range.lowerBound) {
        throw unsure(word.range.lowerBound, "a } that ends a group in zsh")
      }
      return command.words.append(word)
    }
    if let name = word.assigned, DeliveredVariable.isName(name) { return command.assignments.append(word) }
    let isKeyword = command.isEmpty && String(decoding: text[word.range], as: UTF8.self) == word.text
    guard isKeyword, try keyword(word.text, start: word.range.lowerBound, command: &command) else {
      return command.words.append(word)
    }
  }

  /// Takes the construct of a reserved word. Returns false if the word is not reserved.
  private mutating func keyword(
    _ word: String, start: Int, command: inout ShellCommand
  ) throws(TemplateFault) -> Bool {
    switch word {
    case "if", "then", "else", "elif", "do", "while", "until", "!", "{": break
    case "time":
      let next = text[index...].first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
      if next == UInt8(ascii: "-") { throw unsure(start, "an option of `time`, which only some shells know") }
    case "fi", "done", "}": command.isClosed = true
    case "esac": throw unsure(start, "an `esac` without a `case`")
    case "case": try choice(start, &command)
    case "for", "select": try loop(start, &command)
    case "[[": try condition(start, &command)
    case "function":
      try blanks()
      let name = try self.word(mayAssign: false)
      guard name.isFixed else { throw unsure(start, "a function without a plain name") }
      functions.insert(name.text)
      if isAt("()") { sign(2) }
    case "coproc", "repeat", "foreach", "end", "alias", "setopt", "unsetopt", "emulate", "always":
      throw unsure(start, "a word that changes how the rest is read, or that only some shells know")
    default: return false
    }
    return true
  }

  /// Takes spaces, line ends and comments within a command.
  mutating func blanks(_ areLinesTaken: Bool = false) throws(TemplateFault) {
    while let next = byte(index), marks[index] == nil {
      let isLine = next == UInt8(ascii: "\n")
      guard
        next == UInt8(ascii: " ") || next == UInt8(ascii: "\t")
          || areLinesTaken && (isLine || next == UInt8(ascii: "#"))
      else { return }
      guard !isLine || documents.isEmpty else {
        throw unsure(index, "a here-document within a command of several lines")
      }
      if next == UInt8(ascii: "#") { comment() } else { sign() }
    }
  }
}
