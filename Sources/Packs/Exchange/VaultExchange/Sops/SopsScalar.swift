internal import VaultDocument

/// The type that sops gives a plain YAML scalar. The MAC covers the value, not the text.
enum SopsScalar {
  /// YAML 1.2.2, section 10.3.2, with the octal numbers and underscores of YAML 1.1.
  static func value(of text: String) -> JSONValue {
    switch text {
    case "", "~", "null", "Null", "NULL": .null
    case "true", "True", "TRUE": .bool(true)
    case "false", "False", "FALSE": .bool(false)
    case ".nan", ".NaN", ".NAN": .string("NaN")
    case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": .string("+Inf")
    case "-.inf", "-.Inf", "-.INF": .string("-Inf")
    default: number(text).map { .number($0) } ?? .string(text)
    }
  }

  private static func number(_ text: String) -> JSONNumber? {
    let digits = text.filter { $0 != "_" }
    guard let first = digits.utf8.first, (0x30...0x39).contains(first) || "+-.".utf8.contains(first) else { return nil }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where digits.hasPrefix(prefix) {
      return Int(digits.dropFirst(2), radix: radix).map { JSONNumber($0) }
    }
    if let int = Int(digits) {
      // A leading zero means octal.
      let isOctal = digits.hasPrefix("0") && digits.utf8.count > 1
      return isOctal ? Int(digits, radix: 8).map { JSONNumber($0) } : JSONNumber(int)
    }
    guard digits.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let double = Double(digits) else {
      return nil
    }
    return JSONNumber(literal: SopsValueText.decimal(double))
  }
}
