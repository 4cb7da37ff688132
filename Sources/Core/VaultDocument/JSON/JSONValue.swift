/// A JSON tree that keeps the spelling of its author: number literals as text, strings by their bytes.
///
/// Values are equal if their trees are; strings are compared by UTF-8 bytes and numbers by literal. Printing a value
/// never shows its content, because a tree can hold opened fields.
public enum JSONValue: Sendable, Equatable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, with the digits that its author wrote.
  case number(JSONNumber)
  /// A text, compared by its bytes.
  case string(String)
  /// Values in an order.
  case array([JSONValue])
  /// Values by names, sorted by the bytes of the names.
  case object(JSONObject)

  /// Whether two trees are the same, comparing strings by bytes and numbers by literal.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): sameBytes(one, other)
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    default: false
    }
  }
}

extension JSONValue {
  /// The text of a string, else nil.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The members of an object, else nil.
  public var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The items of an array, else nil.
  public var array: [JSONValue]? {
    if case .array(let items) = self { items } else { nil }
  }

  /// The truth value, else nil.
  public var bool: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The number, else nil.
  public var number: JSONNumber? {
    if case .number(let number) = self { number } else { nil }
  }

  /// The number if it is a plain integer of the format, else nil.
  public var int: Int? { number?.int }

  /// Whether this is `null`.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The member of that name if this is an object that has it, else nil.
  public subscript(name: String) -> JSONValue? { object?[name] }
}

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The type of the value, never its content.
  public var description: String {
    switch self {
    case .null: "JSON null"
    case .bool: "JSON boolean"
    case .number: "JSON number"
    case .string: "JSON string"
    case .array(let items): "JSON array with \(items.count) item\(items.count == 1 ? "" : "s")"
    case .object(let object): object.description
    }
  }

  /// The same placeholder as `description`.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows only the placeholder.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// An array.
  public init(arrayLiteral items: JSONValue...) { self = .array(items) }

  /// An object; the last of several members of one name counts.
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    var object = JSONObject()
    for (name, value) in members { object[name] = value }
    self = .object(object)
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  /// A string.
  public init(stringLiteral text: String) { self = .string(text) }

  /// A truth value.
  public init(booleanLiteral flag: Bool) { self = .bool(flag) }

  /// A number, written as a plain decimal.
  public init(integerLiteral number: Int) { self = .number(JSONNumber(number)) }
}
