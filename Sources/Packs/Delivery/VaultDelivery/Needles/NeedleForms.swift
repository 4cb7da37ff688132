internal import VaultDocument

/// The forms of a value in a program's output.
enum NeedleForms {
  /// Shorter values occur in any text by chance.
  static let shortest = 8
  /// For longer values, only the value itself and its lines are searched.
  private static let longestEncoded = 16 << 10
  /// A shorter line of a value may be common text, such as `return`. Only its core is searched, if that is distinctive.
  private static let shortestLine = 16

  /// Whether a value is distinctive. A short number is not.
  static func isFindable(_ value: [UInt8]) -> Bool {
    value.count >= shortest && (value.count >= 12 || !value.allSatisfy { $0 &- UInt8(ascii: "0") < 10 })
  }

  /// All forms, each once; empty if the value is not distinctive.
  static func all(of value: [UInt8]) -> Set<[UInt8]> {
    var forms: Set<[UInt8]> = []
    for value in [value, trimmed(value)] where isFindable(value) { forms.formUnion(whole(value)) }
    for leaf in leaves(of: value) where isFindable(leaf) { forms.formUnion(whole(leaf)) }
    for line in lines(of: value) {
      guard line.count >= shortestLine else {
        if let core = core(of: line) { forms.formUnion(spellings(core)) }
        continue
      }
      forms.formUnion(value.count <= longestEncoded ? spellings(line).union(base64(line)) : [line])
    }
    return forms.filter { $0.count >= shortest }
  }

  /// The number of lines that are not searched separately although they could be secrets of their own.
  static func leftOutLineCount(of value: [UInt8]) -> Int {
    let lines = lines(of: value)
    // The last line of a base64 key is not a secret of its own.
    guard lines.count(where: { $0.count < shortestLine }) * 2 > lines.count else { return 0 }
    return lines.count(where: { line in
      line.count < shortestLine && core(of: line) == nil && line.count(where: isAlphanumeric) >= shortestSecretLine
    })
  }

  /// Lines with fewer letters and digits are not counted, because they are not secrets.
  private static let shortestSecretLine = 4

  /// The distinctive part of a short line, such as a recovery code, without surrounding spaces and punctuation. It has
  /// at least 8 bytes, and a digit, a sign or a capital letter inside. Nil for a word.
  private static func core(of line: [UInt8]) -> [UInt8]? {
    guard let first = line.firstIndex(where: { !isAround($0) }), let last = line.lastIndex(where: { !isAround($0) })
    else { return nil }
    let core = line[first...last]
    let letters = core.count(where: { isAlphanumeric($0) || $0 >= 0x80 })
    guard isFindable(Array(core)), letters >= shortest - 2 else { return nil }
    let hasDigit = core.contains { $0 &- UInt8(ascii: "0") < 10 }
    let hasSign = core.contains { $0 > UInt8(ascii: " ") && $0 < 0x80 && !isAlphanumeric($0) }
    let hasInnerCapital = zip(core, core.dropFirst()).contains { isSmall($0) && isCapital($1) }
    return hasDigit || hasSign || hasInnerCapital ? Array(core) : nil
  }

  private static func isAround(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || "\"'`{}[](),:;".utf8.contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
  }

  private static func isSmall(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }

  private static func isCapital(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

  private static func whole(_ value: [UInt8]) -> [[UInt8]] {
    guard value.count <= longestEncoded else { return [value, Escapes.removed(.all, from: value)] }
    return spellings(value) + base64(value)
      + [Hex.encode(value), Hex.encode(value).uppercased()].map { Array($0.utf8) }
      + utf16(value)
  }

  /// The value with its own text decoded as escapes, for each choice of families, because an encoder escapes only those
  /// of its own family.
  private static func spellings(_ value: [UInt8]) -> Set<[UInt8]> {
    let present = Escapes.Families.each.filter { Escapes.removed($0, from: value) != value }
    var chosen: Set<Escapes.Families> = [[]]
    for family in present { chosen.formUnion(chosen.map { $0.union(family) }) }
    return Set(chosen.map { Escapes.removed($0, from: value) })
  }

  /// UTF-16, as Windows programs write text in files, and as base64 in command lines.
  private static func utf16(_ value: [UInt8]) -> [[UInt8]] {
    guard let text = String(validating: value, as: UTF8.self) else { return [] }
    let little = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    return [little, text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }] + base64(little)
  }

  /// The value without spaces and line ends at its end, as `$(…)` and many readers use it.
  private static func trimmed(_ value: [UInt8]) -> [UInt8] {
    Array(value.prefix(through: value.lastIndex { $0 > UInt8(ascii: " ") } ?? -1))
  }

  /// The lines of a text; empty for binary values, because files of one format have lines in common.
  private static func lines(of value: [UInt8]) -> [[UInt8]] {
    guard !value.contains(0), String(validating: value, as: UTF8.self) != nil else { return [] }
    let lines = value.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    return lines.count < 2 ? [] : lines.map(Array.init)
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

  /// Base64 of both alphabets, for each offset in a group of three bytes, and in lines of the usual widths.
  private static func base64(_ value: [UInt8]) -> [[UInt8]] {
    var forms: [[UInt8]] = []
    for offset in 0..<3 {
      let bytes = [UInt8](repeating: 0, count: offset) + value
      // Only the digits whose bits all belong to the value.
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
}
