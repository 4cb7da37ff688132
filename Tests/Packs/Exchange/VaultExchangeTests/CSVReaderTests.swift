import Testing
import VaultExchange

@Suite("Reading tables")
struct CSVReaderTests {
  private static let header = "name,url,username,password,note"

  /// Titles and passwords of a table with the columns of browsers.
  private func pairs(_ bytes: [UInt8], encoding: TextEncoding? = nil) throws -> [String] {
    var options = ImportOptions()
    options.encoding = encoding
    let imported = try Imported(
      ImportFormats.named("chrome-csv"), ImportSource(name: "", bytes: bytes), options: options)
    return try imported.records.map { "\(try $0.text("title") ?? "")=\(try $0.text("password") ?? "")" }
  }

  private func pairs(_ text: String) throws -> [String] { try pairs(Array(text.utf8)) }

  @Test("LF, CRLF and CR end a row", arguments: ["\n", "\r\n", "\r"])
  func lineEnds(_ end: String) throws {
    #expect(try pairs([Self.header, "a,,,1,", "b,,,2,", ""].joined(separator: end)) == ["a=1", "b=2"])
    #expect(try pairs([Self.header, "a,,,1,", "b,,,2,"].joined(separator: end)) == ["a=1", "b=2"])
  }

  @Test("separators, line ends and doubled quotes in quotes belong to the value")
  func quotes() throws {
    #expect(try pairs(Self.header + "\n\"a,\"\"b\"\"\r\nc\",,,\" 1 \",") == ["a,\"b\"\r\nc= 1 "])
  }

  @Test("spaces around a value and quotes that are escaped twice stay")
  func nothingIsTrimmed() throws {
    #expect(try pairs(Self.header + "\n a ,,,\"\"\"\"\"\",") == [" a =\"\""])
  }

  @Test("blank lines are no rows")
  func blankLines() throws { #expect(try pairs("\n\(Self.header)\n\na,,,1,\n\n\n") == ["a=1"]) }

  @Test("a byte order mark is no part of the header")
  func byteOrderMark() throws {
    #expect(try pairs([0xEF, 0xBB, 0xBF] + Array("\(Self.header)\na,,,1,".utf8)) == ["a=1"])
  }

  @Test("UTF-16 is read by its mark, by its zeros, and by name", arguments: [true, false], [true, false])
  func utf16(isBigEndian: Bool, hasMark: Bool) throws {
    let units = Array(((hasMark ? "\u{FEFF}" : "") + "\(Self.header)\nä,,,🔑,").utf16)
    let bytes = units.flatMap { unit in
      isBigEndian ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
    }
    #expect(try pairs(bytes) == ["ä=🔑"])
    #expect(try pairs(bytes, encoding: isBigEndian ? .utf16BigEndian : .utf16LittleEndian) == ["ä=🔑"])
  }

  @Test("Windows-1252 is read when it is named")
  func windows1252() throws {
    let bytes = Array("\(Self.header)\n".utf8) + [0x80, 0xE9] + Array(",,,x,".utf8)
    #expect(try pairs(bytes, encoding: .windows1252) == ["€é=x"])
  }

  @Test("a row that is no UTF-8 is refused with its line, and the others are taken")
  func invalidText() throws {
    let bytes = Array("\(Self.header)\na,,,1,\n".utf8) + [0xE9] + Array(",,,2,\nc,,,3,".utf8)
    let imported = try Imported(ImportFormats.named("chrome-csv"), ImportSource(name: "", bytes: bytes))
    #expect(try imported.records.map { try $0.text("title") } == ["a", "c"])
    #expect(imported.refused.map(\.place) == [SourcePlace(line: 3)])
  }

  @Test(
    "a row is refused with its line, and the others are taken",
    arguments: ["b,,,2", "b,,,2,,", "b,,,2,,3,4,5", "b,,,x\"y,", "b,,,NUL,"])
  func rowFaults(_ given: String) throws {
    let row = given.replacing("NUL", with: "\u{0}")
    // One cell less is how browsers leave out the note.
    let isShort = row == "b,,,2"
    let imported = try Imported("chrome-csv", "\(Self.header)\na,,,1,\n\(row)\nc,,,3,\n")
    #expect(try imported.records.map { try $0.text("title") } == (isShort ? ["a", "b", "c"] : ["a", "c"]))
    #expect(imported.refused.map(\.place.line) == (isShort ? [] : [3]))
    #expect(imported.totals.leaves == LeafCount.csv(Array("x\na,,,1,\n\(row)\nc,,,3,".filter { $0 != "\"" }.utf8)))
  }

  @Test("text behind a closing quote ends the reading at its line and column")
  func textAfterQuote() throws { try expectEnd("b,,,\"2\"x,\nc,,,3,", at: SourcePlace(line: 3, column: 8)) }

  @Test("a quote that is never closed is found where it opens")
  func openQuote() throws { try expectEnd("b,é,,\"2,\nc,,,3,", at: SourcePlace(line: 3, column: 6)) }

  @Test("a row that is too long ends the reading before it fills the memory")
  func longRow() throws {
    var pieces = 0
    let source = ImportSource(name: "") {
      pieces += 1
      return pieces == 1 ? Array("\(Self.header)\n\"".utf8) : Array(repeating: 0x61, count: 1 << 20)
    }
    let items = try ImportFormats.named("chrome-csv").items(of: source, options: ImportOptions())
    #expect(throws: ExchangeError(.tooLarge, "")) { while try items.next() != nil {} }
    #expect(pieces < 20)
  }

  @Test("a file without the columns of its format, or without any row, is refused")
  func noHeader() {
    #expect(throws: ExchangeError(.missingColumn, "")) { _ = try Imported("chrome-csv", "name,url\na,b\n") }
    #expect(throws: ExchangeError(.malformed, "")) { _ = try Imported("chrome-csv", "") }
  }

  @Test("rows come while the file is read: never more of it is asked for than the next row needs")
  func streaming() throws {
    let row = "some title,https://shop.example,ann,correct horse battery staple,\n"
    var pieces = 0
    let source = ImportSource(name: "") {
      pieces += 1
      if pieces == 1 { return Array("\(Self.header)\n".utf8) }
      return pieces > 1001 ? [] : Array(row.utf8)
    }
    let items = try ImportFormats.named("chrome-csv").items(of: source, options: ImportOptions())
    var count = 0
    while try items.next() != nil {
      count += 1
      #expect(pieces <= count + 2)
    }
    #expect(count == 1000)
  }

  /// Expects the row before the fault, then the fault.
  private func expectEnd(_ rest: String, at place: SourcePlace) throws {
    let source = ImportSource(name: "", bytes: Array("\(Self.header)\na,,,1,\n\(rest)".utf8))
    let items = try ImportFormats.named("chrome-csv").items(of: source, options: ImportOptions())
    #expect(try items.next()?.lines.count == 5)
    let error = #expect(throws: ExchangeError.self) { while try items.next() != nil {} }
    #expect(error?.code == .malformed)
    #expect(error?.place == place)
  }
}
