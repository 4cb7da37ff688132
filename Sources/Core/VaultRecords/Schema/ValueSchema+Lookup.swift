public import VaultDocument

extension ValueSchema {
  /// The description of the value at a path below this one; nil if there is no such member.
  ///
  /// A path into a sealed value leads nowhere, because the value is stored as one token.
  public func value(at path: MemberPath) -> ValueSchema? {
    var schema = self
    for component in path.components {
      guard !schema.isSealed, let next = schema.child(component) else { return nil }
      schema = next
    }
    return schema
  }

  private func child(_ component: MemberPath.Component) -> ValueSchema? {
    switch (form, component) {
    case (.object(let rule), .member(let name)): rule.value(named: name)
    case (.list(let rule), .index): rule.items
    default: nil
    }
  }
}

/// A value of a kind that is not an object with named members, as shown by prompts and `kinds show`.
public struct RecordField: Sendable {
  /// Its path from the top; a list or a map is one field.
  public let path: MemberPath
  /// The suffix for the values in lists and maps: `[]`, `.*`, `[].name`; empty for a plain value.
  public let suffix: String
  /// The value; for one in a list or map, the item.
  public let value: ValueSchema
  /// Its name in prompts.
  public let label: String
  /// Whether every record has it.
  public let isRequired: Bool

  /// Whether it is stored as a token.
  public var isSealed: Bool { value.isSealed }
  /// Whether it is a single moment and not a list or map of moments.
  public var isDate: Bool { value.isMoment && suffix.isEmpty }
  /// The path for people: `urls[]`, `secrets.*`.
  public var pattern: String { (path.components.isEmpty && !suffix.isEmpty ? "" : path.description) + suffix }
}

extension ObjectRule {
  /// The values of the object one by one, in the order in which a person is asked for them.
  func fields() -> [RecordField] {
    var fields: [RecordField] = []
    Self.append(ValueSchema(.object(self)), label: "", at: .root, suffix: "", isRequired: true, to: &fields)
    return fields
  }

  private static func append(
    _ value: ValueSchema, label: String, at path: MemberPath, suffix: String, isRequired: Bool,
    to fields: inout [RecordField]
  ) {
    let label = value.title ?? label
    guard !value.isSealed else {
      return fields.append(
        RecordField(path: path, suffix: suffix, value: value, label: label, isRequired: isRequired))
    }
    switch value.form {
    case .object(let rule):
      for member in rule.inOrder {
        let isBelowList = !suffix.isEmpty
        append(
          member.value, label: member.name, at: isBelowList ? path : path.appending(member.name),
          suffix: isBelowList ? "\(suffix).\(member.name)" : "", isRequired: isRequired && member.isRequired,
          to: &fields)
      }
      if let others = rule.others {
        append(others, label: label, at: path, suffix: suffix + ".*", isRequired: false, to: &fields)
      }
    case .list(let rule):
      append(rule.items, label: label, at: path, suffix: suffix + "[]", isRequired: isRequired, to: &fields)
    default:
      fields.append(RecordField(path: path, suffix: suffix, value: value, label: label, isRequired: isRequired))
    }
  }
}
