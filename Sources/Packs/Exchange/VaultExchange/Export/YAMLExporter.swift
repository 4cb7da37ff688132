internal import VaultDocument
internal import VaultMarkup

/// A list of records in YAML: block style, every string in double quotes.
///
/// YAML 1.2 accepts JSON's strings, numbers and literals. The text is written so that YAML 1.1 readers agree: `1e3` as
/// `1.0e+3`, and escapes for line separators and unprintable characters.
struct YAMLExporter: Exporter {
  let notes = ExportNotes("yaml")
  private var isEmpty = true

  mutating func survey(_ record: ExportedRecord) {}

  mutating func bytes(of record: ExportedRecord) -> [UInt8] {
    isEmpty = false
    var writer = YAMLWriter()
    writer.item(.object(record.members))
    return writer.bytes
  }

  mutating func end() -> [UInt8] { isEmpty ? Array("[]\n".utf8) : [] }
}

struct YAMLWriter {
  private(set) var bytes: [UInt8] = []

  /// Writes an item of the top-level list.
  mutating func item(_ value: JSONValue) { listItem(value, indent: 0) }

  /// Writes a member of the top-level map.
  mutating func member(_ name: String, _ value: JSONValue) {
    members(JSONObject(ascending: [(name, value)]), indent: 0, isFirstPlaced: true)
  }

  /// Writes a tagged text as a member of the top-level map.
  mutating func member(_ name: String, _ text: String, tag: String) {
    key(name, indent: 0)
    put(" \(tag)")
    scalar(.string(text))
  }

  private mutating func listItem(_ value: JSONValue, indent: Int) {
    margin(indent)
    put("-")
    switch value {
    case .object(let members) where !members.isEmpty:
      put(" ")
      self.members(members, indent: indent + 2, isFirstPlaced: true)
    case .array(let items) where !items.isEmpty:
      put("\n")
      for item in items { listItem(item, indent: indent + 2) }
    default: scalar(value)
    }
  }

  private mutating func members(_ members: JSONObject, indent: Int, isFirstPlaced: Bool) {
    for (index, member) in members.enumerated() {
      if index > 0 || !isFirstPlaced { margin(indent) }
      key(member.name, indent: indent)
      switch member.value {
      case .object(let below) where !below.isEmpty:
        put("\n")
        self.members(below, indent: indent + 2, isFirstPlaced: false)
      case .array(let items) where !items.isEmpty:
        put("\n")
        for item in items { listItem(item, indent: indent + 2) }
      default: scalar(member.value)
      }
    }
  }

  /// Writes a key. Readers expect the colon of a plain key within 1024 characters, so a longer key is marked.
  private mutating func key(_ name: String, indent: Int) {
    guard name.utf8.count > 120 else {
      string(name)
      return put(":")
    }
    put("? ")
    string(name)
    put("\n")
    margin(indent)
    put(":")
  }

  private mutating func scalar(_ value: JSONValue) {
    put(" ")
    switch value {
    case .null: put("null")
    case .bool(let flag): put(flag ? "true" : "false")
    case .number(let number): put(Self.number(number.literal))
    case .string(let text): string(text)
    case .array: put("[]")
    case .object: put("{}")
    }
    put("\n")
  }

  /// YAML 1.1 reads a number with an exponent as text, unless it has a point and a sign.
  static func number(_ literal: String) -> String {
    guard let mark = literal.firstIndex(where: { $0 == "e" || $0 == "E" }) else { return literal }
    let digits = literal[..<mark]
    let exponent = literal[literal.index(after: mark)...]
    let isSigned = exponent.hasPrefix("+") || exponent.hasPrefix("-")
    return digits + (digits.contains(".") ? "" : ".0") + "e" + (isSigned ? "" : "+") + exponent
  }

  private mutating func string(_ text: String) {
    put("\"")
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": put("\\\(scalar)")
      case "\n": put("\\n")
      case "\r": put("\\r")
      case "\t": put("\\t")
      case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}": put("\\x" + Hex.encode([UInt8(scalar.value)]))
      case "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFE}", "\u{FFFF}":
        put("\\u" + Hex.encode([UInt8(scalar.value >> 8), UInt8(scalar.value & 0xFF)]))
      default: UTF8.encode(scalar)?.forEach { bytes.append($0) }
      }
    }
    put("\"")
  }

  private mutating func margin(_ indent: Int) {
    for _ in 0..<indent { bytes.append(UInt8(ascii: " ")) }
  }

  private mutating func put(_ text: String) { bytes += Array(text.utf8) }
}
