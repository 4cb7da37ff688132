public import VaultDocument

/// What one value of a record may be: the one description of built-in and declared kinds.
///
/// Checking, sealing, prompts, `kinds show` and the JSON Schema that it prints all go by it.
public struct ValueSchema: Sendable {
  /// The type of the value, with the rules for it.
  public indirect enum Form: Sendable {
    /// A text.
    case text(TextRule)
    /// A number without a fraction; `1.0` is one.
    case integer(NumberRule)
    /// A number, with or without a fraction.
    case number(NumberRule)
    /// `true` or `false`.
    case bool
    /// Values in an order.
    case list(ListRule)
    /// Values by names.
    case object(ObjectRule)
    /// Any JSON value; only what is sealed may be that.
    case any
  }

  /// What it may be.
  public var form: Form
  /// Whether the value is stored as a token: of its UTF-8 when it is text, else of its compact JSON.
  public var isSealed = false
  /// What sort of secret it is; says nothing of a value that is not sealed.
  public var secretSort = SecretSort.text
  /// What a new one is made of; nil where its kind does not say.
  package var generation: PasswordRules?
  /// Whether it is a text of several lines, which a person gives as a file or writes in an editor.
  public var isMultiline = false
  /// Whether it belongs to something that is there already, so that nobody makes it up: the passphrase of a key.
  public var comesFromElsewhere = false
  /// Whether `null` is a value of its own; otherwise it counts as absent.
  public var isNullable = false
  /// The only values there may be, numbers compared by value; nil for no such list.
  public var allowed: [JSONValue]?
  /// What a new record gets where the value is absent.
  public var initial: JSONValue?
  /// A value that is good, from which the members of a type are learned; nil for none.
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
  /// What the text has to match somewhere; nil for any text.
  public var pattern: Pattern?
  /// What is wrong with a text that the pattern does not match, in words that follow its name: `must be digits`. A
  /// pattern is for programs.
  public var patternReason: String?
  /// The well-known form that it has to have; nil for none.
  public var format: TextFormat?
  /// Whether a whole number in the input stands for its digits.
  public var takesDigits = false
  /// Whether a number in the input stands for a moment: seconds since 2001-01-01T00:00:00Z, as Swift writes dates.
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
  /// A number that it has to be above; nil for none.
  public var exclusiveMinimum: JSONNumber?
  /// A number that it has to be below; nil for none.
  public var exclusiveMaximum: JSONNumber?

  /// Any number.
  public init() {}
}

/// What the items of an array are, and how many there may be.
public struct ListRule: Sendable {
  /// What each item is.
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
  /// What members of any other name are; nil when there must be none.
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

  /// The same members, one of them before all others.
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

  /// Where the member with exactly these bytes as its name stands: each member of each record is looked up, and a copy
  /// of what is found costs more than finding it.
  func index(of name: String) -> Int? {
    // Kinds have few members, and most names differ in their length already.
    for index in members.indices where sameBytes(members[index].name, name) { return index }
    return nil
  }

  /// What the member of a name may be.
  func value(named name: String) -> ValueSchema? { member(named: name)?.value ?? others }
}

/// One member of an object.
public struct MemberSchema: Sendable {
  /// Its name in JSON.
  public let name: String
  /// What it may be.
  public var value: ValueSchema
  /// Whether every record has it.
  public let isRequired: Bool
  fileprivate(set) var position = 0
  /// Whether it was learned from the type, and not described.
  var isLearned = false

  /// - Parameter title: what a prompt calls it.
  public init(_ name: String, _ value: ValueSchema, _ title: String? = nil, required: Bool = false) {
    self.name = name
    self.value = value
    self.value.title = title ?? value.title
    isRequired = required
  }

  /// Words to find a record by; every kind has them.
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

  /// Text that belongs to something that is there already.
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

  /// Text that a pattern of ECMA-262, written in source code, matches.
  ///
  /// - Parameter reason: what is said of a text that it does not match: `must be digits`.
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

  /// An object of these members, and no others.
  public static func object(_ members: [MemberSchema]) -> ValueSchema { ValueSchema(.object(ObjectRule(members))) }

  /// The same value with a good example, which the type takes that it is read as.
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

  /// Whether a text could be refused, or stands for something else than itself.
  public var hasRules: Bool {
    guard case .text(let rule) = form, allowed == nil else { return true }
    return rule.minimumLength != nil || rule.maximumLength != nil || rule.pattern != nil || rule.format != nil
  }

  /// Whether a token holds the text itself rather than JSON.
  public var isText: Bool { if case .text = form { true } else { false } }

  /// Whether it is a moment in ISO 8601, readable.
  public var isMoment: Bool { if case .text(let rule) = form { rule.format == .dateTime } else { false } }

  /// Whether it is base64, which stands for bytes.
  public var isBytes: Bool { if case .text(let rule) = form { rule.format == .base64 } else { false } }

  /// What a person calls the type.
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
