public import VaultDocument
public import VaultRecords

extension RecordKind {
  /// The kind as a JSON Schema (2020-12): the given one of a declared kind, else an equivalent of the type.
  public var jsonSchema: JSONObject {
    if case .declared(let schema) = origin { return schema }
    var schema = ValueSchema(.object(content)).jsonSchema
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["x-kind"] = .string(name)
    schema["x-schema"] = .number(JSONNumber(self.schema))
    if !summary.isEmpty { schema["description"] = .string(summary) }
    if let title = titlePaths.first { schema["x-title"] = .string(title.description) }
    return schema
  }
}

extension ValueSchema {
  var jsonSchema: JSONObject {
    var schema = JSONObject()
    switch form {
    case .text(let rule): rule.write(to: &schema)
    case .integer(let rule): rule.write("integer", to: &schema)
    case .number(let rule): rule.write("number", to: &schema)
    case .bool: schema["type"] = "boolean"
    case .list(let rule): rule.write(to: &schema)
    case .object(let rule): rule.write(to: &schema)
    case .any: break
    }
    if isNullable, let type = schema["type"] { schema["type"] = .array([type, "null"]) }
    schema["enum"] = allowed.map { .array($0) }
    schema["default"] = initial
    schema["title"] = title.map { .string($0) }
    schema["description"] = summary.map { .string($0) }
    guard isSealed else { return schema }
    schema["x-sealed"] = true
    if secretSort != .text { schema["x-secret"] = .string(secretSort.rawValue) }
    schema["x-generate"] = generation.map { .string($0.text) }
    return schema
  }
}

extension TextRule {
  fileprivate func write(to schema: inout JSONObject) {
    schema["type"] = "string"
    schema["minLength"] = minimumLength.map { .number(JSONNumber($0)) }
    schema["maxLength"] = maximumLength.map { .number(JSONNumber($0)) }
    schema["pattern"] = pattern.map { .string($0.text) }
    if let format { schema[format == .base64 ? "contentEncoding" : "format"] = .string(format.rawValue) }
  }
}

extension NumberRule {
  fileprivate func write(_ type: String, to schema: inout JSONObject) {
    schema["type"] = .string(type)
    schema["minimum"] = minimum.map { .number($0) }
    schema["maximum"] = maximum.map { .number($0) }
    schema["exclusiveMinimum"] = exclusiveMinimum.map { .number($0) }
    schema["exclusiveMaximum"] = exclusiveMaximum.map { .number($0) }
  }
}

extension ListRule {
  fileprivate func write(to schema: inout JSONObject) {
    schema["type"] = "array"
    schema["items"] = .object(items.jsonSchema)
    schema["minItems"] = minimumCount.map { .number(JSONNumber($0)) }
    schema["maxItems"] = maximumCount.map { .number(JSONNumber($0)) }
  }
}

extension ObjectRule {
  fileprivate func write(to schema: inout JSONObject) {
    schema["type"] = "object"
    var properties = JSONObject()
    for member in members { properties[member.name] = .object(member.value.jsonSchema) }
    if !members.isEmpty { schema["properties"] = .object(properties) }
    let required = inOrder.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { schema["required"] = .array(required) }
    schema["additionalProperties"] = others.map { .object($0.jsonSchema) } ?? .bool(false)
    schema["minProperties"] = minimumCount.map { .number(JSONNumber($0)) }
    schema["maxProperties"] = maximumCount.map { .number(JSONNumber($0)) }
  }
}
