internal import VaultDocument

/// Reads a JSON Schema (2020-12) as the description of a kind.
///
/// Only keywords that the description supports are accepted, because an ignored one could be the one that forbids
/// something.
struct SchemaParser {
  /// The most values of a description, counting repetitions by `$ref`.
  static let maximumValueCount = 2_000
  private static let dialect = "https://json-schema.org/draft/2020-12/schema"
  static let rootKeywords: Set<String> = ["$schema", "$id", "$defs", "x-title", "x-kind", "x-schema", "x-migrations"]

  let root: JSONObject
  private var path = MemberPath.root
  private var references: [String] = []
  private var valueCount = 0

  init(_ root: JSONObject) { self.root = root }

  /// The description of the records of a kind.
  mutating func content() throws(RecordError) -> ObjectRule {
    if let dialect = root["$schema"], dialect != .string(Self.dialect), dialect != .string(Self.dialect + "#") {
      throw fault("must be \(Self.dialect)", at: "$schema")
    }
    if let id = root["$id"], id.string == nil { throw fault("must be text", at: "$id") }
    try definitions()
    let schema = try value(root, isRoot: true)
    guard case .object(let rule) = schema.form, !schema.isNullable, !schema.isSealed, schema.allowed == nil else {
      throw fault("must describe an object, because a record is an object")
    }
    for name in ["$vault", RecordKind.extraMember] where rule.member(named: name) != nil {
      throw fault("is reserved for the vault", at: "properties", name)
    }
    return rule.member(named: "tags") == nil ? rule.adding(.tags) : rule
  }

  /// Reads every definition once, even unused ones.
  private mutating func definitions() throws(RecordError) {
    guard let definitions = root["$defs"] else { return }
    guard let definitions = definitions.object else { throw fault("must be an object", at: "$defs") }
    for (name, _) in definitions {
      _ = try inside("$defs", name) { (parser: inout SchemaParser) throws(RecordError) in
        try parser.referenced("#/$defs/" + name.escapedForPointer)
      }
    }
  }

  /// Reads one schema, whose place is `path`. Keywords that do not apply, contradictions and readable secrets are
  /// refused.
  mutating func value(_ schema: JSONObject, isRoot: Bool = false) throws(RecordError) -> ValueSchema {
    valueCount += 1
    guard valueCount <= Self.maximumValueCount else { throw fault("the schema describes too many values") }
    var reader = KeywordReader(schema, path: path, ignoring: isRoot ? Self.rootKeywords : [])
    var value = try schema["$ref"] == nil ? typed(&reader) : referring(&reader)
    value.title = try reader.text("title") ?? value.title
    value.summary = try reader.text("description") ?? value.summary
    if case .text(var rule) = value.form, rule.pattern != nil, let summary = value.summary {
      rule.patternReason = "does not fit the description in its kind: \(summary)"
      value.form = .text(rule)
    }
    if try reader.bool("x-sealed") == true { value.isSealed = true }
    if let sort = try reader.secretSort() {
      guard value.isSealed else {
        throw fault("can be used only if x-sealed is true", at: "x-secret")
      }
      value.secretSort = sort
    }
    if let rules = try reader.generation() {
      guard value.isSealed, value.isText else {
        throw fault("can be used only for sealed text", at: "x-generate")
      }
      value.generation = rules
    }
    if let initial = reader.take("default") { value.initial = initial }
    try reader.finish(typeName: value.typeName)
    try check(value)
    return value
  }

  private mutating func typed(_ reader: inout KeywordReader) throws(RecordError) -> ValueSchema {
    let allowed = try reader.allowedValues()
    let (type, isNullable) = try reader.type() ?? (Self.type(of: allowed ?? []), false)
    var value: ValueSchema
    switch type {
    case "string": value = ValueSchema(.text(try reader.textRule()))
    case "integer": value = ValueSchema(.integer(try reader.numberRule()))
    case "number": value = ValueSchema(.number(try reader.numberRule()))
    case "boolean": value = .bool
    case "array": value = ValueSchema(.list(try list(&reader)))
    case "object": value = ValueSchema(.object(try object(&reader)))
    case nil where reader.has("properties"): value = ValueSchema(.object(try object(&reader)))
    case nil where reader.has("x-sealed"): value = ValueSchema(.any)
    case nil: throw fault("must have a type: only a sealed field can hold any value")
    default: throw fault("is not a type that a field can have", at: "type")
    }
    value.isNullable = isNullable
    value.allowed = allowed
    return value
  }

  /// The type that all listed values have, ignoring `null`.
  private static func type(of values: [JSONValue]) -> String? {
    let types = Set(values.compactMap(\.schemaType))
    if types == ["integer", "number"] { return "number" }
    return types.count == 1 ? types.first : nil
  }

  private mutating func list(_ reader: inout KeywordReader) throws(RecordError) -> ListRule {
    guard let items = reader.take("items") else {
      throw fault("must have items: only a sealed field can hold any value")
    }
    guard let schema = items.object else { throw fault("must be a schema", at: "items") }
    var rule = ListRule(
      of: try inside("items") { (parser: inout SchemaParser) throws(RecordError) in try parser.value(schema) })
    (rule.minimumCount, rule.maximumCount) = try reader.range("minItems", "maxItems")
    return rule
  }

