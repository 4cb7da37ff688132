/// Variables of an environment, one a line: one record of all of them.
struct DotenvImporter: Importer {
  let format = ImportFormat(
    "dotenv", title: "Environment variables, .env", versions: "NAME=VALUE, also quoted and behind `export`",
    keeps: "each variable as a secret of one record, or by --map; nothing in a value is put in for `$NAME`",
    isGeneral: true)

  func detects(_ sample: ImportSample) -> Bool {
    guard let text = String(validating: sample.head, as: UTF8.self) else { return false }
    let lines = text.lines.map(\.trimmingSpaces).filter { !$0.isEmpty && !$0.hasPrefix("#") }
    let isNamed = sample.name == ".env" || sample.name.hasSuffix(".env")
    guard let first = lines.first, DotenvReader.name(of: first) != nil else { return false }
    let count = lines.count { DotenvReader.name(of: $0) != nil }
    return isNamed || count * 10 >= lines.count * 9
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let bytes = try JSONReading.text(of: source, options: options)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let index = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
      throw ExchangeError(
        .invalidText, "is no text in the encoding of the file", at: SourcePlace(line: index.map { $0 + 1 }))
    }
    let rules = try FieldRules(options)
    var reader = DotenvReader(text)
    var builder = RecordBuilder(format: format.name, place: SourcePlace())
    var items: [ImportedItem] = []
    var count = 0
    while let entry = reader.next() {
      let place = SourcePlace(line: entry.line, path: entry.name)
      guard let value = entry.value, !value.utf8.contains(0) else {
        let reason =
          entry.value == nil
          ? "the line is no variable, or its quote is never closed" : "a value holds a NUL character"
        items.append(.refused(place, reason: reason, lines: [LedgerLine(place, .refused(reason))]))
        continue
      }
      if entry.name == "sops_mac" {
        throw ExchangeError(
          .unsupported, "is sealed by sops, which is read as JSON or YAML only", at: place,
          advice: ["open it on the way: `sops decrypt FILE | vault import dotenv -`"])
      }
      count += 1
      builder.take(value, from: place, by: rules.rule(for: entry.name) ?? .secret(entry.name))
    }
    guard count > 0 else { return ImportedItems(items) }
    if builder.text("title") == nil { builder.add(source.name, .member("title"), as: "title") }
    return ImportedItems([.record(try rules.record(&builder, fallback: "custom"))] + items)
  }
}

/// Reads variables as shells and the usual libraries do, but for what they put in for names in a value.
struct DotenvReader {
  struct Entry {
    let line: Int
    /// Empty for a line that is no variable.
    let name: String
    /// Nil for a line that is none.
    let value: String?
  }

  private var lines: ArraySlice<Substring>

  init(_ text: String) { lines = text.lines[...] }

  /// The next line that is not empty and no comment; nil at the end.
  mutating func next() -> Entry? {
    while let line = lines.popFirst() {
      let number = lines.startIndex
      let text = line.trimmingSpaces
      if text.isEmpty || text.hasPrefix("#") { continue }
      guard let name = Self.name(of: text), let start = text.firstIndex(of: "=" as Character) else {
        return Entry(line: number, name: "", value: nil)
      }
      return Entry(line: number, name: name, value: value(text[text.index(after: start)...].drop { $0 == " " }))
    }
    return nil
  }

  /// The name before the equals sign, if it is one that an environment can have.
  static func name(of line: Substring) -> String? {
    let body = line.hasPrefix("export ") ? line.dropFirst(7).trimmingSpaces : line
    guard let end = body.firstIndex(of: "=" as Character) else { return nil }
    let name = body[..<end].trimmingSpaces
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    return name.isEmpty || !isName || name.first?.isNumber == true ? nil : String(name)
  }

  private mutating func value(_ text: Substring) -> String? {
    guard let quote = text.first, quote == "\"" || quote == "'" else {
      let end = text.firstRange(of: " #")?.lowerBound ?? text.endIndex
      return String(text[..<end].trimmingSpaces)
    }
    return quoted(text.dropFirst(), by: quote)
  }

  /// What is in quotes, over several lines if need be. In double quotes a backslash stands before what it means.
  private mutating func quoted(_ text: Substring, by quote: Character) -> String? {
    var result = ""
    var rest = text
    let before = lines
    while true {
      var isEscaped = false
      for (index, character) in zip(rest.indices, rest) {
        if isEscaped {
          result += Self.meaning[character] ?? "\\\(character)"
          isEscaped = false
        } else if character == "\\", quote == "\"" {
          isEscaped = true
        } else if character == quote {
          let tail = rest[rest.index(after: index)...].trimmingSpaces
          return tail.isEmpty || tail.hasPrefix("#") ? result : nil
        } else {
          result.append(character)
        }
      }
      if isEscaped { result += "\\" }
      guard let next = lines.popFirst() else {
        // The lines behind a quote that is never closed are lines of their own.
        lines = before
        return nil
      }
      result += "\n"
      rest = next
    }
  }

  private static let meaning: [Character: String] = [
    "n": "\n", "r": "\r", "t": "\t", "\"": "\"", "\\": "\\", "$": "$", "'": "'", "`": "`",
  ]
}
