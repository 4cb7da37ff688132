internal import VaultDocument
internal import VaultSealing

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A decoder that gives a type a sample of everything it asks for, and notes the request.
struct SchemaRecorder: Decoder, ExactDecoder {
  let value: RecordedValue
  let recording: Recording
  /// The types that are being decoded, the outermost first, and their places.
  private let types: [(type: any Any.Type, value: RecordedValue)]
  let userInfo: [CodingUserInfoKey: Any] = [.sealingContext: SchemaRecorder.context]
  var codingPath: [any CodingKey] { [] }

  private static let context = SealingContext.locked.reading(.clearText)

  init(_ value: RecordedValue, of type: any Any.Type, in recording: Recording) {
    self.init(value, types: [(type, value)], recording: recording)
  }

  private init(
    _ value: RecordedValue, types: [(type: any Any.Type, value: RecordedValue)], recording: Recording
  ) {
    (self.value, self.types, self.recording) = (value, types, recording)
  }

  /// The type that owns these containers.
  var type: (any Any.Type)? { types.last?.type }

  func part(_ value: RecordedValue) -> SchemaRecorder { SchemaRecorder(value, types: types, recording: recording) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try recording.require(value, as: .object([]), [String: Any].self)
    value.beginObject()
    return KeyedDecodingContainer(RecordedMembers<Key>(recorder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try recording.require(value, as: .list(of: .text), [Any].self)
    return RecordedItems(recorder: part(value.items()))
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { RecordedScalar(recorder: self) }

  /// Whether to stop because a type contains itself or types are nested too deeply. If so, the value is noted as any
  /// value.
  func ends(before type: any Any.Type) -> Bool {
    let outer = types.first { $0.type == type } ?? (types.count > Recording.depthLimit ? types.first : nil)
    guard let outer else { return false }
    value.repeated = outer.value
    value.take(ValueSchema(.any))
    return true
  }

  /// A sample of any type, after its request was noted in `value`. Errors of the type and the refusal of a probe are
  /// thrown.
  func sample<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try recording.ask(for: value)
    if let given = value.given { return try Self.example(of: type, given) }
    if let described = type as? any MemberValue.Type { value.take(described.described) }
    guard let own = try sampleWithoutDecoding(type), let sample = own as? Value else {
      guard !ends(before: type) else { throw Recording.endless }
      return try Value(from: SchemaRecorder(value, types: types + [(type, value)], recording: recording))
    }
    return sample
  }

  /// The result is a sample of a type that must not decode itself, and its schema is noted. Other types give nil.
  private func sampleWithoutDecoding<Value: Decodable>(_ type: Value.Type) throws -> (any Decodable)? {
    switch type {
    case let type as any SampledType.Type: try type.sample(self)
    case is Date.Type: try noted(Date(timeIntervalSinceReferenceDate: 0), .moment)
    case is URL.Type: try URL(string: "https://example.com").map { try noted($0, .url) }
    case is UUID.Type: try noted(UUID(), .text)
    case is Data.Type: try noted(Data(), .text)
    case is Decimal.Type: try noted(Decimal(), ValueSchema(.number(NumberRule())))
    default: try oneCase(of: type)
    }
  }

  /// Notes the schema and returns the sample, unless this probe refuses the value.
  private func noted<Value: Decodable>(_ value: Value, _ schema: ValueSchema) throws -> Value {
    try recording.require(self.value, as: schema, Value.self)
    self.value.take(schema)
    return value
  }

  /// A case of an enum of texts or numbers, noting all cases as the only allowed values.
  private func oneCase<Value: Decodable>(of type: Value.Type) throws -> (any Decodable)? {
    func all<Cases: CaseIterable>(_ type: Cases.Type) -> [Any] { Array(type.allCases) }
    let cases = (type as? any CaseIterable.Type).map { all($0) } ?? EnumCases.all(of: type)
    let coded = cases.compactMap { one -> (any Decodable, JSONValue)? in
      guard let coded = one as? any Codable, let tree = try? TreeEncoder().encode(coded) else { return nil }
      return (coded, tree)
    }
    guard !coded.isEmpty else { return nil }
    let isText = coded.allSatisfy { $0.1.string != nil }
    guard isText || coded.allSatisfy({ $0.1.int != nil }) else { return nil }
    var schema = isText ? ValueSchema.text : Int.described
    schema.allowed = coded.map(\.1)
    try recording.require(value, as: schema, type)
    value.take(schema)
    return coded[recording.choose(coded.count)].0
  }

  /// A value of a type that is described, decoded from the first of the examples that it accepts; an error if there is
  /// no such example.
  private static func example<Value: Decodable>(of type: Value.Type, _ schema: ValueSchema) throws -> Value {
    for tree in schema.examples {
      if let value = try? TreeDecoder(openingWith: context).decode(type, from: tree) { return value }
    }
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "takes none of the examples"))
  }
}

