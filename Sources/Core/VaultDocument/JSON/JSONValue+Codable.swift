extension JSONValue: Codable {
  /// Reads any value of any decoder.
  ///
  /// A decoder gives numbers, not literals: 64-bit integers are exact, others become a `Double`.
  ///
  /// - Throws: `DecodingError` for types that JSON does not have, such as the dates and data of a property list.
  public init(from decoder: any Decoder) throws {
    if (try? decoder.container(keyedBy: AnyCodingKey.self)) != nil {
      // Key strategies do not rename the keys of a dictionary.
      let members = try decoder.singleValueContainer().decode([String: JSONValue].self)
      self = .object(try JSONObject(members.map { ($0.key, $0.value) }))
    } else if var items = try? decoder.unkeyedContainer() {
      var values: [JSONValue] = []
      while !items.isAtEnd { values.append(try items.decode(JSONValue.self)) }
      self = .array(values)
    } else {
      try self.init(scalar: decoder)
    }
  }

  private init(scalar decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let number = try Self.number(in: container) {
      self = .number(number)
    } else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "is not a JSON value"))
    }
  }

  private static func number(in container: any SingleValueDecodingContainer) throws -> JSONNumber? {
    if let number = try? container.decode(Int64.self) { return JSONNumber(literal: String(number)) }
    if let number = try? container.decode(UInt64.self) { return JSONNumber(literal: String(number)) }
    return (try? container.decode(Double.self)).flatMap { JSONNumber(literal: $0.description) }
  }

  /// Gives the tree to any encoder. Key strategies do not change its names.
  ///
  /// - Throws: `EncodingError`, without the value, for a number that is neither a 64-bit integer nor a finite `Double`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .number(let number): try number.encode(to: &container)
    case .string(let text): try container.encode(text)
    case .array(let items): try container.encode(items)
    case .object(let object):
      try container.encode(Dictionary(uniqueKeysWithValues: object.map { ($0.name, $0.value) }))
    }
  }
}

extension JSONNumber {
  /// Whether it is a 64-bit integer or a finite `Double`, which encoders other than our writer can take.
  public var isMachineNumber: Bool { Int64(literal) != nil || UInt64(literal) != nil || double != nil }

  /// Nil for integers, which a `Double` would round silently.
  private var double: Double? {
    let isInteger = literal.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0 &- UInt8(ascii: "0") < 10 }
    return isInteger ? nil : Double(literal).flatMap { $0.isFinite ? $0 : nil }
  }

  fileprivate func encode(to container: inout any SingleValueEncodingContainer) throws {
    if let integer = Int64(literal) {
      try container.encode(integer)
    } else if let integer = UInt64(literal) {
      try container.encode(integer)
    } else if let double {
      try container.encode(double)
    } else {
      throw EncodingError.invalidValue(
        "<number>", .init(codingPath: container.codingPath, debugDescription: "is a number of more than 64 bits"))
    }
  }
}
