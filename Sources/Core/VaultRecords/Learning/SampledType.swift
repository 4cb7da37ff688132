internal import VaultDocument
internal import VaultSealing

/// A type whose samples are made without decoding.
protocol SampledType {
  /// A sample of this type, after its form was noted in the value of the recorder.
  static func sample(_ recorder: SchemaRecorder) throws -> any Decodable
}

extension Optional: SampledType where Wrapped: Decodable {
  static func sample(_ recorder: SchemaRecorder) throws -> any Decodable {
    recorder.value.isOptional = true
    guard !recorder.ends(before: Wrapped.self) else { return Wrapped?.none }
    return try recorder.sample(Wrapped.self) as Wrapped?
  }
}

extension Array: SampledType where Element: Decodable {
  static func sample(_ recorder: SchemaRecorder) throws -> any Decodable { try recorder.items(of: Element.self) }
}

extension Set: SampledType where Element: Decodable {
  static func sample(_ recorder: SchemaRecorder) throws -> any Decodable { Set(try recorder.items(of: Element.self)) }
}

extension Dictionary: SampledType where Key: Decodable, Value: Decodable {
  /// Text and number keys are the names of members; other keys stand before their values in a list.
  static func sample(_ recorder: SchemaRecorder) throws -> any Decodable {
    let isObject = Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
    guard isObject else {
      try recorder.recording.require(recorder.value, as: .list(of: .text), Self.self)
      let items = recorder.part(recorder.value.items())
      items.value.isOpen = true
      if !items.ends(before: Value.self) { _ = try items.part(items.value.member("")).sample(Value.self) }
      return Self()
    }
    try recorder.recording.require(recorder.value, as: .map(of: .text), Self.self)
    let values = recorder.part(recorder.value.values())
    guard !values.ends(before: Value.self) else { return Self() }
    let value = try values.sample(Value.self)
    // If no key can be made up, the dictionary is empty.
    let key: Any = Key.self == Int.self ? 0 : "name"
    return (key as? Key).map { [$0: value] } ?? Self()
  }
}

extension SchemaRecorder {
  /// One item, or none if the type of items contains itself.
  fileprivate func items<Element: Decodable>(of type: Element.Type) throws -> [Element] {
    try recording.require(value, as: .list(of: .text), [Element].self)
    let items = part(value.items())
    guard !items.ends(before: type) else { return [] }
    return [try items.sample(type)]
  }
}

extension JSONValue: SampledType {
  static func sample(_ recorder: SchemaRecorder) -> any Decodable {
    recorder.value.take(ValueSchema(.any))
    return JSONValue.null
  }
}

extension Variant: SampledType {
  static func sample(_ recorder: SchemaRecorder) -> any Decodable {
    recorder.value.take(ValueSchema(.any))
    return Self.unknown(.null)
  }
}

extension Sealed: SampledType {
  static func sample(_ recorder: SchemaRecorder) throws -> any Decodable {
    // The content is not described.
    Sealed(try recorder.part(RecordedValue()).sample(Value.self))
  }
}

extension EncryptedCodableString: SampledType {
  static func sample(_ recorder: SchemaRecorder) -> any Decodable { EncryptedCodableString("") }
}
