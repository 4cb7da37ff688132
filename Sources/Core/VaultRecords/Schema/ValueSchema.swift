public import VaultDocument

/// The description of one value of a record, for both built-in and declared kinds.
///
/// Checking, sealing, prompts, `kinds show` and its JSON Schema all use it.
public struct ValueSchema: Sendable {
  /// The type of the value, with the rules for it.
  public indirect enum Form: Sendable {
    /// A text.
    case text(TextRule)
    /// A number without a fraction, which includes `1.0`.
    case integer(NumberRule)
    /// A number, with or without a fraction.
    case number(NumberRule)
    /// `true` or `false`.
    case bool
    /// Values in an order.
    case list(ListRule)
    /// Values by names.
    case object(ObjectRule)
    /// Any JSON value, only if it is sealed.
    case any
  }

  /// The type of the value.
  public var form: Form
  /// Whether the value is stored as a token: of its UTF-8 if it is text, else of its compact JSON.
  public var isSealed = false
  /// The sort of secret; meaningless for a value that is not sealed.
  public var secretSort = SecretSort.text
  /// The rules for generating a new value; nil if its kind has none.
  package var generation: PasswordRules?
  /// Whether it is a text of several lines, which a person gives as a file or writes in an editor.
  public var isMultiline = false
  /// Whether it belongs to something that already exists, such as the passphrase of a key, so that it is never
  /// generated.
  public var comesFromElsewhere = false
  /// Whether `null` is a separate value; otherwise it counts as absent.
  public var isNullable = false
  /// The only allowed values, with numbers compared by value; nil for no such list.
  public var allowed: [JSONValue]?
  /// The default value in a new record.
  public var initial: JSONValue?
  /// A valid value, used to learn the members of a type; nil if not needed.
  public var example: JSONValue?
  /// A few words for prompts.
  public var title: String?
  /// A sentence for people.
  public var summary: String?

  /// A readable value of this form, without a title.
  public init(_ form: Form) { self.form = form }
}

/// Rules for text; lengths in Unicode scalars.
public struct TextRule: Sendable {
  /// The fewest Unicode scalars; nil for any number.
  public var minimumLength: Int?
  /// The most Unicode scalars; nil for any number.
  public var maximumLength: Int?
  /// A pattern that must match somewhere; nil for any text.
  public var pattern: Pattern?
  /// The message for a text that the pattern does not match, in words that follow its name: `must be digits`. The
  /// pattern itself is for programs.
  public var patternReason: String?
  /// The well-known form that the text must have; nil for any.
  public var format: TextFormat?
  /// Whether the input may be a whole number, which stands for its digits.
  public var takesDigits = false
  /// Whether the input may be a number of seconds since 2001-01-01T00:00:00Z, as Swift writes dates.
  public var takesReferenceSeconds = false

  /// Any text.
  public init() {}
}

/// Bounds of numbers, compared by value.
public struct NumberRule: Sendable {
  /// The least number; nil for none.
  public var minimum: JSONNumber?
  /// The greatest number; nil for none.
  public var maximum: JSONNumber?
  /// A number below all allowed ones; nil for none.
  public var exclusiveMinimum: JSONNumber?
  /// A number above all allowed ones; nil for none.
  public var exclusiveMaximum: JSONNumber?

  /// Any number.
  public init() {}
}

/// The items of an array and their number.
public struct ListRule: Sendable {
  /// The description of each item.
  public var items: ValueSchema
  /// The fewest items; nil for any number.
  public var minimumCount: Int?
  /// The most items; nil for any number.
  public var maximumCount: Int?

  /// Any number of such items.
  public init(of items: ValueSchema) { self.items = items }
}

/// The members of an object.
public struct ObjectRule: Sendable {
  /// Sorted by the bytes of their names, as the members of a `JSONObject` are.
  public let members: [MemberSchema]
  /// The description of members with other names; nil if they are not allowed.
  public var others: ValueSchema?
  /// The fewest members; nil for any number.
  public var minimumCount: Int?
  /// The most members; nil for any number.
  public var maximumCount: Int?

  /// Members in the order in which a person is asked for them.
  public init(_ members: [MemberSchema], others: ValueSchema? = nil) {
    var members = members
    for index in members.indices { members[index].position = index }
    self.members = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    self.others = others
  }

  /// The members in the order in which a person is asked for them.
  public var inOrder: [MemberSchema] { members.sorted { $0.position < $1.position } }

  /// The same members with one moved to the front.
  func putting(first name: String) -> ObjectRule {
    let ordered = inOrder
    var rule = ObjectRule(ordered.filter { $0.name == name } + ordered.filter { $0.name != name }, others: others)
    rule.minimumCount = minimumCount
    rule.maximumCount = maximumCount
    return rule
  }

  func adding(_ member: MemberSchema) -> ObjectRule {
    var rule = ObjectRule(inOrder + [member], others: others)
    rule.minimumCount = minimumCount
    rule.maximumCount = maximumCount
    return rule
  }

  /// The member with exactly these bytes as its name.
  package func member(named name: String) -> MemberSchema? { index(of: name).map { members[$0] } }

  /// The index of the member with exactly these bytes as its name. Each member of each record is looked up, and copying
  /// a member costs more than finding it.
  func index(of name: String) -> Int? {
    // Kinds have few members, and most names already differ in length.
    for index in members.indices where sameBytes(members[index].name, name) { return index }
    return nil
  }

