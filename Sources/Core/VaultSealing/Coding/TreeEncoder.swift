#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
package import VaultDocument

/// Encodes values as JSON trees, without text in between.
///
/// The tree equals the parsed output of `JSONEncoder.sealing(with:)`: dates are ISO 8601 to the millisecond, data is
/// base64.
package struct TreeEncoder: Sendable {
  let context: SealingContext?
  let style: KeyStyle?

  /// - Parameters:
  ///   - context: seals sealed members; nil for values without sealed members.
  ///   - style: the style of member names; nil for the names of the type. Names in dictionaries stay unchanged.
  package init(sealingWith context: SealingContext? = nil, style: KeyStyle? = nil) {
    (self.context, self.style) = (context, style)
  }

  /// An `EncodingError` has the path of the member. A value that encodes nothing is refused.
  package func encode(_ value: some Encodable) throws -> JSONValue {
    let userInfo: [CodingUserInfoKey: Any] = context.map { [SealingContext.userInfoKey.key: $0] } ?? [:]
    let outer = NodeEncoder(node: TreeNode(), userInfo: userInfo, style: style)
    guard let tree = try TreeNode.Content(value, outer).value() else {
      throw EncodingError.invalidValue("<value>", .init(codingPath: [], debugDescription: "does not encode a value"))
    }
    return tree
  }
}

/// A collection whose keys are chosen by its user and are not renamed.
protocol UserNamed {}

extension Dictionary: UserNamed {}

/// The value that one encoder fills, through as many containers as a type asks for.
private final class TreeNode {
  /// A finished value, or one that may still be filled.
  enum Content {
    case done(JSONValue)
    case open(TreeNode)
  }
  struct Member {
    let name: String
    let content: Content
  }
  var scalar: JSONValue?
  var members: [Member]?
  var items: [Content]?

  /// Nil if nothing was encoded, which counts as an empty object inside another value.
  func value() throws -> JSONValue? {
    if let members { return .object(try Self.object(members)) }
    if let items { return .array(try items.map { try $0.value() ?? .object(JSONObject()) }) }
    return scalar
  }

  /// The members in the order of their names; the later of two with one name wins.
  private static func object(_ members: [Member]) throws -> JSONObject {
    var object = JSONObject()
    for member in members { object[member.name] = try member.content.value() ?? .object(JSONObject()) }
    return object
  }

  /// The node of a nested container, which a type may ask for again.
  func nested(_ name: String) -> TreeNode {
    for member in members ?? [] where member.name == name {
      if case .open(let node) = member.content { return node }
    }
    let node = TreeNode()
    put(.open(node), name)
    return node
  }

  func put(_ content: Content, _ name: String) { members?.append(Member(name: name, content: content)) }

  func nestedItem() -> TreeNode {
    let node = TreeNode()
    items?.append(.open(node))
    return node
  }
}

extension TreeNode.Content {
  /// Lets the value encode itself, unless it has a special form. Errors have no key of their own in their path.
  fileprivate init<Value: Encodable>(_ value: Value, _ outer: NodeEncoder) throws {
    if let tree = try Self.tree(of: value) {
      self = .done(tree)
      return
    }
    let node = TreeNode()
    var encoder = outer.nested(node)
    encoder.isMap = outer.style != nil && value is any UserNamed
    try value.encode(to: encoder)
    self = .open(node)
  }

  func value() throws -> JSONValue? {
    switch self {
    case .done(let value): value
    case .open(let node): try node.value()
    }
  }

  /// The content of a member or of an item. Errors get its key into their path.
  fileprivate init<Value: Encodable>(_ value: Value, _ outer: NodeEncoder, at key: AnyCodingKey) throws {
    do {
      try self.init(value, outer)
    } catch EncodingError.invalidValue(let value, let context) {
      throw EncodingError.invalidValue(
        value,
        .init(
          codingPath: [key] + context.codingPath, debugDescription: context.debugDescription,
          underlyingError: context.underlyingError))
    }
  }

  /// The tree of types that have a special form in JSON; nil for all others.
  private static func tree<Value: Encodable>(of value: Value) throws -> JSONValue? {
    if Value.self == String.self, let text = value as? String { return .string(text) }
    if Value.self == JSONValue.self, let tree = value as? JSONValue { return tree }
    if Value.self == Date.self, let date = value as? Date {
      guard let timestamp = Timestamp(date) else { throw EncodingError.invalidDate([]) }
      return .string(timestamp.text)
    }
    if Value.self == Data.self, let data = value as? Data { return .string(Base64.encode([UInt8](data))) }
    if Value.self == URL.self, let url = value as? URL { return .string(url.absoluteString) }
    if Value.self == Decimal.self, let number = value as? Decimal { return try .number(literal: number.description) }
    return nil
  }
}

