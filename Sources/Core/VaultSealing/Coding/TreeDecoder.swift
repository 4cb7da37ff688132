#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
package import VaultDocument

/// Decodes values from JSON trees, without text in between.
///
/// It accepts and refuses the same trees as `JSONDecoder.opening(with:)` does as text.
package struct TreeDecoder: Sendable {
  let context: SealingContext?
  let style: KeyStyle?

  /// - Parameters:
  ///   - context: opens sealed members; nil for values without sealed members.
  ///   - style: the style of names in the tree; nil for the names of the type.
  package init(openingWith context: SealingContext? = nil, style: KeyStyle? = nil) {
    (self.context, self.style) = (context, style)
  }

  package func decode<Value: Decodable>(_ type: Value.Type = Value.self, from tree: JSONValue) throws -> Value {
    let userInfo: [CodingUserInfoKey: Any] = context.map { [SealingContext.userInfoKey.key: $0] } ?? [:]
    return try ValueDecoder(tree, userInfo: userInfo, style: style, place: .top).decode(type)
  }
}

/// The position of a decoder, which only errors need.
private final class Place {
  let parent: Place?
  let key: any CodingKey

  static var top: Place? { nil }

  init(_ parent: Place?, _ key: any CodingKey) {
    self.parent = parent
    self.key = key
  }
}

extension Place? {
  var path: [any CodingKey] { map { $0.parent.path + [$0.key] } ?? [] }
}

private struct ValueDecoder: Decoder, ExactDecoder {
  let tree: JSONValue
  let userInfo: [CodingUserInfoKey: Any]
  let style: KeyStyle?
  let place: Place?
  /// Whether the decoded value is a dictionary.
  private var isMap = false

  init(_ tree: JSONValue, userInfo: [CodingUserInfoKey: Any], style: KeyStyle?, place: Place?) {
    self.tree = tree
    self.userInfo = userInfo
    self.style = style
    self.place = place
  }

  /// The name of a member in the tree.
  func name(_ key: some CodingKey) -> String {
    guard let style, !isMap else { return key.stringValue }
    return style.name(for: key.stringValue)
  }

  /// The key of a member of the tree; nil if the type does not have it.
  func key<Key: CodingKey>(named name: String) -> Key? {
    guard style != nil, !isMap else { return Key(stringValue: name) }
    return Key(stringValue: KeyStyle.camel.name(for: name)) ?? Key(stringValue: name)
  }

  var codingPath: [any CodingKey] { place.path }

  func at(_ key: any CodingKey, _ tree: JSONValue) -> ValueDecoder {
    ValueDecoder(tree, userInfo: userInfo, style: style, place: Place(place, key))
  }

  // Most records have keys of this type. Without this specialisation, containers are looked up at run time, one by one.
  @_specialize(where Key == AnyCodingKey)
  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = tree else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(TreeMembers(decoder: self, members: members))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let items) = tree else { throw mismatch([Any].self) }
    return TreeItems(decoder: self, items: items)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { TreeScalar(decoder: self) }

  func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: "is of another type")
    return tree.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  func corrupted(_ reason: String, _ underlying: (any Error)? = nil) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath, debugDescription: reason, underlyingError: underlying))
  }

  func text(for type: Any.Type) throws -> String {
    guard case .string(let text) = tree else { throw mismatch(type) }
    return text
  }

  func literal(for type: Any.Type) throws -> String {
    guard case .number(let number) = tree else { throw mismatch(type) }
    return number.literal
  }

  func number<Number: LosslessStringConvertible & BinaryFloatingPoint>(_ type: Number.Type) throws -> Number {
    guard let number = try Number(literal(for: type)), number.isFinite else { throw corrupted("is too large") }
    return number
  }

  /// An integer, which may be written with an exponent or a zero fraction.
  func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    let literal = try literal(for: type)
    if let number = Number(literal) { return number }
    let isWhole = literal.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0 &- UInt8(ascii: "0") < 10 }
    guard !isWhole, let number = Double(literal).flatMap(Number.init(exactly:)) else {
      throw corrupted("is not a whole number of \(Number.bitWidth) bits")
    }
    return number
  }

  /// A value of any type; some types have a special form in JSON.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let own: (any Decodable)? =
      if type == String.self {
        try text(for: type)
      } else if type == JSONValue.self {
        tree
      } else if type == Date.self {
        try date()
      } else if type == Data.self {
        try data()
      } else if type == URL.self {
        try url()
      } else if type == Decimal.self {
        try decimal()
      } else {
        nil
      }
    // Nil with another type would pass for an optional type.
    if let own, let value = own as? Value { return value }
    guard style != nil, type is any UserNamed.Type else { return try Value(from: self) }
    var map = self
    map.isMap = true
    return try Value(from: map)
  }

  private func date() throws -> Date {
    let text = try text(for: Date.self)
    do throws(DocumentError) {
      return Date(try Timestamp(parsing: text))
    } catch {
      throw corrupted(error.reason, error)
    }
  }

  private func data() throws -> Data {
    guard let bytes = try? Base64.decode(text(for: Data.self)) else { throw corrupted("is not base64") }
    return Data(bytes)
  }

  private func url() throws -> URL {
    guard let url = try URL(string: text(for: URL.self)) else { throw corrupted("is not an address") }
    return url
  }

  private func decimal() throws -> Decimal {
    guard let number = try Decimal(string: literal(for: Decimal.self)) else {
      throw corrupted("is not a decimal number")
    }
    return number
  }
}

