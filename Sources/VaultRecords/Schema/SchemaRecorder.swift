internal import VaultDocument
internal import VaultSealing

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What is known of one value.
final class RecordedValue {
  private enum Form {
    case unknown
    case value(ValueSchema)
    case object([(name: String, value: RecordedValue)])
    case list(RecordedValue)
    case map(RecordedValue)
  }

  private var form = Form.unknown
  /// Whether the type asked whether there is one.
  var isOptional = false

  var schema: ValueSchema? {
    switch form {
    case .unknown: nil
    case .value(let schema): schema
    case .object(let members):
      .object(
        members.compactMap { name, value in
          value.schema.map { MemberSchema(name, $0, required: !value.isOptional) }
        })
    case .list(let items): .list(of: items.schema ?? ValueSchema(.any))
    case .map(let values): .map(of: values.schema ?? ValueSchema(.any))
    }
  }

  /// The path of what was asked for last.
  var lastPath: String {
    switch form {
    case .object(let members):
      guard let (name, value) = members.last else { return "" }
      let rest = value.lastPath
      return rest.isEmpty ? name : name + "." + rest
    case .list(let items), .map(let items): return items.lastPath
    case .unknown, .value: return ""
    }
  }

  /// What a type says of itself counts more than how it is decoded.
  func take(_ schema: ValueSchema) { if case .unknown = form { form = .value(schema) } }

  func beginObject() { if case .unknown = form { form = .object([]) } }

  func member(_ name: String) -> RecordedValue {
    guard case .object(var members) = form else { return RecordedValue() }
    if let known = members.first(where: { sameBytes($0.name, name) }) { return known.value }
    let new = RecordedValue()
    members.append((name, new))
    form = .object(members)
    return new
  }

  func items() -> RecordedValue {
    if case .list(let items) = form { return items }
    let new = RecordedValue()
    if case .unknown = form { form = .list(new) }
    return new
  }

  func values() -> RecordedValue {
    let new = RecordedValue()
    if case .unknown = form { form = .map(new) }
    return new
  }
}

/// Gives a type something for whatever it asks for, and notes it.
struct SchemaRecorder: Decoder {
  let value: RecordedValue
  let userInfo: [CodingUserInfoKey: Any] = [.sealingContext: SchemaRecorder.context]
  var codingPath: [any CodingKey] { [] }

  /// Takes clear text, and seals nothing.
  private static let context = SealingContext.locked.reading(.clearText)

  init(_ value: RecordedValue) { self.value = value }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    value.beginObject()
    return KeyedDecodingContainer(RecordedMembers<Key>(value: value))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { RecordedItems(value: value.items()) }

  func singleValueContainer() -> any SingleValueDecodingContainer { RecordedScalar(recorder: self) }

  /// Something of a type.
  func sample<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let described = type as? any MemberValue.Type { value.take(described.described) }
    let own: (any Decodable)? =
      switch type {
      case let type as any SampledType.Type: try type.sample(self)
      case let type as any CaseIterable.Type: firstCase(type)
      case is Date.Type: Date(timeIntervalSinceReferenceDate: 0)
      case is URL.Type: URL(string: "https://example.com")
      case is UUID.Type: noted(UUID(), .text)
      case is Data.Type: noted(Data(), .text)
      case is Decimal.Type: noted(Decimal(), ValueSchema(.number(NumberRule())))
      default: nil
      }
    guard let own, let sample = own as? Value else { return try Value(from: self) }
    return sample
  }

  private func noted<Value: Decodable>(_ value: Value, _ schema: ValueSchema) -> Value {
    self.value.take(schema)
    return value
  }

  /// The first case of an enum that is text or numbers, with all of them as the only values there may be.
  private func firstCase(_ type: any CaseIterable.Type) -> (any Decodable)? {
    func values<Cases: CaseIterable>(_ type: Cases.Type) -> [(any Decodable, JSONValue)] {
      type.allCases.compactMap { one in
        guard let coded = one as? any Codable, let tree = try? TreeEncoder().encode(coded) else { return nil }
        return (coded, tree)
      }
    }
    let found = values(type)
    guard let first = found.first else { return nil }
    if found.allSatisfy({ $0.1.string != nil }) {
      var schema = ValueSchema.text
      schema.allowed = found.map(\.1)
      value.take(schema)
    } else if found.allSatisfy({ $0.1.int != nil }) {
      var schema = Int.described
      schema.allowed = found.map(\.1)
      value.take(schema)
    }
    return first.0
  }
}

