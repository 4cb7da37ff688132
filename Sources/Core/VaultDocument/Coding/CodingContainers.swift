extension KeyedDecodingContainer {
  /// The member's value, or `fallback` if the member is missing or null. A value of another type is an error.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, forKey key: Key, default fallback: @autoclosure () -> Value
  ) throws -> Value {
    try decodeIfPresent(type, forKey: key) ?? fallback()
  }

  /// A value that is written as text: `decode(fromText: Double.self, forKey: "close")` reads `"86.49"`.
  ///
  /// - Throws: `DecodingError`, which does not hold the text.
  public func decode<Value: LosslessStringConvertible>(
    fromText type: Value.Type = Value.self, forKey key: Key
  ) throws -> Value {
    if let value = Value(try decode(String.self, forKey: key)) { return value }
    throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "is not a \(type) as text")
  }

  /// The nested object, or nil if the member is missing or null.
  public func nestedContainerIfPresent<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type = AnyCodingKey.self, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey>? {
    guard try contains(key) && !decodeNil(forKey: key) else { return nil }
    return try nestedContainer(keyedBy: type, forKey: key)
  }

  /// Calls `body` for each item of the nested array, in order, and returns the results; empty if the member is missing
  /// or null.
  ///
  /// `body` gets the array and must take one item from it.
  public func mapItems<Value>(
    forKey key: Key, _ body: (inout any UnkeyedDecodingContainer) throws -> Value
  ) throws -> [Value] {
    guard try contains(key) && !decodeNil(forKey: key) else { return [] }
    var items = try nestedUnkeyedContainer(forKey: key)
    var values: [Value] = []
    while !items.isAtEnd {
      let index = items.currentIndex
      values.append(try body(&items))
      precondition(items.currentIndex > index, "an item was read without being taken, which would never end")
    }
    return values
  }
}

extension Decoder {
  /// The nested object at the end of a chain of member names: `container(at: "rocket", "second_stage")`.
  public func container(at names: AnyCodingKey...) throws -> KeyedDecodingContainer<AnyCodingKey> {
    var container = try container(keyedBy: AnyCodingKey.self)
    for name in names { container = try container.nestedContainer(keyedBy: AnyCodingKey.self, forKey: name) }
    return container
  }
}

extension Encoder {
  /// A nested object at the end of a chain of member names. None of them may have been written before.
  public func container(at names: AnyCodingKey...) -> KeyedEncodingContainer<AnyCodingKey> {
    var container = container(keyedBy: AnyCodingKey.self)
    for name in names { container = container.nestedContainer(keyedBy: AnyCodingKey.self, forKey: name) }
    return container
  }
}
