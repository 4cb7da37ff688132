public import VaultDocument

extension ValueSchema {
  /// The value of a text that a person gave for this description: numbers and truth values as in JSON, lists with
  /// commas or as a JSON array, objects as JSON.
  ///
  /// Text that cannot be read this way stays text, and the check then reports what is wanted.
  public func value(ofText text: String) -> JSONValue {
    switch form {
    case .text: .string(text)
    case .integer, .number: JSONNumber(literal: text).map { .number($0) } ?? .string(text)
    case .bool: text == "true" ? true : text == "false" ? false : .string(text)
    case .list(let rule): Self.list(text, of: rule.items)
    case .object, .any: Self.json(text) ?? .string(text)
    }
  }

  private static func list(_ text: String, of items: ValueSchema) -> JSONValue {
    if let list = json(text), list.array != nil { return list }
    let parts = text.split(separator: "," as Character).map { items.value(ofText: trimmed($0)) }
    return .array(parts)
  }

  private static func json(_ text: String) -> JSONValue? { try? JSONParser.parse(Array(text.utf8)) }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
