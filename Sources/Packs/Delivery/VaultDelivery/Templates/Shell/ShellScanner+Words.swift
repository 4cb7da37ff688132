/// Words and their parts: quotes, expansions, commands.
extension ShellScanner {
  mutating func word(mayAssign: Bool) throws(TemplateFault) -> ShellWord {
    var word = ShellWord(range: index..<index)
    let (start, count) = (index, places.count)
    while let next = byte(index), !" \t\n;&|)".utf8.contains(next) {
      if next == UInt8(ascii: "<") || next == UInt8(ascii: ">") {
        guard isAt("<(") || isAt(">(") else { break }
        guard index == start else { throw unsure(index, "a process substitution within a word") }
        sign(2)
        try list(until: UInt8(ascii: ")"))
        word.isFixed = false
      } else if next == UInt8(ascii: "(") {
        guard word.assigned != nil, text[index - 1] == UInt8(ascii: "=") else { break }
        try array(start)
        word.isFixed = false
      } else if next == UInt8(ascii: "="), mayAssign, word.assigned == nil, let name = assignedName(start) {
        word.assigned = name
        word.literal.append(next)
        sign()
      } else {
        try piece(&word)
      }
    }
    word.range = start..<index
    if word.isOdd { for place in count..<places.count { places[place] = nil } }
    // The subscript of `NAME[…]=` is arithmetic.
    let name = text[start..<index].prefix { Self.isOfName($0) }
    if !name.isEmpty, byte(name.endIndex) == UInt8(ascii: "[") { evaluated.append(word.range) }
    return word
  }

  private func assignedName(_ start: Int) -> String? {
    guard !hasMark(in: start..<index) else { return nil }
    let name = text[start..<index].last == UInt8(ascii: "+") ? text[start..<(index - 1)] : text[start..<index]
    let text = String(decoding: name, as: UTF8.self)
    return DeliveredVariable.isName(text) ? text : nil
  }

  /// The words of `NAME=(…)`.
  private mutating func array(_ start: Int) throws(TemplateFault) {
    sign()
    while true {
      try blanks(true)
      guard let next = byte(index) else { throw fault(start, "a parenthesis is not closed") }
      if next == UInt8(ascii: ")") { return sign() }
      guard !";&|".utf8.contains(next) else { throw unsure(start, "an array with commands in it") }
      let begin = index
      let word = try word(mayAssign: false)
      guard index > begin else { throw unsure(start, "an array with commands in it") }
      if text[begin] == UInt8(ascii: "[") { evaluated.append(word.range) }
    }
  }

  mutating func piece() throws(TemplateFault) {
    var word = ShellWord(range: index..<index)
    try piece(&word)
  }

  mutating func piece(_ word: inout ShellWord) throws(TemplateFault) {
    if takeMark(.bare) {
      word.isFixed = false
      return
    }
    let next = text[index]
    let isBehindLetter = index > 0 && text[index - 1] >= 0x80
    if isBehindLetter, "\\`|{}[]~".utf8.contains(next) {
      throw unsure(index, "a special sign right after a non-ASCII letter")
    }
    switch next {
    case UInt8(ascii: "'"): try single(&word)
    case UInt8(ascii: "\""): try double(&word)
    case UInt8(ascii: "$"):
      (word.isFixed, word.isSplit) = (false, true)
      try dollar(isQuoted: false)
    case UInt8(ascii: "`"):
      (word.isFixed, word.isSplit) = (false, true)
      try backquoted(isQuoted: false)
    case UInt8(ascii: "\\"): try escaped(&word)
    case _ where "*?[]{}~!^#=".utf8.contains(next):
      if next != UInt8(ascii: "=") || index == word.range.lowerBound { word.isOdd = true }
      word.literal.append(next)
      sign()
    case _ where next < 0x20 || next == 0x7F:
      throw unsure(index, "a carriage return or another control character outside of quotes")
    default:
      word.literal.append(next)
      literal()
    }
  }