extension JSONValue {
  fileprivate static func number(literal: String) throws -> JSONValue {
    guard let number = JSONNumber(literal: literal) else {
      throw EncodingError.invalidValue("<number>", .init(codingPath: [], debugDescription: "is not a JSON number"))
    }
    return .number(number)
  }

  /// A finite number, without a zero fraction.
  fileprivate static func number(_ number: some BinaryFloatingPoint & CustomStringConvertible) throws -> JSONValue {
    let text = number.description
    return try self.number(literal: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }
}

private struct NodeEncoder: Encoder {
  let node: TreeNode
  let userInfo: [CodingUserInfoKey: Any]
  let style: KeyStyle?
  /// Whether the encoded value is a dictionary.
  var isMap = false
  /// Empty, because encoders do not track their position; errors collect the path on their way out.
  var codingPath: [any CodingKey] { [] }

  // As in the decoder.
  @_specialize(where Key == AnyCodingKey)
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if node.members == nil { node.members = [] }
    return KeyedEncodingContainer(NodeMembers(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if node.items == nil { node.items = [] }
    return NodeItems(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { NodeScalar(encoder: self) }

  func nested(_ node: TreeNode) -> NodeEncoder { NodeEncoder(node: node, userInfo: userInfo, style: style) }

  /// The name of a member in the tree.
  func name(_ key: some CodingKey) -> String {
    guard let style, !isMap else { return key.stringValue }
    return style.name(for: key.stringValue)
  }
}

private struct NodeMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: NodeEncoder
  var codingPath: [any CodingKey] { [] }

  private func put(_ value: JSONValue, _ key: Key) { encoder.node.put(.done(value), encoder.name(key)) }

  func encodeNil(forKey key: Key) throws { put(.null, key) }
  func encode(_ value: Bool, forKey key: Key) throws { put(.bool(value), key) }
  func encode(_ value: String, forKey key: Key) throws { put(.string(value), key) }
  func encode(_ value: Int, forKey key: Key) throws { put(.number(JSONNumber(value)), key) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    let name = encoder.name(key)
    encoder.node.put(try TreeNode.Content(value, encoder, at: AnyCodingKey(name)), name)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder.nested(encoder.node.nested(encoder.name(key))).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.nested(encoder.node.nested(encoder.name(key))).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.nested(encoder.node.nested("super")) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.nested(encoder.node.nested(encoder.name(key))) }
}

private struct NodeItems: UnkeyedEncodingContainer {
  let encoder: NodeEncoder
  var codingPath: [any CodingKey] { [] }
  var count: Int { encoder.node.items?.count ?? 0 }

  func encodeNil() throws { encoder.node.items?.append(.done(.null)) }

  func encode(_ value: some Encodable) throws {
    let content = try TreeNode.Content(value, encoder, at: AnyCodingKey(count))
    encoder.node.items?.append(content)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder.nested(encoder.node.nestedItem()).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    encoder.nested(encoder.node.nestedItem()).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.nested(encoder.node.nestedItem()) }
}

/// The scalars, as which types of the standard library encode themselves.
private struct NodeScalar: SingleValueEncodingContainer {
  let encoder: NodeEncoder
  var codingPath: [any CodingKey] { [] }

  private func put(_ value: JSONValue) { encoder.node.scalar = value }

  func encodeNil() throws { put(.null) }
  func encode(_ value: Bool) throws { put(.bool(value)) }
  func encode(_ value: String) throws { put(.string(value)) }
  func encode(_ value: Double) throws { put(try .number(value)) }
  func encode(_ value: Float) throws { put(try .number(value)) }
  func encode(_ value: Int) throws { put(.number(JSONNumber(value))) }
  func encode(_ value: Int8) throws { put(try .number(literal: value.description)) }
  func encode(_ value: Int16) throws { put(try .number(literal: value.description)) }
  func encode(_ value: Int32) throws { put(try .number(literal: value.description)) }
  func encode(_ value: Int64) throws { put(try .number(literal: value.description)) }
  func encode(_ value: UInt) throws { put(try .number(literal: value.description)) }
  func encode(_ value: UInt8) throws { put(try .number(literal: value.description)) }
  func encode(_ value: UInt16) throws { put(try .number(literal: value.description)) }
  func encode(_ value: UInt32) throws { put(try .number(literal: value.description)) }
  func encode(_ value: UInt64) throws { put(try .number(literal: value.description)) }

  /// The value takes the place of the one that asked for this container.
  func encode<Value: Encodable>(_ value: Value) throws {
    switch try TreeNode.Content(value, encoder) {
    case .done(let tree): put(tree)
    case .open(let node):
      encoder.node.scalar = node.scalar
      encoder.node.members = node.members
      encoder.node.items = node.items
    }
  }
}
