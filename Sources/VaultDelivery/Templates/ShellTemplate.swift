/// Scripts of a POSIX shell, or bash: what is quoted how, and what a shell would act on. Nothing is run.
struct ShellTemplate: TemplateSyntax {
  let name = "the script"

  func places(in template: Template, marks: [String]) throws(TemplateFault) -> [TemplatePlace?] {
    var offsets: [Int: Int] = [:]
    var count = 0
    for index in marks.indices {
      count += template.texts[index].count
      offsets[count] = marks[index].utf8.count
      count += marks[index].utf8.count
    }
    var scanner = ShellScanner(template.filled { Array(marks[$0].utf8) }, places: offsets)
    try scanner.scan()
    return scanner.places
  }

  func written(_ value: TemplateValue, at place: TemplatePlace) throws(TemplateRefusal) -> String {
    try value.text.shellWord(at: place)
  }

  func tokens(of text: [UInt8]) throws(TemplateFault) -> [TemplateToken] {
    var scanner = ShellScanner(text, places: [:])
    try scanner.scan()
    return scanner.tokens
  }
}

/// Reads a script as far as quotes go (POSIX, Shell Command Language, sections 2.2 and 2.3).
///
/// Where it cannot be certain, such as behind a `case` within `$(…)`, no place is one for a value.
private struct ShellScanner {
  private let text: [UInt8]
  /// Where words stand in for values, and how long they are.
  private let marks: [Int: Int]
  private(set) var tokens: [TemplateToken] = []
  private(set) var places: [TemplatePlace?] = []
  private var index = 0
  private var depth = 0
  private var isCertain = true
  private var documents: [(end: [UInt8], dropsTabs: Bool)] = []

  init(_ text: [UInt8], places: [Int: Int]) { (self.text, marks) = (text, places) }

  mutating func scan() throws(TemplateFault) {
    guard String(validating: text, as: UTF8.self) != nil else { throw TemplateFault(line: nil, "is not UTF-8") }
    while index < text.count { try bare(until: nil) }
  }

  private func isAt(_ word: String) -> Bool { text[index...].starts(with: word.utf8) }

  private func fault(_ start: Int, _ reason: String) -> TemplateFault {
    TemplateFault(line: 1 + text[..<start].count { $0 == UInt8(ascii: "\n") }, reason)
  }

  private mutating func beginText() {
    if tokens.last?.mark != "text" { tokens.append(TemplateToken(mark: "text")) }
  }

  /// Takes what a shell leaves as it is.
  private mutating func literal(_ count: Int = 1) {
    beginText()
    tokens[tokens.count - 1].text += text[index..<min(text.count, index + count)]
    index += count
  }

  /// Takes what a shell acts on.
  private mutating func sign(_ count: Int = 1, _ form: String = "") {
    let end = min(text.count, index + count)
    for place in index..<end where marks[place] != nil { places.append(nil) }
    tokens.append(TemplateToken(mark: form + String(decoding: text[index..<end], as: UTF8.self)))
    index = end
  }

  /// Takes a word that stands in for a value, if one begins here.
  private mutating func takeMark(_ place: TemplatePlace) -> Bool {
    guard let count = marks[index] else { return false }
    places.append(isCertain ? place : nil)
    literal(count)
    return true
  }

