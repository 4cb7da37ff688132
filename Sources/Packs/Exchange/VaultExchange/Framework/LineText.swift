internal import VaultDocument

enum LineText {
  /// The lines of a file, with any line ends. Such files are small enough to be in memory.
  static func lines(of source: ImportSource, _ options: ImportOptions) throws(ExchangeError) -> [Substring] {
    try text(of: source, options).lines
  }

  static func text(of source: ImportSource, _ options: ImportOptions) throws(ExchangeError) -> String {
    let bytes = try JSONReading.text(of: source, options: options)
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let index = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
    throw ExchangeError.invalidText(at: SourcePlace(line: index.map { $0 + 1 }))
  }
}