extension ValueSchema {
  /// Values that may be valid.
  fileprivate var examples: [JSONValue] {
    let usual: [JSONValue] =
      switch form {
      case .text: ["", "a", "0", "https://example.com", "2001-01-01T00:00:00Z"].map { .string($0) }
      case .integer, .number: [0, 1].map { .number(JSONNumber($0)) }
      case .bool: [.bool(false)]
      case .list: [.array([])]
      case .object: [.object(JSONObject())]
      case .any: [.null, .object(JSONObject()), .array([]), .string(""), .number(JSONNumber(0))]
      }
    return [example, initial].compactMap(\.self) + (allowed ?? []) + usual
  }
}

private struct RecordedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let recorder: SchemaRecorder
  var codingPath: [any CodingKey] { [] }

  /// One of the possible keys, a different one in each run. An enum of Swift decides its case this way; other uses
  /// cannot be recognised.
  var allKeys: [Key] {
    let keys = EnumCases.all(of: Key.self)
    let isCase = recorder.type.flatMap(EnumCases.count) == keys.count
    if !isCase { recorder.value.isOpen = true }
    return keys.isEmpty ? [] : [keys[recorder.recording.choose(keys.count)]]
  }

  func contains(_ key: Key) -> Bool {
    value(key).isOptional = true
    return true
  }

  func decodeNil(forKey key: Key) -> Bool { false }

  private func value(_ key: Key) -> RecordedValue { recorder.recording.member(key.stringValue, of: recorder.value) }

  private func member(_ key: Key) -> SchemaRecorder { recorder.part(value(key)) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try member(key).sample(type) }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    _ = contains(key)
    return try member(key).sample(Value?.self)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try asked(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try asked(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try asked(recorder.value.member("super")) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try asked(key) }

  private func asked(_ key: Key) throws -> SchemaRecorder { try asked(value(key)) }

  private func asked(_ value: RecordedValue) throws -> SchemaRecorder {
    try recorder.recording.ask(for: value)
    return recorder.part(value)
  }
}

/// Gives one item, so that the type of items becomes known.
private struct RecordedItems: UnkeyedDecodingContainer {
  let recorder: SchemaRecorder
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { [] }
  var count: Int? { 1 }
  var isAtEnd: Bool { currentIndex > 0 }

  init(recorder: SchemaRecorder) { self.recorder = recorder }

  /// The limit for a type that reads until the first error.
  private static let limit = 64

  private mutating func next() throws -> SchemaRecorder {
    guard currentIndex < Self.limit else { throw Recording.endless }
    currentIndex += 1
    return recorder
  }

  private mutating func asked() throws -> SchemaRecorder {
    try recorder.recording.ask(for: recorder.value)
    return try next()
  }

  mutating func decodeNil() -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().sample(type) }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try asked().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try asked().unkeyedContainer() }

  mutating func superDecoder() throws -> any Decoder { try asked() }
}

/// The scalars, where each type of the standard library ends.
private struct RecordedScalar: SingleValueDecodingContainer {
  let recorder: SchemaRecorder
  var codingPath: [any CodingKey] { [] }

  private func note<Value>(_ value: Value, _ schema: ValueSchema) throws -> Value {
    try recorder.recording.require(recorder.value, as: schema, Value.self)
    recorder.value.take(schema)
    return value
  }

  private var number: ValueSchema { ValueSchema(.number(NumberRule())) }

  func decodeNil() -> Bool { false }
  func decode(_ type: Bool.Type) throws -> Bool { try note(false, .bool) }
  func decode(_ type: String.Type) throws -> String { try note("", .text) }
  func decode(_ type: Double.Type) throws -> Double { try note(0, number) }
  func decode(_ type: Float.Type) throws -> Float { try note(0, number) }
  func decode(_ type: Int.Type) throws -> Int { try note(0, Int.described) }
  func decode(_ type: Int8.Type) throws -> Int8 { try note(0, Int.described) }
  func decode(_ type: Int16.Type) throws -> Int16 { try note(0, Int.described) }
  func decode(_ type: Int32.Type) throws -> Int32 { try note(0, Int.described) }
  func decode(_ type: Int64.Type) throws -> Int64 { try note(0, Int.described) }
  func decode(_ type: UInt.Type) throws -> UInt { try note(0, Int.described) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try note(0, Int.described) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try note(0, Int.described) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try note(0, Int.described) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try note(0, Int.described) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try recorder.sample(type) }
}
