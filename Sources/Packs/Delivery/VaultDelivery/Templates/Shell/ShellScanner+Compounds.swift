/// Commands with a grammar of their own.
extension ShellScanner {
  /// `for NAME in WORD…`
  mutating func loop(_ start: Int, _ command: inout ShellCommand) throws(TemplateFault) {
    command = ShellCommand(kind: .loop, range: start..<index)
    try blanks()
    if isAt("((") {
      try arithmetic(from: 2, "")
      command.isClosed = true
      return
    }
    let name = try word(mayAssign: false)
    guard name.isFixed, DeliveredVariable.isName(name.text) else { throw unsure(start, "a loop without a plain name") }
    command.words.append(name)
    try blanks(true)
    if isAt(";") || text[..<index].last == UInt8(ascii: "\n") && isAt("do") { return finish(&command) }
    let word = try plainWord()
    guard word == "in" else { throw unsure(start, "a loop without `in`") }
  }

  /// `case WORD in PATTERN) … ;; esac`
  mutating func choice(_ start: Int, _ command: inout ShellCommand) throws(TemplateFault) {
    try blanks()
    var head = ShellCommand(kind: .choice, range: start..<index)
    head.words.append(try word(mayAssign: false))
    finish(&head)
    try blanks(true)
    guard try plainWord() == "in" else { throw unsure(start, "a `case` without `in`") }
    while true {
      try blanks(true)
      guard index < text.count else { throw fault(start, "the `case` is not closed") }
      if isAt("esac"), !(byte(index + 4).map(Self.isOfName) ?? false) { break }
      try pattern(start)
      if try branch(start) { break }
    }
    sign(4)
    command.isClosed = true
  }

  private mutating func plainWord() throws(TemplateFault) -> String {
    guard let next = byte(index), !";&|()<>\n".utf8.contains(next) else {
      throw unsure(index, "a missing word")
    }
    return try word(mayAssign: false).text
  }

  private mutating func pattern(_ start: Int) throws(TemplateFault) {
    if isAt("(") { sign() }
    while true {
      try blanks()
      guard let next = byte(index), !";&<>\n".utf8.contains(next) else { throw unsure(start, "a pattern of `case`") }
      if next == UInt8(ascii: ")") { return sign() }
      if next == UInt8(ascii: "|") {
        sign()
        continue
      }
      let (begin, count) = (index, places.count)
      _ = try plainWord()
      guard index > begin else { throw unsure(start, "a pattern of `case`") }
      for place in count..<places.count { places[place] = nil }
    }
  }

  /// The commands after a pattern. Returns true if the word `esac` ends them.
  private mutating func branch(_ start: Int) throws(TemplateFault) -> Bool {
    depth += 1
    defer { depth -= 1 }
    guard depth < 40 else { throw fault(start, "the script is nested too deeply") }
    var command = ShellCommand(range: index..<index)
    while index < text.count {
      if command.isEmpty, isAt("esac"), !(byte(index + 4).map(Self.isOfName) ?? false) { return true }
      if isAt(";;") || isAt(";&") || isAt(";|") {
        finish(&command)
        sign(isAt(";;&") ? 3 : 2)
        return false
      }
      if try !blank(&command), try !operation(&command) { try step(&command) }
    }
    throw fault(start, "the `case` is not closed")
  }

  /// `[[ … ]]` up to its end. No place in it is filled.
  mutating func condition(_ start: Int, _ command: inout ShellCommand) throws(TemplateFault) {
    command = ShellCommand(kind: .condition, range: start..<index)
    let count = places.count
    var isWordStart = true
    while index < text.count, !(isWordStart && isAt("]]")) {
      if "\n<#\\".utf8.contains(text[index]), isAt("<<") || isAt("\n") || isAt("\\\n") || isAt("#") && isWordStart {
        throw unsure(index, "a [[ that contains a line end, << or #")
      }
      isWordStart = " \t".utf8.contains(text[index])
      if isWordStart || ";&|()<>".utf8.contains(text[index]) { sign() } else { try piece() }
    }
    guard index < text.count else { throw fault(start, "the [[ is not closed") }
    for place in count..<places.count { places[place] = nil }
    let inside = String(decoding: text[start..<index], as: UTF8.self)
    let words = inside.split { " \t()&|!<>".contains($0) }
    // dash does not know `[[`, so it runs the text after `||` as a command.
    let isCommand = inside.contains { "&|".contains($0) }
    if isCommand || words.contains(where: { ShellWords.comparisons.contains(String($0)) }) {
      evaluated.append(start..<index)
    }
    sign(2)
    command.isClosed = true
  }

