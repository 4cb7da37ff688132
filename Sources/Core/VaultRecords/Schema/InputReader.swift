internal import VaultDocument

/// Reads clear input by a description: checks it and converts it to its stored form.
///
/// It throws the first fault, without the value.
struct InputReader {
  private let kind: String
  /// Whether members that the kind does not have are collected rather than refused.
  private let keepsUnknown: Bool
  private(set) var unknown: [(path: MemberPath, value: JSONValue)] = []
  private var path = MemberPath.root

  init(kind: String, keepsUnknown: Bool = false) {
    self.kind = kind
    self.keepsUnknown = keepsUnknown
  }

  /// The stored form of a value whose place is `path`; the caller then finds collected members in ``unknown``.
  mutating func read(
    _ value: JSONValue, as schema: ValueSchema, at path: MemberPath = .root
  ) throws(RecordError) -> JSONValue {
    self.path = path
    return try self.value(value, schema)
  }

  private mutating func value(_ value: JSONValue, _ schema: ValueSchema) throws(RecordError) -> JSONValue {
    let value = schema.moment(of: value)
    if let fault = schema.fault(in: value) { throw RecordError(fault.code, fault.reason, path: path.description) }
    switch (schema.form, value) {
    case (.object(let rule), .object(let members)): return .object(try object(members, rule))
    case (.list(let rule), .array(let items)): return .array(try list(items, rule))
    case (.text(let rule), _): return rule.stored(value)
    default: return value
    }
  }

  private mutating func list(_ items: [JSONValue], _ rule: ListRule) throws(RecordError) -> [JSONValue] {
    var result: [JSONValue] = []
    result.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      path.components.append(.index(index))
      result.append(try value(item, rule.items))
      path.components.removeLast()
    }
    return result
  }

  /// Missing members get their default; a required one without a default is refused.
  private mutating func object(_ members: JSONObject, _ rule: ObjectRule) throws(RecordError) -> JSONObject {
    var result = try members.compactMapValues { name, value throws(RecordError) in
      path.components.append(.member(name))
      let stored = try member(name, value: value, rule: rule)
      path.components.removeLast()
      return stored
    }
    for index in rule.members.indices {
      let name = rule.members[index].name
      guard result[name] == nil else { continue }
      if let initial = rule.members[index].value.initial {
        result[name] = initial
      } else if rule.members[index].isRequired {
        throw RecordError(.missingMember, "is required", path: path.appending(name).description)
      }
    }
    return result
  }

  /// The stored value of a member; nil if nothing is stored.
  private mutating func member(
    _ name: String, value: JSONValue, rule: ObjectRule
  ) throws(RecordError) -> JSONValue? {
    if let index = rule.index(of: name) {
      let schema = rule.members[index].value
      // For a required member, the check of the object then reports that it is missing.
      return value.isNull && !schema.isNullable ? nil : try self.value(value, schema)
    }
    if let others = rule.others { return try self.value(value, others) }
    guard keepsUnknown else {
      throw RecordError(.unknownMember, "is not a field of the kind \(kind)", path: path.description)
    }
    unknown.append((path, value))
    return nil
  }
}

extension TextRule {
  /// The stored form of text: digits as text, moments as format 1 writes them.
  fileprivate func stored(_ value: JSONValue) -> JSONValue {
    switch value {
    case .number(let number): .string(number.literal)
    case .string(let text) where format == .dateTime: (try? Timestamp(parsing: text)).map { .string($0.text) } ?? value
    default: value
    }
  }
}

extension ValueSchema {
  /// Converts a number to its moment; other values stay unchanged.
  fileprivate func moment(of value: JSONValue) -> JSONValue {
    guard case .text(let rule) = form, rule.takesReferenceSeconds, case .number(let number) = value else {
      return value
    }
    return Timestamp(secondsSince2001: number).map { .string($0.text) } ?? value
  }
}

extension Timestamp {
  /// Seconds since 2001-01-01T00:00:00Z, to the millisecond; nil outside the allowed years.
  init?(secondsSince2001 number: JSONNumber) {
    guard let seconds = Double(number.literal), abs(seconds) < 1e12 else { return nil }
    let milliseconds = Int64((seconds * 1000).rounded()) + 978_307_200_000
    let rest = ((milliseconds % 1000) + 1000) % 1000
    guard
      let time = try? Timestamp(secondsSinceEpoch: (milliseconds - rest) / 1000, nanoseconds: Int32(rest) * 1_000_000)
    else { return nil }
    self = time
  }
}