  /// The description of the member with a name.
  package func value(named name: String) -> ValueSchema? { member(named: name)?.value ?? others }
}

/// One member of an object.
public struct MemberSchema: Sendable {
  /// Its name in JSON.
  public let name: String
  /// Its description.
  public var value: ValueSchema
  /// Whether every record has it.
  public let isRequired: Bool
  fileprivate(set) var position = 0
  /// Whether it was learned from the type and not described.
  var isLearned = false

  /// - Parameter title: its name in prompts.
  public init(_ name: String, _ value: ValueSchema, _ title: String? = nil, required: Bool = false) {
    self.name = name
    self.value = value
    self.value.title = title ?? value.title
    isRequired = required
  }

  /// Words for finding a record; every kind has them.
  static var tags: MemberSchema { MemberSchema("tags", .list(of: .name), "Tags") }
}

extension ValueSchema {
  /// Any text.
  public static var text: ValueSchema { ValueSchema(.text(TextRule())) }

  /// Text of several lines.
  public static var lines: ValueSchema {
    var value = text
    value.isMultiline = true
    return value
  }

  /// Text that belongs to something that already exists, so that it is never generated.
  public static var given: ValueSchema {
    var value = text
    value.comesFromElsewhere = true
    return value
  }

  /// Text that is not empty.
  public static var name: ValueSchema {
    var rule = TextRule()
    rule.minimumLength = 1
    return ValueSchema(.text(rule))
  }

  /// Text of a well-known form.
  public static func text(_ format: TextFormat) -> ValueSchema {
    var rule = TextRule()
    rule.format = format
    return ValueSchema(.text(rule))
  }

  /// Text that matches a pattern of ECMA-262 in source code.
  ///
  /// - Parameter reason: the message for a text that does not match: `must be digits`.
  public static func text(_ pattern: StaticString, otherwise reason: String? = nil) -> ValueSchema {
    var rule = TextRule()
    rule.patternReason = reason
    do throws(RecordError) {
      rule.pattern = try Pattern("\(pattern)")
    } catch {
      preconditionFailure("a pattern in source code must be well formed")
    }
    return ValueSchema(.text(rule))
  }

  /// A moment in ISO 8601.
  public static var moment: ValueSchema { text(.dateTime) }

  /// An address with a scheme, such as `https://example.com`.
  public static var url: ValueSchema { text(.uri) }

  /// Bytes, as their base64.
  public static var bytes: ValueSchema { text(.base64) }

  /// `true` or `false`.
  public static var bool: ValueSchema { ValueSchema(.bool) }

  /// A number of a network port: 1 to 65535.
  public static var port: ValueSchema {
    var rule = NumberRule()
    rule.minimum = JSONNumber(1)
    rule.maximum = JSONNumber(65_535)
    return ValueSchema(.integer(rule))
  }

  /// Any number of such items, in an order.
  public static func list(of items: ValueSchema) -> ValueSchema { ValueSchema(.list(ListRule(of: items))) }

  /// An object whose members have names that the user chooses.
  public static func map(of values: ValueSchema) -> ValueSchema { ValueSchema(.object(ObjectRule([], others: values))) }

  /// An object with only these members.
  public static func object(_ members: [MemberSchema]) -> ValueSchema { ValueSchema(.object(ObjectRule(members))) }

  /// The same value with a valid example, which the type's decoder accepts.
  public func example(_ value: JSONValue) -> ValueSchema {
    var copy = self
    copy.example = value
    return copy
  }

  /// The same value, secret.
  public var sealed: ValueSchema {
    var copy = self
    copy.isSealed = true
    return copy
  }

  /// The same value, a secret of this sort.
  public func sealed(as sort: SecretSort) -> ValueSchema {
    var copy = sealed
    copy.secretSort = sort
    return copy
  }

  /// Whether this value or anything in it is sealed.
  public var holdsSealed: Bool {
    if isSealed { return true }
    switch form {
    case .list(let rule): return rule.items.holdsSealed
    case .object(let rule): return rule.members.contains { $0.value.holdsSealed } || rule.others?.holdsSealed == true
    default: return false
    }
  }

  /// Whether a text could be refused, or is converted.
  public var hasRules: Bool {
    guard case .text(let rule) = form, allowed == nil else { return true }
    return rule.minimumLength != nil || rule.maximumLength != nil || rule.pattern != nil || rule.format != nil
  }

  /// Whether a token holds the text itself rather than JSON.
  public var isText: Bool { if case .text = form { true } else { false } }

  /// Whether it is a moment in ISO 8601, readable.
  public var isMoment: Bool { if case .text(let rule) = form { rule.format == .dateTime } else { false } }

  /// Whether it is base64 of bytes.
  public var isBytes: Bool { if case .text(let rule) = form { rule.format == .base64 } else { false } }

  /// The type's name for people.
  public var typeName: String {
    switch form {
    case .text(let rule): isBytes ? "bytes" : rule.format?.rawValue ?? "text"
    case .integer: "integer"
    case .number: "number"
    case .bool: "bool"
    case .list: "list"
    case .object(let rule): rule.members.isEmpty && rule.others != nil ? "map" : "object"
    case .any: "any"
    }
  }
}