private struct TreeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ValueDecoder
  let members: JSONObject
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { members.compactMap { decoder.key(named: $0.name) } }

  func contains(_ key: Key) -> Bool { members[decoder.name(key)] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try (members[decoder.name(key)] ?? member(key).tree).isNull }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    if case .string(let text)? = members[decoder.name(key)] { return text }
    return try member(key).text(for: type)
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try member(key).decode(type)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    guard let tree = members[decoder.name(key)], !tree.isNull else { return nil }
    return try decoder.at(key, tree).text(for: type)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let tree = members[decoder.name(key)], !tree.isNull else { return nil }
    return try decoder.at(key, tree).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  /// If the object of a superclass is missing, it is decoded from null, as in other decoders.
  func superDecoder() throws -> any Decoder { decoder.at(AnyCodingKey("super"), members["super"] ?? .null) }

  func superDecoder(forKey key: Key) throws -> any Decoder { decoder.at(key, members[decoder.name(key)] ?? .null) }

  private func member(_ key: Key) throws -> ValueDecoder {
    guard let tree = members[decoder.name(key)] else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "is missing"))
    }
    return decoder.at(key, tree)
  }
}

private struct TreeItems: UnkeyedDecodingContainer {
  let decoder: ValueDecoder
  let items: [JSONValue]
  var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { items.count }
  var isAtEnd: Bool { currentIndex == items.count }

  init(decoder: ValueDecoder, items: [JSONValue]) {
    self.decoder = decoder
    self.items = items
  }

  private func item(for type: Any.Type) throws -> ValueDecoder {
    let key = AnyCodingKey(currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, .init(codingPath: codingPath + [key], debugDescription: "the array has ended"))
    }
    return decoder.at(key, items[currentIndex])
  }

  /// Moves to the next item only if this one could be read.
  private mutating func taking<Value>(
    _ type: Any.Type, _ read: (ValueDecoder) throws -> Value
  ) throws -> Value {
    let value = try read(item(for: type))
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard try item(for: Never.self).tree.isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try taking(type) { try $0.decode(type) }
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try taking(type) { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try taking([Any].self) { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try taking((any Decoder).self) { $0 } }
}

/// The scalars, from which types of the standard library decode themselves.
private struct TreeScalar: SingleValueDecodingContainer {
  let decoder: ValueDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.tree.isNull }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .bool(let flag) = decoder.tree else { throw decoder.mismatch(type) }
    return flag
  }

  func decode(_ type: String.Type) throws -> String { try decoder.text(for: type) }
  func decode(_ type: Double.Type) throws -> Double { try decoder.number(type) }
  func decode(_ type: Float.Type) throws -> Float { try decoder.number(type) }
  func decode(_ type: Int.Type) throws -> Int { try decoder.integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(type) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
}
