internal import VaultDocument

/// Any JSON: a list of objects, or one object.
struct PlainJSONImporter: Importer {
  let format = ImportFormat(
    "plain-json", title: "Any list of objects, JSON", versions: "an array of objects, or one object",
    keeps: "values with usual names, member paths or a mapping; all others as secrets under their paths",
    isGeneral: true)

  func detects(_ sample: ImportSample) -> Bool {
    let outline = sample.outline
    // Records of this program have an import command of their own. Nested lists of objects belong to an unknown tool,
    // and one record of the whole file would help nobody.
    let holdsLists = outline.paths.contains { path in
      (path.hasPrefix("[].") ? path.dropFirst(3) : path[...]).contains("[].")
    }
    return outline.isJSON && !outline.paths.isEmpty && !holdsLists && !outline.has("$vault")
      && !outline.has("[].$vault") && !JSONLines.begins(sample)
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let document = try JSONReading.value(of: source, options: options)
    return try FieldRules(options).items(of: document, format, named: source.name)
  }
}

/// Any JSON lines: one object on each line, read line by line.
struct PlainJSONLinesImporter: Importer {
  let format = ImportFormat(
    "plain-jsonl", title: "Any objects, one a line, JSON lines", versions: "UTF-8, or UTF-16 by its mark",
    keeps: "as plain-json; a line that is not JSON is refused by itself", isGeneral: true)

  func detects(_ sample: ImportSample) -> Bool {
    let outline = sample.outline
    return JSONLines.begins(sample) && !outline.has("$vault")
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let rules = try FieldRules(options)
    var lines = JSONLines(source, options.encoding)
    return ImportedItems { () throws(ExchangeError) in
      guard let line = try lines.next() else { return nil }
      let place = SourcePlace(line: line.number)
      do throws(ExchangeError) {
        return try rules.item(try JSONReading.value(of: line.bytes, line: line.number), at: place, of: format)
      } catch {
        guard error.code != .reading else { throw error }
        return .refused(error.place ?? place, reason: error.reason, lines: [LedgerLine(place, .refused(error.reason))])
      }
    }
  }
}

/// Lines that are not blank. Only one line is in memory at a time.
struct JSONLines {
  static let maximumByteCount = 16 << 20

  private let source: ImportSource
  private var decoder: TextDecoder
  private var rest: ArraySlice<UInt8> = []
  private var number = 0
  private var hasEnded = false

  init(_ source: ImportSource, _ encoding: TextEncoding?) {
    self.source = source
    decoder = TextDecoder(encoding)
  }

  /// Whether the file begins with an object on one line, followed by another object or nothing.
  static func begins(_ sample: ImportSample) -> Bool {
    var lines = JSONLines(ImportSource(name: "", bytes: sample.head), nil)
    guard let first = try? lines.next(), (try? JSONReading.value(of: first.bytes))?.object != nil,
      let second = try? lines.next()
    else { return false }
    return second.bytes.first { $0 > 0x20 } == UInt8(ascii: "{")
  }

  /// The next line and its number; nil at the end.
  mutating func next() throws(ExchangeError) -> (bytes: [UInt8], number: Int)? {
    while let line = try line() {
      if line.contains(where: { $0 > 0x20 }) { return (line, number) }
    }
    return nil
  }

  private mutating func line() throws(ExchangeError) -> [UInt8]? {
    var searched = 0
    while true {
      if let end = rest.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = rest[(end + 1)...] }
        number += 1
        return Array(rest[..<end])
      }
      searched = rest.count
      guard searched <= Self.maximumByteCount else {
        throw ExchangeError(.tooLarge, "the line is longer than the limit", at: SourcePlace(line: number + 1))
      }
      guard !hasEnded else {
        guard !rest.isEmpty else { return nil }
        defer { rest = [] }
        number += 1
        return Array(rest)
      }
      let piece = try source.read()
      hasEnded = piece.isEmpty
      rest = ArraySlice(Array(rest) + decoder.decode(piece))
    }
  }
}
