internal import VaultDocument

/// Consumes the keywords of one schema; keywords left at the end are refused.
struct KeywordReader {
  /// The most values of one `enum`, because every record is compared with them one by one.
  static let maximumAllowedCount = 1_000

  private let schema: JSONObject
  private let path: MemberPath
  private var rest: Set<String>

  init(_ schema: JSONObject, path: MemberPath, ignoring ignored: Set<String>) {
    self.schema = schema
    self.path = path
    rest = Set(schema.names).subtracting(ignored)
  }

  func has(_ keyword: String) -> Bool { schema[keyword] != nil }

  mutating func take(_ keyword: String) -> JSONValue? {
    rest.remove(keyword)
    return schema[keyword]
  }

  /// Refuses a keyword that was not read; call it last.
  func finish(typeName: String) throws(RecordError) {
    guard let keyword = rest.min() else { return }
    let reason =
      Self.known.contains(keyword)
      ? "does not apply to the type \(typeName)" : "is not a keyword that a declared kind can have"
    throw fault(keyword, reason)
  }

  private static let known: Set<String> = [
    "additionalProperties", "const", "contentEncoding", "default", "description", "enum", "exclusiveMaximum",
    "exclusiveMinimum", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength",
    "minProperties", "minimum",
    "pattern", "properties", "required", "title", "type", "x-generate", "x-sealed", "x-secret",
  ]

  func fault(_ keyword: String, _ reason: String) -> RecordError {
    RecordError(.invalidSchema, reason, path: path.appending(keyword).description)
  }

  mutating func text(_ keyword: String) throws(RecordError) -> String? {
    guard let value = take(keyword) else { return nil }
    guard let text = value.string else { throw fault(keyword, "must be text") }
    return text
  }

  mutating func bool(_ keyword: String) throws(RecordError) -> Bool? {
    guard let value = take(keyword) else { return nil }
    guard let flag = value.bool else { throw fault(keyword, "must be true or false") }
    return flag
  }

  /// The sort of secret of a sealed value.
  mutating func secretSort() throws(RecordError) -> SecretSort? {
    guard let word = try text("x-secret") else { return nil }
    guard let sort = SecretSort(rawValue: word) else {
      throw fault("x-secret", "must be one of \(SecretSort.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return sort
  }

  /// The rules for generating a new value, checked to be satisfiable.
  mutating func generation() throws(RecordError) -> PasswordRules? {
    guard let text = try text("x-generate") else { return nil }
    do throws(PasswordRules.Fault) {
      let rules = try PasswordRules(parsing: text)
      _ = try rules.usableShare(ofLength: rules.length(nextTo: PasswordRules.usualLength))
      return rules
    } catch {
      throw fault("x-generate", error.reason)
    }
  }

  mutating func object(_ keyword: String) throws(RecordError) -> JSONObject? {
    guard let value = take(keyword) else { return nil }
    guard let object = value.object else { throw fault(keyword, "must be an object") }
    return object
  }

  mutating func number(_ keyword: String) throws(RecordError) -> JSONNumber? {
    guard let value = take(keyword) else { return nil }
    guard let number = value.number else { throw fault(keyword, "must be a number") }
    return number
  }

  /// Empty if the keyword is missing.
  mutating func names(_ keyword: String) throws(RecordError) -> [String] {
    guard let value = take(keyword) else { return [] }
    guard let items = value.array, items.allSatisfy({ $0.string != nil }) else {
      throw fault(keyword, "must be an array of names")
    }
    let names = items.compactMap(\.string)
    guard Set(names).count == names.count else { throw fault(keyword, "has a name twice") }
    return names
  }

  /// Two counts; the first must not exceed the second.
  mutating func range(_ low: String, _ high: String) throws(RecordError) -> (Int?, Int?) {
    let (minimum, maximum) = (try count(low), try count(high))
    if let minimum, let maximum, minimum > maximum { throw fault(low, "is greater than \(high)") }
    return (minimum, maximum)
  }

  private mutating func count(_ keyword: String) throws(RecordError) -> Int? {
    guard let value = take(keyword) else { return nil }
    guard let count = value.int else { throw fault(keyword, "must be a whole number, 0 or more") }
    return count
  }

  /// The one type, and whether `null` is also allowed; nil if the keyword is missing.
  mutating func type() throws(RecordError) -> (name: String?, isNullable: Bool)? {
    guard let value = take("type") else { return nil }
    if let name = value.string { return (name, false) }
    let names = value.array?.compactMap(\.string) ?? []
    let others = names.filter { $0 != "null" }
    guard names.count == value.array?.count, names.count <= 2, others.count == 1 else {
      throw fault("type", "must be one type, or one type and null")
    }
    return (others[0], names.count == 2)
  }

  /// The values that `enum` or `const` allows; nil if both are missing.
  mutating func allowedValues() throws(RecordError) -> [JSONValue]? {
    if let constant = take("const") {
      guard !has("enum") else { throw fault("const", "cannot be combined with enum") }
      return [constant]
    }
    guard let list = take("enum") else { return nil }
    guard let values = list.array, !values.isEmpty else { throw fault("enum", "must be an array of values") }
    guard values.count <= Self.maximumAllowedCount else {
      throw fault("enum", "has more than \(Self.maximumAllowedCount) values")
    }
    guard Set(values.map(ComparedValue.init)).count == values.count else { throw fault("enum", "has a value twice") }
    return values
  }

  mutating func textRule() throws(RecordError) -> TextRule {
    var rule = TextRule()
    (rule.minimumLength, rule.maximumLength) = try range("minLength", "maxLength")
    if let name = try text("format") {
      guard let format = TextFormat(rawValue: name), format != .base64 else {
        throw fault("format", "is not a format that can be checked")
      }
      rule.format = format
    }
    if let name = try text("contentEncoding") {
      guard name == TextFormat.base64.rawValue else { throw fault("contentEncoding", "must be base64") }
      guard rule.format == nil else { throw fault("contentEncoding", "cannot be combined with format") }
      rule.format = .base64
    }
    guard let pattern = try text("pattern") else { return rule }
    do throws(RecordError) {
      rule.pattern = try Pattern(pattern)
    } catch {
      throw fault("pattern", error.reason)
    }
    return rule
  }

  /// Only `minimum` and `maximum` are compared with each other.
  mutating func numberRule() throws(RecordError) -> NumberRule {
    var rule = NumberRule()
    rule.minimum = try number("minimum")
    rule.maximum = try number("maximum")
    rule.exclusiveMinimum = try number("exclusiveMinimum")
    rule.exclusiveMaximum = try number("exclusiveMaximum")
    if let low = rule.minimum, let high = rule.maximum, DecimalValue(low) > DecimalValue(high) {
      throw fault("minimum", "is greater than maximum")
    }
    return rule
  }
}
