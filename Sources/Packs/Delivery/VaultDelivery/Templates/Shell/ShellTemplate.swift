/// Scripts for bash, dash, zsh or busybox: the quotes of each part, and text with a meaning for the shell. Nothing is
/// run.
struct ShellTemplate: TemplateSyntax {
  let name = "the script"

  func places(in template: Template, marks: TemplateMarks) throws(TemplateFault) -> [TemplatePlace?] {
    var offsets: [Int: Int] = [:]
    var count = 0
    for index in marks.indices {
      count += template.texts[index].count
      offsets[count] = marks[index].utf8.count
      count += marks[index].utf8.count
    }
    var scanner = ShellScanner(template.filled { Array(marks[$0].utf8) }, marks: offsets)
    try scanner.scan()
    guard !marks.isEmpty else { return [] }
    try ShellJudgement(scanner).check()
    return scanner.places
  }

  func written(_ value: TemplateValue, at place: TemplatePlace) throws(TemplateFault) -> String {
    // In some character sets a byte beyond ASCII swallows a following backslash, but never a single quote.
    let isEscaped = place == .doubleQuotes && value.text.utf8.allSatisfy { $0 < 0x80 }
    if isEscaped || place == .singleQuotes || place == .bare { return try value.text.shellWord(at: place) }
    return "\"\(try value.text.shellWord(at: .bare))\""
  }

  func tokens(of text: [UInt8]) throws(TemplateFault) -> [TemplateToken] {
    var scanner = ShellScanner(text, marks: [:])
    try scanner.scan()
    return scanner.tokens
  }
}

/// A word of a script: where it stands, and what it says once its quotes are gone.
struct ShellWord {
  var range: Range<Int>
  var literal: [UInt8] = []
  /// Whether a shell expands nothing in it, and it has no placeholder.
  var isFixed = true
  /// Whether a shell may split it into several words: an unquoted expansion, or `"$@"`.
  var isSplit = false
  /// Whether it has an unquoted special sign, such as `*` or `{`.
  var isOdd = false
  /// The variable of `NAME=…`.
  var assigned: String?

  var text: String { String(decoding: literal, as: UTF8.self) }
}

/// A command without its inner commands: its words, and the variables that it sets.
struct ShellCommand {
  enum Kind { case simple, loop, choice, condition }

  var kind = Kind.simple
  var range: Range<Int>
  var assignments: [ShellWord] = []
  var words: [ShellWord] = []
  var targets: [ShellWord] = []
  /// Whether it ended with `}`, `)`, `fi` or the like. Only redirections can follow.
  var isClosed = false

  var isEmpty: Bool { assignments.isEmpty && words.isEmpty && targets.isEmpty && !isClosed }
  var isAtStart: Bool { words.isEmpty && !isClosed }
}
