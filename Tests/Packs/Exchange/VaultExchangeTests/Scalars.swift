import VaultDocument

/// Texts that some reader takes for something else: the same list goes through every format.
enum Scalars {
  /// Numbers, moments and words of the formats that have types.
  static let typed = [
    "007", "0777", "0o17", "0x1F", "0b101", "1_000", "12345_54321", "+49123456", "-0", "1.10", "1e3", "1E400",
    "12345678901234567890123", "18446744073709551615", ".5", "5.", ".inf", "-.INF", ".nan", "true", "False", "yes",
    "No", "on", "null", "~", "2024-01-02", "2024-01-02T03:04:05Z", "12:30:45",
  ]

  /// Signs that begin something in one of the formats.
  static let signs = [
    "#lead", "a #b", "$HOME-${y}", "=1+1", "a,b;c", "\"q\" and 'r'", "back\\slash\\n", "&amp;<b>", "{{ 7 * 7 }}",
    "100%41%%", "e\u{301} \u{1F511}",
  ]

  /// All forty.
  static let all = typed + signs

  /// As a string of JSON, which is also one of YAML.
  static func json(_ text: String) -> String {
    let bytes = (try? JSONValue.string(text).compactBytes()) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }

  static func xml(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }

  static func cell(_ text: String) -> String { "\"\(text.replacing("\"", with: "\"\""))\"" }

  /// In quotes, as curl and Python read them.
  static func word(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }

  static func percent(_ text: String) -> String {
    text.utf8.map { "%" + Hex.encode([$0]) }.joined()
  }

  /// One entry of the list for each scalar.
  static func list(_ texts: [String], _ entry: (Int, String) -> String) -> String {
    texts.enumerated().map { entry($0.offset, $0.element) }.joined(separator: ",\n")
  }
}
