struct CSVDialect: Sendable {
  /// The byte between two cells; a comma in RFC 4180.
  var separator = UInt8(ascii: ",")
  /// Whether `\"` and `\\` in quotes stand for a quote and a backslash, in addition to the doubled quote of RFC 4180.
  var escapesWithBackslash = false
}

/// One row of a table, with at least one cell that is not empty.
struct CSVRow: Sendable {
  /// The line of the first cell, from 1.
  let line: Int
  /// The cells without quotes. A cell that is not valid text is empty.
  var cells: [String] = []
  /// Why the row is refused, although its cells can be told apart.
  var fault: ExchangeError?
}

/// A strict reader of RFC 4180, row by row in constant memory.
///
/// LF, CRLF and CR end a row outside quotes and are kept inside quotes. Nothing is trimmed. A fault is reported for its
/// row if the end of the row is certain. Any other fault, such as text after a closing quote, ends the reading.
struct CSVReader {
  /// The limit for one row, so that an unclosed quote does not fill the memory.
  static let maximumRowByteCount = 16 << 20
  static let maximumCellCount = 10_000

  private enum State { case start, plain, quoted, closed }

  private let source: ImportSource
  private let dialect: CSVDialect
  private var decoder: TextDecoder
  private var bytes: [UInt8] = []
  private var position = 0
  private var hasEnded = false
  private var line = 1
  private var column = 1
  private var cell: [UInt8] = []
  private var row = CSVRow(line: 1)
  private var rowByteCount = 0
  /// Whether the row so far has only separators, empty quotes and blanks.
  private var isBlank = true

  init(_ source: ImportSource, dialect: CSVDialect = CSVDialect(), encoding: TextEncoding? = nil) {
    self.source = source
    self.dialect = dialect
    decoder = TextDecoder(encoding)
  }

  /// The next row with a cell that is not empty, because spreadsheets write empty rows. Nil at the end.
  mutating func next() throws(ExchangeError) -> CSVRow? {
    while try peek() != nil {
      let row = try readRow()
      if !isBlank { return row }
    }
    return nil
  }

  private mutating func readRow() throws(ExchangeError) -> CSVRow {
    row = CSVRow(line: line)
    rowByteCount = 0
    isBlank = true
    var state = State.start
    var opened = SourcePlace()
    while let byte = try peek() {
      let place = SourcePlace(line: line, column: column)
      if state == .start, byte == UInt8(ascii: "\"") { opened = place }
      try advance(over: byte)
      if try take(byte, &state, at: place) { return row }
    }
    guard state != .quoted else { throw ExchangeError(.malformed, "a quote is never closed", at: opened) }
    endCell()
    return row
  }

  /// Reads one byte. Returns true if the byte ends the row.
  private mutating func take(_ byte: UInt8, _ state: inout State, at place: SourcePlace) throws(ExchangeError) -> Bool {
    switch (state, byte) {
    case (.quoted, UInt8(ascii: "\"")):
      if try skip(UInt8(ascii: "\"")) { append(byte, at: place) } else { state = .closed }
    case (.quoted, UInt8(ascii: "\\")) where dialect.escapesWithBackslash:
      if try skip(UInt8(ascii: "\"")) {
        append(UInt8(ascii: "\""), at: place)
      } else {
        _ = try skip(byte)
        append(byte, at: place)
      }
    case (.quoted, _): append(byte, at: place)
    case (_, dialect.separator):
      endCell()
      state = .start
    case (_, UInt8(ascii: "\n")), (_, UInt8(ascii: "\r")):
      endCell()
      if byte == UInt8(ascii: "\r") { _ = try skip(UInt8(ascii: "\n")) }
      return true
    case (.closed, _): throw ExchangeError(.malformed, "text follows a closing quote", at: place)
    case (.start, UInt8(ascii: "\"")): state = .quoted
    default:
      if byte == UInt8(ascii: "\"") { refuse(.malformed, "a value without quotes contains a quote", at: place) }
      append(byte, at: place)
      state = .plain
    }
    guard rowByteCount <= Self.maximumRowByteCount, row.cells.count < Self.maximumCellCount else {
      throw ExchangeError(.tooLarge, "the row is longer than the limit", at: SourcePlace(line: row.line))
    }
    return false
  }

  private mutating func append(_ byte: UInt8, at place: SourcePlace) {
    if byte == 0 { refuse(.malformed, "a value contains a NUL character", at: place) }
    cell.append(byte)
    rowByteCount += 1
    if byte > UInt8(ascii: " ") || byte == 0 { isBlank = false }
  }

  private mutating func endCell() {
    let text = String(validating: cell, as: UTF8.self)
    if text == nil {
      refuse(.invalidText, "a value is not valid text in the encoding of the file", at: SourcePlace(line: row.line))
    }
    row.cells.append(text ?? "")
    cell.removeAll(keepingCapacity: true)
  }

  private mutating func refuse(_ code: ExchangeError.Code, _ reason: StaticString, at place: SourcePlace) {
    if row.fault == nil { row.fault = ExchangeError(code, reason, at: place) }
  }
}

extension CSVReader {
  private mutating func peek() throws(ExchangeError) -> UInt8? {
    while position == bytes.count {
      guard !hasEnded else { return nil }
      let piece = try source.read()
      hasEnded = piece.isEmpty
      bytes = decoder.decode(piece)
      position = 0
    }
    return bytes[position]
  }

  private mutating func skip(_ byte: UInt8) throws(ExchangeError) -> Bool {
    guard try peek() == byte else { return false }
    try advance(over: byte)
    return true
  }

  /// Counts the position: lines by LF or a lone CR, columns by bytes that begin a character.
  private mutating func advance(over byte: UInt8) throws(ExchangeError) {
    position += 1
    let isReturn = byte == UInt8(ascii: "\r")
    // Only a return needs the next byte. That byte may be in a piece that was not read yet.
    let next = isReturn ? try peek() : nil
    if byte == UInt8(ascii: "\n") || isReturn && next != UInt8(ascii: "\n") {
      line += 1
      column = 1
    } else if byte & 0xC0 != 0x80 {
      column += 1
    }
  }
}