/// A generic type that is not decoded to have one.
private protocol SampledType {
  static func sample(_ recorder: SchemaRecorder) throws -> any Decodable
}

extension Optional: SampledType where Wrapped: Decodable {
  fileprivate static func sample(_ recorder: SchemaRecorder) throws -> any Decodable {
    recorder.value.isOptional = true
    return try recorder.sample(Wrapped.self) as Wrapped?
  }
}

extension Dictionary: SampledType where Key == String, Value: Decodable {
  fileprivate static func sample(_ recorder: SchemaRecorder) throws -> any Decodable {
    ["name": try SchemaRecorder(recorder.value.values()).sample(Value.self)]
  }
}

extension Sealed: SampledType {
  fileprivate static func sample(_ recorder: SchemaRecorder) throws -> any Decodable {
    Sealed(try SchemaRecorder(RecordedValue()).sample(Value.self))
  }
}

extension EncryptedCodableString: SampledType {
  fileprivate static func sample(_ recorder: SchemaRecorder) throws -> any Decodable { EncryptedCodableString("") }
}

private struct RecordedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let value: RecordedValue
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool {
    value.member(key.stringValue).isOptional = true
    return true
  }

  func decodeNil(forKey key: Key) -> Bool { false }

  private func member(_ key: Key) -> SchemaRecorder { SchemaRecorder(value.member(key.stringValue)) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try member(key).sample(type) }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    _ = contains(key)
    return try member(key).sample(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedDecodingContainer<Nested> { member(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { member(key).unkeyedContainer() }

  func superDecoder() -> any Decoder { SchemaRecorder(value.member("super")) }

  func superDecoder(forKey key: Key) -> any Decoder { member(key) }
}

/// One item, so that it is known what items are.
private struct RecordedItems: UnkeyedDecodingContainer {
  let value: RecordedValue
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { [] }
  var count: Int? { 1 }
  var isAtEnd: Bool { currentIndex > 0 }

  init(value: RecordedValue) { self.value = value }

  private mutating func next() -> SchemaRecorder {
    currentIndex += 1
    return SchemaRecorder(value)
  }

  mutating func decodeNil() -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().sample(type) }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
    next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { next().unkeyedContainer() }

  mutating func superDecoder() -> any Decoder { next() }
}

/// Where each type of the standard library ends.
private struct RecordedScalar: SingleValueDecodingContainer {
  let recorder: SchemaRecorder
  var codingPath: [any CodingKey] { [] }

  private func note<Value>(_ value: Value, _ schema: ValueSchema) -> Value {
    recorder.value.take(schema)
    return value
  }

  private var number: ValueSchema { ValueSchema(.number(NumberRule())) }

  func decodeNil() -> Bool { false }
  func decode(_ type: Bool.Type) -> Bool { note(false, .bool) }
  func decode(_ type: String.Type) -> String { note("", .text) }
  func decode(_ type: Double.Type) -> Double { note(0, number) }
  func decode(_ type: Float.Type) -> Float { note(0, number) }
  func decode(_ type: Int.Type) -> Int { note(0, Int.described) }
  func decode(_ type: Int8.Type) -> Int8 { note(0, Int.described) }
  func decode(_ type: Int16.Type) -> Int16 { note(0, Int.described) }
  func decode(_ type: Int32.Type) -> Int32 { note(0, Int.described) }
  func decode(_ type: Int64.Type) -> Int64 { note(0, Int.described) }
  func decode(_ type: UInt.Type) -> UInt { note(0, Int.described) }
  func decode(_ type: UInt8.Type) -> UInt8 { note(0, Int.described) }
  func decode(_ type: UInt16.Type) -> UInt16 { note(0, Int.described) }
  func decode(_ type: UInt32.Type) -> UInt32 { note(0, Int.described) }
  func decode(_ type: UInt64.Type) -> UInt64 { note(0, Int.described) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try recorder.sample(type) }
}