  /// Takes what is not quoted, up to what closes it.
  private mutating func bare(until end: UInt8?) throws(TemplateFault) {
    let start = index
    var parentheses = 0
    depth += 1
    defer { depth -= 1 }
    guard depth < 64 else { throw fault(start, "is nested too deeply") }
    while index < text.count {
      if takeMark(.bare) { continue }
      let byte = text[index]
      if byte == end, parentheses == 0 { return sign() }
      if end != nil, isAt("case") { isCertain = false }
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: ")"):
        parentheses += byte == UInt8(ascii: "(") ? 1 : -1
        sign()
      case UInt8(ascii: "#") where index == 0 || " \t\r\n;&|()<>".utf8.contains(text[index - 1]): comment()
      case UInt8(ascii: "\n"):
        sign()
        takeDocuments()
      case UInt8(ascii: "<"): redirection()
      case UInt8(ascii: "\\"): escaped()
      default: try quotedOrPlain(byte)
      }
    }
    if end != nil { throw fault(start, "has a $( that is not closed") }
  }

  private mutating func quotedOrPlain(_ byte: UInt8) throws(TemplateFault) {
    switch byte {
    case UInt8(ascii: "'"): try single()
    case UInt8(ascii: "\""): try double()
    case UInt8(ascii: "$"): try dollar(isQuoted: false)
    case UInt8(ascii: "`"): try backquoted()
    case _ where " \t\r;&|>*?[]{}~!=".utf8.contains(byte): sign()
    default: literal()
    }
  }

  private mutating func escaped() {
    index += 1
    // At the end of a line it joins it with the next one.
    if index < text.count, text[index] == UInt8(ascii: "\n") { index += 1 } else if index < text.count { take() }
  }

  /// Takes a byte as it is, or a place that is none.
  private mutating func take() {
    if marks[index] != nil { places.append(nil) }
    literal(marks[index] ?? 1)
  }

  private mutating func comment() {
    sign((text[index...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count) - index)
  }

  private mutating func single() throws(TemplateFault) {
    let start = index
    index += 1
    beginText()
    while index < text.count, text[index] != UInt8(ascii: "'") { if !takeMark(.singleQuotes) { literal() } }
    guard index < text.count else { throw fault(start, "has a single quote that is not closed") }
    index += 1
  }

  private mutating func double() throws(TemplateFault) {
    let start = index
    index += 1
    beginText()
    while index < text.count, text[index] != UInt8(ascii: "\"") {
      if takeMark(.doubleQuotes) { continue }
      switch text[index] {
      case UInt8(ascii: "\\"):
        let next = index + 1 < text.count ? text[index + 1] : 0
        if "$`\"\\".utf8.contains(next) {
          index += 1
          literal()
        } else if next == UInt8(ascii: "\n") {
          index += 2
        } else {
          literal()
          if marks[index] != nil { take() }
        }
      case UInt8(ascii: "$"): try dollar(isQuoted: true)
      case UInt8(ascii: "`"): try backquoted()
      default: literal()
      }
    }
    guard index < text.count else { throw fault(start, "has a double quote that is not closed") }
    index += 1
  }

  private mutating func dollar(isQuoted: Bool) throws(TemplateFault) {
    let form = isQuoted ? "\"" : ""
    if isAt("$((") {
      var end = index + 3
      while end < text.count, !text[end...].starts(with: "))".utf8) { end += 1 }
      guard end < text.count else { throw fault(index, "has a $(( that is not closed") }
      sign(end + 2 - index, form)
    } else if isAt("$(") {
      sign(2, form)
      try bare(until: UInt8(ascii: ")"))
    } else if isAt("${") {
      try expansion(form)
    } else if !isQuoted, isAt("$'") {
      var end = index + 2
      while end < text.count, text[end] != UInt8(ascii: "'") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
      guard end < text.count else { throw fault(index, "has a single quote that is not closed") }
      sign(end + 1 - index)
    } else {
      var end = index + 1
      while end < text.count, marks[end] == nil, Self.isOfName(text[end]) { end += 1 }
      if end == index + 1, end < text.count, "#?*@!$-".utf8.contains(text[end]) { end += 1 }
      sign(end - index, form)
      // A value would be a part of the name, or make `$'` of the sign.
      if marks[index] != nil { take() }
    }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
  }

  /// Takes `${…}`; with quotes in it shells differ.
  private mutating func expansion(_ form: String) throws(TemplateFault) {
    var (end, level) = (index + 2, 1)
    while end < text.count, level > 0 {
      switch text[end] {
      case UInt8(ascii: "{"): level += 1
      case UInt8(ascii: "}"): level -= 1
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "$"):
        isCertain = false
      default: break
      }
      end += 1
    }
    guard level == 0 else { throw fault(index, "has a ${ that is not closed") }
    sign(end - index, form)
  }

  private mutating func backquoted() throws(TemplateFault) {
    var end = index + 1
    while end < text.count, text[end] != UInt8(ascii: "`") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
    guard end < text.count else { throw fault(index, "has a ` that is not closed") }
    sign(end + 1 - index)
  }

  private mutating func redirection() {
    guard isAt("<<"), !isAt("<<<") else { return sign(isAt("<<<") ? 3 : 1) }
    sign(2)
    let dropsTabs = index < text.count && text[index] == UInt8(ascii: "-")
    if dropsTabs { sign() }
    while index < text.count, text[index] == UInt8(ascii: " ") { sign() }
    let start = index
    let end = text[start...].firstIndex { " \t\r\n;&|<>()".utf8.contains($0) } ?? text.count
    documents.append((text[start..<end].filter { !"'\"\\".utf8.contains($0) }, dropsTabs))
    sign(end - start)
  }

  /// Takes the here-documents that were announced on the line before: no place in them is one.
  private mutating func takeDocuments() {
    for document in documents {
      while index < text.count {
        let end = text[index...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
        let line = text[index..<end].drop { document.dropsTabs && $0 == UInt8(ascii: "\t") }
        sign(min(text.count, end + 1) - index)
        if Array(line) == document.end { break }
      }
    }
    documents = []
  }
}
