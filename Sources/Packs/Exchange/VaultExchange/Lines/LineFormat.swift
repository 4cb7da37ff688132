internal import VaultDocument

struct LineEntry {
  struct Value {
    let line: Int
    let name: String
    let text: String
    let rule: LeafRule
  }

  let line: Int
  var kind = "login"
  /// Members that are known without a value in the file.
  var known: [(destination: RecordBuilder.Destination, text: String)] = []
  var values: [Value] = []
  /// Why the entry is refused; nil for a valid entry.
  var fault: StaticString?
  /// Whether the only fault is that the entry is a setting of the program.
  var isSetting = false

  mutating func add(_ name: String, text: String, rule: LeafRule, at line: Int? = nil) {
    values.append(Value(line: line ?? self.line, name: name, text: text, rule: rule))
  }
}

/// A format of lines: how to detect it, and how its text becomes entries.
struct LineImporter: Importer {
  let format: ImportFormat
  /// Usual names of such files.
  let names: [String]
  /// Whether a text has the format, whatever the file name.
  let matches: @Sendable (_ text: String) -> Bool
  let entries: @Sendable (_ text: String) -> [LineEntry]

  func detects(_ sample: ImportSample) -> Bool {
    guard sample.paths.isEmpty else { return false }
    var decoder = TextDecoder()
    let text = String(decoding: decoder.decode(sample.head) + decoder.decode([]), as: UTF8.self)
    return names.contains(sample.name) ? !entries(text).isEmpty : matches(text)
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    var rest = entries(try LineText.text(of: source, options))[...]
    return ImportedItems { () throws(ExchangeError) in
      guard let entry = rest.popFirst() else { return nil }
      return try item(entry)
    }
  }

  private func item(_ entry: LineEntry) throws(ExchangeError) -> ImportedItem {
    let place = SourcePlace(line: entry.line)
    let texts = entry.values.flatMap { [$0.name, $0.text] } + entry.known.map(\.text)
    let hasNUL = texts.contains { $0.utf8.contains(0) }
    let isTooLong = entry.values.count > ValueLimit.count
    if let fault = entry.fault ?? (hasNUL ? "a value contains a NUL character" : isTooLong ? ValueLimit.tooMany : nil) {
      guard !entry.isSetting else { return .leaves([LedgerLine(place, .leftOut("\(fault)"))]) }
      let places = isTooLong || entry.values.isEmpty ? [place] : entry.values.map { SourcePlace(line: $0.line) }
      return .refused(place, reason: "\(fault)", lines: places.map { LedgerLine($0, .refused("\(fault)")) })
    }
    var builder = RecordBuilder(format: format.name, place: place, kind: entry.kind)
    for (destination, text) in entry.known {
      builder.add(text, destination, as: builder.ownName(destination, at: SourcePlace()))
    }
    for value in entry.values {
      builder.take(value.text, from: SourcePlace(line: value.line, path: value.name), by: value.rule)
    }
    return .record(try builder.record())
  }
}

extension ImportFormats {
  /// Files in which programs look for their credentials.
  static let lines: [any Importer] = [
    LineImporter.netrc, LineImporter.pgpass, LineImporter.gitCredentials, LineImporter.aws, LineImporter.npmrc,
    LineImporter.pypirc,
  ]
}

/// The sections of an INI file: `[name]`, `name = value`, comments after `#` and `;`.
struct SectionText {
  enum Form {
    /// An equals sign between name and value, each value on one line.
    case npm
    /// As Python's `configparser` reads it: a colon is also allowed, and deeper lines continue the value above.
    case python
  }

  struct Section {
    let line: Int
    let name: String
    var values: [(line: Int, name: String, text: String)] = []
    /// Invalid lines. After such a line, the end of the section is not certain.
    var faults: [Int] = []

    /// The entry of a section. An invalid line refuses the whole section.
    func entry(_ kind: String, title: String, rule: (String) -> LeafRule) -> LineEntry {
      var entry = LineEntry(line: line, kind: kind, known: [(.member("title"), title)])
      for value in values {
        entry.add(value.name, text: value.text, rule: rule(value.name.lowercased()), at: value.line)
      }
      if !faults.isEmpty { entry.fault = "the section has a line that is not a name with a value" }
      return entry
    }
  }

  private let form: Form
  /// Lines before the first section are in a section without a name.
  private var sections = [Section(line: 1, name: "")]
  /// The indentation of the last line with a name; nil if no value can continue.
  private var depth: Int?
  /// Empty lines, which belong to a value that continues after them.
  private var blankCount = 0

  static func sections(of text: String, _ form: Form) -> [Section] {
    var reader = SectionText(form: form)
    for (index, line) in text.lines.enumerated() { reader.take(line, index + 1) }
    return reader.sections.filter { !$0.values.isEmpty || !$0.faults.isEmpty }
  }

  private init(form: Form) { self.form = form }

  private mutating func take(_ line: Substring, _ number: Int) {
    let content = line.trimmingSpaces
    if content.isEmpty { return blankCount += 1 }
    if content.begins(with: "#") || content.begins(with: ";") { return }
    let last = sections.count - 1
    let margin = line.utf8.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
    defer { blankCount = 0 }
    if form == .python, let depth, margin > depth, let value = sections[last].values.indices.last {
      sections[last].values[value].text += String(repeating: "\n", count: blankCount + 1) + content
      return
    }
    depth = nil
    if let name = header(content) {
      sections.append(Section(line: number, name: name))
    } else if let pair = pair(content) {
      depth = margin
      sections[last].values.append(
        (number, String(pair.before.trimmingSpaces), String(pair.behind.trimmingSpaces)))
    } else {
      sections[last].faults.append(number)
    }
  }

  /// The text between the brackets. Python ignores the text after them.
  private func header(_ content: Substring) -> String? {
    guard content.begins(with: "["), let end = content.lastIndex(of: "]"),
      form == .python || content.index(after: end) == content.endIndex
    else { return nil }
    return String(content[..<end].dropFirst().trimmingSpaces)
  }

  private func pair(_ content: Substring) -> (before: Substring, behind: Substring)? {
    let separators = form == .python ? "=:" : "="
    guard let mark = content.utf8.firstIndex(where: { separators.utf8.contains($0) }) else { return nil }
    return (content[..<mark], content[content.utf8.index(after: mark)...])
  }
}

extension LineEntry {
  static func faulty(_ line: Int, _ fault: StaticString) -> LineEntry { LineEntry(line: line, fault: fault) }

  static let setting: StaticString = "the value is a setting of the program, not a credential"
}

extension LeafRule {
  /// Notes a setting of the program, which is not a credential.
  static let setting = LeafRule { builder, _, place in
    builder.note(place, .leftOut("\(LineEntry.setting)"))
  }

  /// Ignores a wildcard.
  static func unlessAny(_ rule: LeafRule) -> LeafRule {
    LeafRule { builder, text, place in
      text == "*" ? builder.note(place, .mapped(to: ".")) : rule.apply(&builder, text, place)
    }
  }
}