  private mutating func escaped(_ word: inout ShellWord) throws(TemplateFault) {
    index += 1
    guard index < text.count else { return }
    if text[index] == UInt8(ascii: "\n") {
      guard documents.isEmpty else { throw unsure(index, "a line that continues after a here-document") }
      index += 1
    } else {
      if marks[index] != nil { word.isFixed = false }
      word.literal.append(text[index])
      take()
    }
  }

  /// Takes a byte literally, or a place that cannot be filled.
  private mutating func take() {
    if !takeMark(nil) { literal() }
  }

  private mutating func checkLine() throws(TemplateFault) {
    guard text[index] != UInt8(ascii: "\n") || documents.isEmpty else {
      throw unsure(index, "quotes over several lines after a here-document")
    }
  }

  private mutating func single(_ word: inout ShellWord) throws(TemplateFault) {
    let start = index
    index += 1
    openText()
    while index < text.count, text[index] != UInt8(ascii: "'") {
      try checkLine()
      if takeMark(.singleQuotes) {
        word.isFixed = false
      } else {
        word.literal.append(text[index])
        literal()
      }
    }
    guard index < text.count else { throw fault(start, "a single quote is not closed") }
    index += 1
  }

  private mutating func double(_ word: inout ShellWord) throws(TemplateFault) {
    let start = index
    index += 1
    openText()
    while index < text.count, text[index] != UInt8(ascii: "\"") {
      try checkLine()
      if takeMark(.doubleQuotes) {
        word.isFixed = false
        continue
      }
      switch text[index] {
      case UInt8(ascii: "\\"): try backslash(&word)
      case UInt8(ascii: "$"):
        word.isFixed = false
        if isAt("$@") || isAt("${@") || isAt("$argv") || isAt("${argv") { word.isSplit = true }
        try dollar(isQuoted: true)
      case UInt8(ascii: "`"):
        word.isFixed = false
        try backquoted(isQuoted: true)
      default:
        word.literal.append(text[index])
        literal()
      }
    }
    guard index < text.count else { throw fault(start, "a double quote is not closed") }
    index += 1
  }

  private mutating func backslash(_ word: inout ShellWord) throws(TemplateFault) {
    guard text[index - 1] < 0x80 else { throw unsure(index, "a special sign right after a non-ASCII letter") }
    let next = byte(index + 1) ?? 0
    if "$`\"\\".utf8.contains(next) {
      index += 1
      word.literal.append(next)
      literal()
    } else if next == UInt8(ascii: "\n") {
      guard documents.isEmpty else { throw unsure(index, "a line that continues after a here-document") }
      index += 2
    } else {
      word.literal.append(text[index])
      literal()
      if marks[index] != nil { take() }
    }
  }

  // MARK: Expansions

  private mutating func dollar(isQuoted: Bool) throws(TemplateFault) {
    let form = isQuoted ? "\"" : ""
    switch byte(index + 1) {
    case UInt8(ascii: "(") where isAt("$(("): try arithmetic(from: 3, form)
    case UInt8(ascii: "("):
      guard documents.isEmpty else { throw unsure(index, "a command in a line with a here-document") }
      sign(2, form)
      try list(until: UInt8(ascii: ")"))
    case UInt8(ascii: "{"): try expansion(form)
    case UInt8(ascii: "["): throw unsure(index, "a $[, which only some shells know")
    case UInt8(ascii: "\""):
      guard isQuoted else { throw unsure(index, "a $\", which only some shells know") }
      sign()
    case UInt8(ascii: "'"):
      if isQuoted { sign() } else { try ansi() }
    case UInt8(ascii: "\\") where byte(index + 2) == UInt8(ascii: "\n"):
      throw unsure(index, "a $ at the end of a line")
    default: try variable(form)
    }
  }

  /// `$'…'`, which other shells read as a `$` and a text in single quotes.
  private mutating func ansi() throws(TemplateFault) {
    var end = index + 2
    while let next = byte(end), next != UInt8(ascii: "'") {
      if next == UInt8(ascii: "\\") {
        guard byte(end + 1) != UInt8(ascii: "'") else { throw unsure(index, "a \\' in $'…'") }
        end += 1
      }
      guard next != UInt8(ascii: "\n") || documents.isEmpty else {
        throw unsure(index, "quotes over several lines after a here-document")
      }
      end += 1
    }
    guard end < text.count else { throw fault(index, "a single quote is not closed") }
    sign(end + 1 - index)
  }

