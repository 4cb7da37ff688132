internal import VaultDocument

/// The forms in which a value may stand in what a program writes.
enum NeedleForms {
  /// What is shorter stands in any text by chance.
  static let shortest = 8
  /// Of what is longer than this, only the value itself and its lines are looked for.
  private static let longestEncoded = 16 << 10
  /// A line of a value of several that is shorter may be anybody's, such as a closing brace.
  private static let shortestLine = 16

  /// Whether a value can be told from other text: a short number cannot.
  static func isFindable(_ value: [UInt8]) -> Bool {
    value.count >= shortest && (value.count >= 12 || !value.allSatisfy { $0 &- UInt8(ascii: "0") < 10 })
  }

  /// All of them, each once; none for a value that cannot be told from other text.
  static func all(of value: [UInt8]) -> Set<[UInt8]> {
    var forms: Set<[UInt8]> = []
    for value in [value, trimmed(value)] where isFindable(value) { forms.formUnion(whole(value)) }
    for leaf in leaves(of: value) where isFindable(leaf) { forms.formUnion(whole(leaf)) }
    for line in lines(of: value) { forms.insert(line) }
    return forms.filter { $0.count >= shortest }
  }

  private static func whole(_ value: [UInt8]) -> [[UInt8]] {
    guard value.count <= longestEncoded else { return [value] }
    return [value] + base64(value) + texts(value) + quoted(value)
  }

  /// Without blanks and line ends behind it, as `$(…)` and many readers take a value.
  private static func trimmed(_ value: [UInt8]) -> [UInt8] {
    Array(value.prefix(through: value.lastIndex { $0 > UInt8(ascii: " ") } ?? -1))
  }

  /// None of what is no text: two files of one format have lines in common.
  private static func lines(of value: [UInt8]) -> [[UInt8]] {
    guard !value.contains(0), String(validating: value, as: UTF8.self) != nil else { return [] }
    let lines = value.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    return lines.count < 2 ? [] : lines.filter { $0.count >= shortestLine }.map(Array.init)
  }

  /// The texts in a value that is a JSON document.
  private static func leaves(of value: [UInt8]) -> [[UInt8]] {
    guard let first = value.first(where: { $0 > UInt8(ascii: " ") }), "{[".utf8.contains(first),
      let document = try? JSONParser.parse(value)
    else { return [] }
    var leaves: [[UInt8]] = []
    document.forEachString { _, text in leaves.append(Array(text.utf8)) }
    return leaves
  }

  /// Base64 of both alphabets, wherever the value begins within a group of three bytes; and lines of the usual widths.
  private static func base64(_ value: [UInt8]) -> [[UInt8]] {
    var forms: [[UInt8]] = []
    for offset in 0..<3 {
      let bytes = [UInt8](repeating: 0, count: offset) + value
      // Only the digits that stand for bits of the value alone.
      let digits = (offset * 8 + 5) / 6..<(bytes.count * 8 / 6)
      forms.append(Array(Array(Base64.encode(bytes).utf8)[digits]))
      forms.append(Array(Array(Base64.encodeURL(bytes).utf8)[digits]))
    }
    let text = Array(Base64.encode(value).utf8)
    for width in [64, 76] where text.count > width {
      forms += stride(from: 0, to: text.count, by: width).map { Array(text[$0..<min($0 + width, text.count)]) }
        .filter { $0.count >= shortestLine }
    }
    return forms
  }

  private static func texts(_ value: [UInt8]) -> [[UInt8]] {
    let (hex, percent) = (Hex.encode(value), PercentEncoding.encoded(value))
    return [hex, hex.uppercased(), percent, percent.lowercasedEscapes, percent.replacing("%20", with: "+")]
      .map { Array($0.utf8) }
  }

  /// In quotes of JSON, shells and XML, without the quotes around it.
  private static func quoted(_ value: [UInt8]) -> [[UInt8]] {
    var forms: [[UInt8]] = []
    if let text = String(validating: value, as: UTF8.self),
      let json = try? JSONValue.string(text).compactBytes(limits: .exchange).dropFirst().dropLast()
    {
      forms.append(Array(json))
      forms.append(escaped(Array(json)) { $0 == UInt8(ascii: "/") ? "\\/" : nil })
      forms.append(ascii(json))
    }
    forms.append(escaped(value) { $0 == UInt8(ascii: "'") ? "'\\''" : nil })
    forms.append(escaped(value) { $0 == UInt8(ascii: "'") ? "'\"'\"'" : nil })
    forms.append(escaped(value) { "\"\\$`".utf8.contains($0) ? backslashed($0) : nil })
    forms.append(escaped(value) { isPlain($0) ? nil : backslashed($0) })
    let controls: [UInt8: String] = [9: "\\t", 10: "\\n", 13: "\\r", 39: "\\'", 92: "\\\\"]
    forms.append(escaped(value) { controls[$0] })
    let entities: [UInt8: String] = [34: "&quot;", 38: "&amp;", 39: "&#39;", 60: "&lt;", 62: "&gt;"]
    forms.append(escaped(value) { entities[$0] })
    forms.append(escaped(value) { $0 == 39 ? "&apos;" : entities[$0] })
    return forms
  }

  private static func backslashed(_ byte: UInt8) -> String { "\\\(Character(Unicode.Scalar(byte)))" }

  /// What `printf %q` of a shell leaves alone.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
      || "@%_+=:./-".utf8.contains(byte)
  }

  private static func escaped(_ value: [UInt8], _ escape: (UInt8) -> String?) -> [UInt8] {
    var result: [UInt8] = []
    for byte in value {
      if let text = escape(byte) { result += text.utf8 } else { result.append(byte) }
    }
    return result
  }

  /// JSON as ASCII alone, with an escape for each UTF-16 unit of what is not (RFC 8259, section 7).
  private static func ascii(_ json: some Sequence<UInt8>) -> [UInt8] {
    var result = ""
    for unit in String(decoding: Array(json), as: UTF8.self).utf16 {
      if unit < 0x80, let scalar = Unicode.Scalar(unit) {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u" + Hex.encode([UInt8(unit >> 8), UInt8(unit & 0xFF)])
      }
    }
    return Array(result.utf8)
  }
}

extension String {
  /// Percent-encoding with lower-case digits.
  fileprivate var lowercasedEscapes: String {
    var (result, digits) = ([UInt8](), 0)
    for byte in utf8 {
      result.append(digits > 0 && byte < UInt8(ascii: "a") && byte > UInt8(ascii: "9") ? byte | 0x20 : byte)
      digits = byte == UInt8(ascii: "%") ? 2 : max(0, digits - 1)
    }
    return String(decoding: result, as: UTF8.self)
  }
}
