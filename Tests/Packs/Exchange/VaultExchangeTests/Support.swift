import Testing
import VaultCrypto
import VaultDocument
import VaultExchange
import VaultRecords
import VaultSealing
import VaultTestSupport

/// The result of importing a file.
struct Imported {
  var records: [ImportedRecord] = []
  var refused: [(place: SourcePlace, reason: String)] = []
  var lines: [LedgerLine] = []
  var totals = LedgerTotals()

  init(_ importer: any Importer, _ source: ImportSource, options: ImportOptions = ImportOptions()) throws {
    let items = try importer.items(of: source, options: options)
    while let item = try items.next() {
      lines += item.lines
      totals.add(item.lines)
      switch item {
      case .record(let record): records.append(record)
      case .refused(let place, let reason, _): refused.append((place, reason))
      case .leaves: break
      }
    }
  }

  /// Text by the name of a format.
  init(_ format: String, _ text: String, options: ImportOptions = ImportOptions()) throws {
    try self.init(ImportFormats.named(format), ImportSource(name: "", bytes: Array(text.utf8)), options: options)
  }

  /// A file below the fixtures of password managers, by the importer that it is told to be of.
  init(fixture path: String, options: ImportOptions = ImportOptions()) throws {
    let source = try Fixtures.source(path)
    try self.init(ImportFormats.detecting(source.sample()), source, options: options)
  }

  func first(_ title: String) throws -> ImportedRecord {
    try #require(records.first { $0.members["title"]?.string == title })
  }
}

enum Fixtures {
  static let folder = "fixtures/password-managers"

  static func source(_ path: String) throws -> ImportSource {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return ImportSource(name: name, bytes: try SharedData.bytes("\(folder)/\(path)"))
  }

  /// The paths of all files with an ending, relative to the folder.
  static func all(_ suffix: String) throws -> [String] {
    try SharedData.names(in: folder).filter { !$0.contains(".") }.flatMap { tool in
      try SharedData.names(in: "\(folder)/\(tool)").filter { $0.hasSuffix(suffix) }.map { "\(tool)/\($0)" }
    }
  }
}

extension ImportedRecord {
  /// The text at a member path; nil if there is no text.
  func text(_ path: String) throws -> String? {
    try? JSONValue.object(members).value(at: MemberPath(parsing: path)).string
  }

  /// Its members as its kind stores them, sealed.
  func sealed() throws -> JSONObject {
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["test"])
    return try KindCatalog.builtIn.kind(named: kind).sealed(clear: members, in: context)
  }

  /// The items of a list of text.
  func list(_ name: String) -> [String] { (members[name]?.array ?? []).compactMap(\.string) }
}

/// Counts leaves without the importers' code: the ledger must account for all of them.
enum LeafCount {
  /// Attributes, and elements without elements in them, of a document without comments, or text beside elements.
  static func xml(_ text: String) -> Int {
    let tags = text.split(separator: "<").dropFirst(text.hasPrefix("<") ? 0 : 1).filter { !$0.hasPrefix("?") }
    // Values may hold equals signs too: an attribute is where one stands before a quote.
    var count = tags.reduce(0) { $0 + $1.prefix { $0 != ">" }.ranges(of: "=\"").count }
    var isOpen = false
    for tag in tags {
      let inside = tag.prefix { $0 != ">" }
      if inside.hasPrefix("/") {
        if isOpen { count += 1 }
        isOpen = false
      } else {
        isOpen = !inside.hasSuffix("/")
        if !isOpen { count += 1 }
      }
    }
    return count
  }

  /// Values of a JSON text, an empty object or list being one.
  static func json(_ bytes: [UInt8]) throws -> Int {
    var count = 0
    var open: [JSONValue] = [try JSONParser.parse(bytes, limits: .exchange)]
    while let value = open.popLast() {
      let below = (value.object?.map(\.value) ?? []) + (value.array ?? [])
      if below.isEmpty { count += 1 }
      open += below
    }
    return count
  }

  /// Cells of the rows of a table, in the manner of the format that it is of.
  static func csv(_ bytes: [UInt8], of format: String) -> Int {
    let isHeaderless = ["keeper-csv", "dashlane-legacy-csv"].contains(format)
    let backslash = ["keepass-csv", "1password-mac-csv"].contains(format)
    return csv(bytes, headerRowCount: isHeaderless ? 0 : 1, backslash: backslash)
  }

  /// Cells of rows in which some cell has a text, below so many rows of header.
  static func csv(
    _ bytes: [UInt8], headerRowCount: Int = 1, separator: Character = ",", backslash: Bool = false
  ) -> Int {
    let text = String(decoding: bytes, as: UTF8.self).unicodeScalars.drop { $0 == "\u{FEFF}" }
    var counts: [Int] = []
    var cells = 1
    var isBlank = true
    var isQuoted = false
    var isEscaped = false
    for scalar in text {
      let isEnd = !isQuoted && (scalar == "\n" || scalar == "\r")
      if isEnd {
        if !isBlank { counts.append(cells) }
        (cells, isBlank) = (1, true)
        continue
      }
      if !["\"", " ", "\t"].contains(scalar), isQuoted || Character(scalar) != separator { isBlank = false }
      if isEscaped {
        isEscaped = false
      } else if backslash, isQuoted, scalar == "\\" {
        isEscaped = true
      } else if scalar == "\"" {
        isQuoted.toggle()
      } else if Character(scalar) == separator, !isQuoted {
        cells += 1
      }
    }
    if !isBlank { counts.append(cells) }
    return counts.dropFirst(headerRowCount).reduce(0, +)
  }
}
