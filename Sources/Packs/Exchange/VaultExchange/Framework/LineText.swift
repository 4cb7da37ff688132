internal import VaultDocument

/// Files that are read line by line, but are small enough to be held.
enum LineText {
  /// The lines of a text, whatever ends them.
  static func lines(of source: ImportSource, _ options: ImportOptions) throws(ExchangeError) -> [Substring] {
    try text(of: source, options).lines
  }

  /// The whole text.
  static func text(of source: ImportSource, _ options: ImportOptions) throws(ExchangeError) -> String {
    let bytes = try JSONReading.text(of: source, options: options)
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let index = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
    throw ExchangeError(
      .invalidText, "is no text in the encoding of the file", at: SourcePlace(line: index.map { $0 + 1 }))
  }
}
