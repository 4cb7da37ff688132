/// Rows as in RFC 4180: commas, CRLF, quotes only if needed.
enum CSVText {
  static func row(_ cells: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, cell) in cells.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(cell, to: &bytes)
    }
    // A row of one empty cell would be a blank line.
    if cells == [""] { bytes += [UInt8(ascii: "\""), UInt8(ascii: "\"")] }
    return bytes + [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
  }

  private static func append(_ cell: String, to bytes: inout [UInt8]) {
    // Spaces at the ends are quoted, because some readers trim them otherwise.
    let needsQuotes =
      cell.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 < 0x20 || $0 == 0x3B }
      || cell.utf8.first == UInt8(ascii: " ") || cell.utf8.last == UInt8(ascii: " ")
    guard needsQuotes else { return bytes += Array(cell.utf8) }
    bytes.append(UInt8(ascii: "\""))
    for byte in cell.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a spreadsheet would evaluate the text as a formula.
  ///
  /// The export still writes the text unchanged, because a mark in front would become part of the password.
  static func isFormula(_ cell: String) -> Bool {
    guard let first = cell.utf8.first else { return false }
    return Array("=+-@\t\r\n".utf8).contains(first)
  }
}