  private mutating func object(_ reader: inout KeywordReader) throws(RecordError) -> ObjectRule {
    let required = try reader.names("required")
    var members: [MemberSchema] = []
    for (name, schema) in try reader.object("properties") ?? JSONObject() {
      guard let schema = schema.object else { throw fault("must be a schema", at: "properties", name) }
      let value = try inside("properties", name) { (parser: inout SchemaParser) throws(RecordError) in
        try parser.value(schema)
      }
      members.append(MemberSchema(name, value, required: required.contains { $0.utf8.elementsEqual(name.utf8) }))
    }
    // Required members come first, because JSON gives members no order.
    var rule = ObjectRule(members.filter(\.isRequired) + members.filter { !$0.isRequired })
    for name in required where rule.member(named: name) == nil {
      throw fault("has a field that is not in properties", at: "required")
    }
    rule.others = try others(&reader)
    (rule.minimumCount, rule.maximumCount) = try reader.range("minProperties", "maxProperties")
    return rule
  }

  /// Nil if other members are refused, which is the default here.
  private mutating func others(_ reader: inout KeywordReader) throws(RecordError) -> ValueSchema? {
    switch reader.take("additionalProperties") {
    case nil, .bool(false): return nil
    case .object(let schema):
      return try inside("additionalProperties") { (parser: inout SchemaParser) throws(RecordError) in
        try parser.value(schema)
      }
    default:
      throw fault(
        "must be false or a schema: a field that is not described is not stored in clear", at: "additionalProperties")
    }
  }

  private mutating func referring(_ reader: inout KeywordReader) throws(RecordError) -> ValueSchema {
    guard let reference = try reader.text("$ref") else { throw fault("must be text", at: "$ref") }
    return try referenced(reference)
  }

  /// Reads the definition again for each reference. Its faults have the path of the reference.
  private mutating func referenced(_ reference: String) throws(RecordError) -> ValueSchema {
    let prefix = "#/$defs/"
    guard reference.hasPrefix(prefix),
      let target = root["$defs"]?[String(reference.dropFirst(prefix.count)).unescapedFromPointer]?.object
    else { throw fault("does not lead to a schema in $defs: only #/$defs/NAME is followed", at: "$ref") }
    guard !references.contains(reference) else { throw fault("must not refer to itself", at: "$ref") }
    references.append(reference)
    defer { references.removeLast() }
    return try value(target)
  }

  /// Refuses contradictions, and secrets that would stand in the header.
  private func check(_ value: ValueSchema) throws(RecordError) {
    if value.isSealed {
      guard !value.isNullable else { throw fault("a sealed field has a value or is absent: it cannot be null") }
      guard value.initial == nil else { throw fault("a default would be readable in the header", at: "default") }
      guard value.allowed?.count != 1 else { throw fault("the only value would be readable in the header") }
    } else if case .any = value.form {
      throw fault("must have a type: only a sealed field can hold any value")
    }
    // The listed values need not be searched in their own list.
    var rules = value
    rules.allowed = nil
    for allowed in value.allowed ?? [] { try check(allowed, fits: rules, at: "enum") }
    if let initial = value.initial { try check(initial, fits: value, at: "default") }
  }

  private func check(_ constant: JSONValue, fits value: ValueSchema, at keyword: String) throws(RecordError) {
    var reader = InputReader(kind: "")
    do throws(RecordError) {
      _ = try reader.read(constant, as: value)
    } catch {
      throw fault("has a value that the field cannot have", at: keyword)
    }
  }

  /// Runs `body` with these names at the end of `path`, which is then as before.
  private mutating func inside<Result>(
    _ names: String..., body: (inout SchemaParser) throws(RecordError) -> Result
  ) throws(RecordError) -> Result {
    let outer = path
    path.components += names.map { .member($0) }
    defer { path = outer }
    return try body(&self)
  }

  private func fault(_ reason: String, at names: String...) -> RecordError {
    let place = MemberPath(path.components + names.map { .member($0) })
    return RecordError(.invalidSchema, reason, path: place.components.isEmpty ? "" : place.description)
  }
}

extension JSONValue {
  /// The type's name in JSON Schema.
  fileprivate var schemaType: String? {
    switch self {
    case .null: nil
    case .bool: "boolean"
    case .number(let number): DecimalValue(number).isWhole ? "integer" : "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}

extension String {
  /// As a token of a JSON Pointer (RFC 6901).
  fileprivate var escapedForPointer: String { replacing("~", "~0").replacing("/", "~1") }

  fileprivate var unescapedFromPointer: String { replacing("~1", "/").replacing("~0", "~") }

  private func replacing(_ part: String, _ other: String) -> String {
    var result = ""
    var rest = self[...]
    while !rest.isEmpty {
      if rest.utf8.starts(with: part.utf8) {
        result += other
        rest = rest.dropFirst(part.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result
  }
}
