public import VaultDocument
public import VaultSealing

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A type of property for a ``Member`` of a record.
public protocol MemberValue: Codable, Sendable {
  /// The description of the type's values, and whether they are sealed.
  static var described: ValueSchema { get }

  /// Takes a value from an object; nil if it is missing or null.
  static func read(
    _ source: KeyedDecodingContainer<AnyCodingKey>, _ key: AnyCodingKey, _ schema: ValueSchema
  ) throws -> Self?

  /// Puts the value into an object; sealed values are sealed with `context`.
  func write(
    to target: inout KeyedEncodingContainer<AnyCodingKey>, _ key: AnyCodingKey, _ context: SealingContext?
  ) throws
}

extension MemberValue {
  public static func read(
    _ source: KeyedDecodingContainer<AnyCodingKey>, _ key: AnyCodingKey, _ schema: ValueSchema
  ) throws -> Self? {
    try source.decodeIfPresent(Self.self, forKey: key)
  }

  public func write(
    to target: inout KeyedEncodingContainer<AnyCodingKey>, _ key: AnyCodingKey, _ context: SealingContext?
  ) throws {
    try target.encode(self, forKey: key)
  }

  /// The type's description with more detail, sealed like the type.
  ///
  /// - Precondition: `detail` has the same JSON type, so that every value that fits it can be decoded. Only a sealed
  ///   value has a `sort`.
  static func described(_ detail: ValueSchema?, secret sort: SecretSort? = nil) -> ValueSchema {
    var value = detail ?? described
    precondition(value.hasForm(of: described), "a description must be of its member's type")
    precondition(sort == nil || described.isSealed, "only a secret is of a sort of secrets")
    value.isSealed = described.isSealed
    value.secretSort = sort ?? .text
    return value
  }
}

extension String: MemberValue {
  public static var described: ValueSchema { .text }

  /// Text, or the digits of a whole number if the description allows it.
  public static func read(
    _ source: KeyedDecodingContainer<AnyCodingKey>, _ key: AnyCodingKey, _ schema: ValueSchema
  ) throws -> String? {
    do {
      return try source.decodeIfPresent(String.self, forKey: key)
    } catch DecodingError.typeMismatch(let type, let context) {
      guard case .text(let rule) = schema.form, rule.takesDigits, let number = try? source.decode(Int.self, forKey: key)
      else { throw DecodingError.typeMismatch(type, context) }
      return String(number)
    }
  }

  /// Encoded as a string, because encoders take a longer way for other encodable values.
  public func write(
    to target: inout KeyedEncodingContainer<AnyCodingKey>, _ key: AnyCodingKey, _ context: SealingContext?
  ) throws {
    try target.encode(self, forKey: key)
  }
}

extension EncryptedCodableString: MemberValue {
  public static var described: ValueSchema { .text.sealed }

  public func write(
    to target: inout KeyedEncodingContainer<AnyCodingKey>, _ key: AnyCodingKey, _ context: SealingContext?
  ) throws {
    if let context { try target.encode(self, forKey: key, in: context) } else { try target.encode(self, forKey: key) }
  }
}

extension Sealed: MemberValue {
  public static var described: ValueSchema { ValueSchema(.any).sealed }
}

extension Bool: MemberValue {
  public static var described: ValueSchema { .bool }
}

extension Int: MemberValue {
  public static var described: ValueSchema { ValueSchema(.integer(NumberRule())) }
}

extension Double: MemberValue {
  public static var described: ValueSchema { ValueSchema(.number(NumberRule())) }
}

extension Date: MemberValue {
  public static var described: ValueSchema { .moment }
}

extension URL: MemberValue {
  public static var described: ValueSchema { .url }
}

extension ValueSchema {
  /// Whether values of both have the same type in JSON and in Swift.
  fileprivate func hasForm(of other: ValueSchema) -> Bool {
    switch (form, other.form) {
    case (.text(let mine), .text(let theirs)): theirs.format == nil || mine.format == theirs.format
    case (.integer, .integer), (.number, .number), (.bool, .bool), (_, .any): true
    default: false
    }
  }
}