  /// `$NAME`, or a literal `$`.
  private mutating func variable(_ form: String) throws(TemplateFault) {
    var end = index + 1
    while end < text.count, marks[end] == nil, Self.isOfName(text[end]) { end += 1 }
    if end == index + 1, end < text.count, "#?*@!$-".utf8.contains(text[end]) { end += 1 }
    let isNamed = end > index + 1
    sign(end - index, form)
    let next = byte(index) ?? 0
    if !isNamed, "=~^+".utf8.contains(next) {
      throw unsure(index, "a $ before = ~ ^ or +, which changes an expansion of zsh")
    }
    if isNamed, isAt("[") || isAt("\\\n") { throw unsure(index, "a [ or the end of a line right after $NAME") }
    // A value would be a part of the name, or turn the sign into `$'`.
    if marks[index] != nil { take() }
  }

  static func isOfName(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
  }

  /// Takes `${…}` without quotes, because shells differ about quotes in it.
  private mutating func expansion(_ form: String) throws(TemplateFault) {
    let start = index
    var end = index + 2
    if byte(end) == UInt8(ascii: "#"), byte(end + 1) != UInt8(ascii: "}") { end += 1 }
    let name = text[end...].prefix { Self.isOfName($0) }
    end = name.isEmpty ? end + 1 : name.endIndex
    guard !name.isEmpty || byte(end - 1).map({ "@*#?$!-".utf8.contains($0) }) ?? false,
      !(name.isEmpty && byte(end) != UInt8(ascii: "}"))
    else { throw unsure(start, "an expansion that only some shells know") }
    let rest = end
    while let next = byte(end), next != UInt8(ascii: "}") {
      let isVariable = next == UInt8(ascii: "$") && (byte(end + 1).map(Self.isOfName) ?? false)
      guard next >= 0x20, next < 0x7F, !"'\"\\`{()".utf8.contains(next), next != UInt8(ascii: "$") || isVariable else {
        throw unsure(start, "quotes, commands or braces within ${…}")
      }
      end += 1
    }
    guard end < text.count else { throw fault(start, "a ${ is not closed") }
    if isEvaluated(text[rest..<end]) { evaluated.append(start..<end) }
    sign(end + 1 - start, form)
  }

  /// Whether a shell evaluates the text after the name: a subscript, numbers, or `@P` and similar operators.
  private func isEvaluated(_ rest: ArraySlice<UInt8>) -> Bool {
    guard let first = rest.first else { return false }
    let second = rest.dropFirst().first ?? 0
    return first == UInt8(ascii: "[") || first == UInt8(ascii: "@")
      || first == UInt8(ascii: ":") && !"-=?+".utf8.contains(second)
  }

  private mutating func backquoted(isQuoted: Bool) throws(TemplateFault) {
    let start = index
    guard start == 0 || text[start - 1] < 0x80 else {
      throw unsure(start, "a special sign right after a non-ASCII letter")
    }
    guard let end = text[(start + 1)...].firstIndex(of: UInt8(ascii: "`")) else {
      throw fault(start, "a ` is not closed")
    }
    let inside = text[(start + 1)..<end]
    guard documents.isEmpty, !inside.contains(where: { "\\\n#".utf8.contains($0) }),
      !isQuoted || !inside.contains(where: { "'\"".utf8.contains($0) })
    else { throw unsure(start, "quotes, comments or lines within `…`") }
    // The inner commands are read like a script of their own.
    var inner = ShellScanner(Array(text[..<end]), marks: marks.filter { $0.key < end })
    (inner.index, inner.depth) = (start + 1, depth)
    defer { doubt = inner.doubt ?? doubt }
    try inner.list(until: nil)
    guard inner.documents.isEmpty else { throw unsure(start, "a here-document within `…`") }
    commands += inner.commands
    evaluated += inner.evaluated
    functions.formUnion(inner.functions)
    sign(end + 1 - start)
  }
}