  /// `((…))` or `$((…))`: only text that every shell reads as arithmetic.
  mutating func arithmetic(from count: Int, _ form: String) throws(TemplateFault) {
    let start = index
    var (end, level) = (index + count, 2)
    while end < text.count, level > 0 {
      switch text[end] {
      case UInt8(ascii: "("): level += 1
      case UInt8(ascii: ")"):
        level -= 1
        if level == 1, byte(end + 1) != UInt8(ascii: ")") {
          throw unsure(start, "arithmetic that may be a group of commands")
        }
      case UInt8(ascii: "$") where byte(end + 1) == UInt8(ascii: "(") || byte(end + 1) == UInt8(ascii: "["),
        UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "\n"),
        UInt8(ascii: "{") where byte(end - 1) != UInt8(ascii: "$"):
        throw unsure(start, "arithmetic with quotes, commands or lines in it")
      case UInt8(ascii: "<") where count == 2 && isAt("<<", end), UInt8(ascii: "#") where count == 2:
        throw unsure(start, "arithmetic with << or # in it")
      default: break
      }
      end += 1
    }
    guard level == 0 else { throw fault(start, "the (( is not closed") }
    evaluated.append(start..<end)
    sign(end - index, form)
  }

  // MARK: Redirections

  mutating func redirection(_ command: inout ShellCommand) throws(TemplateFault) {
    let start = index
    // A number or name before a redirection is not a word of the command.
    if let last = command.words.last, last.range.upperBound == start, command.kind == .simple {
      let isNumber = text[last.range].allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
      if isNumber { command.words.removeLast() }
      if text[last.range].first == UInt8(ascii: "{") { throw unsure(start, "a named file descriptor") }
    }
    if isAt("<<"), !isAt("<<<") { return try announcement() }
    let signs = ["<<<", "&>>", ">>", ">&", "<&", "<>", ">|", "<", ">"].first { isAt($0) } ?? "<"
    sign(signs.utf8.count)
    guard byte(index) != UInt8(ascii: "\\") else { throw unsure(start, "a backslash after a special sign") }
    try blanks()
    guard let next = byte(index), !";&|()<>\n#".utf8.contains(next) else {
      throw unsure(start, "a redirection whose target is not a plain word")
    }
    let count = places.count
    let target = try word(mayAssign: false)
    if signs != "<<<" { for place in count..<places.count { places[place] = nil } }
    command.targets.append(target)
  }

  /// The announcement of a here-document, with a plain word.
  private mutating func announcement() throws(TemplateFault) {
    let start = index
    sign(2)
    let dropsTabs = isAt("-")
    if dropsTabs { sign() }
    try blanks()
    let quote = byte(index).flatMap { $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: "\"") ? $0 : nil }
    let begin = index + (quote == nil ? 0 : 1)
    var end = begin
    while let next = byte(end), Self.isOfName(next), marks[end] == nil { end += 1 }
    let close = quote == nil || byte(end) == quote
    let behind = byte(end + (quote == nil ? 0 : 1)) ?? 0x0A
    guard end > begin, close, " \t\n;&|)<>".utf8.contains(behind) else {
      throw unsure(start, "a here-document whose last line is not one plain word")
    }
    documents.append(
      Document(start: start, end: Array(text[begin..<end]), dropsTabs: dropsTabs, isExpanded: quote == nil))
    sign(end + (quote == nil ? 0 : 1) - index)
  }

  /// Skips the here-documents that the line before announced. No place in them is filled.
  mutating func takeDocuments() throws(TemplateFault) {
    for document in documents {
      let start = index
      var isEnded = false
      while index < text.count, !isEnded {
        let end = text[index...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
        let line = text[index..<end].drop { document.dropsTabs && $0 == UInt8(ascii: "\t") }
        isEnded = Array(line) == document.end
        if document.isExpanded, !isEnded, !Self.isPlainBody(line) {
          throw unsure(
            index, "a here-document with commands or quotes in its expansions, or a backslash at the end of a line")
        }
        sign(min(text.count, end + 1) - index)
      }
      guard isEnded else { throw unsure(document.start, "a here-document that does not end") }
      bodies.append((document.start, start..<index))
    }
    documents = []
  }

  /// Whether every shell finds the end of each expansion within the line.
  private static func isPlainBody(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.last != UInt8(ascii: "\\"), !line.contains(UInt8(ascii: "`")) else { return false }
    var index = line.startIndex
    while index < line.endIndex {
      defer { index += 1 }
      if line[index] == UInt8(ascii: "\\") { index += 1 }
      guard index + 1 < line.endIndex, line[index] == UInt8(ascii: "$"),
        [UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "[")].contains(line[index + 1])
      else { continue }
      let close = line[index + 1] == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: ")")
      guard let end = line[index...].firstIndex(of: close) else { return false }
      let inside = line[(index + 2)..<end]
      guard !Array(inside).holds(Array("case".utf8)),
        inside.allSatisfy({ isOfName($0) || " .:/=@%+,-".utf8.contains($0) }), line[index + 1] != UInt8(ascii: "[")
      else { return false }
      index = end
    }
    return true
  }
}
