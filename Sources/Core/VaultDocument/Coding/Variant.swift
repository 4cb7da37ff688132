/// Types that share one array or member and are distinguished by a member with their name.
public protocol VariantCases: Encodable {
  /// The member with the name, such as `type`.
  static var discriminator: AnyCodingKey { get }
  /// The name of this case in that member.
  var variantName: String { get }
  /// Reads the case of that name from the decoder of the whole object; nil if no case has the name.
  init?(variant name: String, from decoder: any Decoder) throws
}

/// A value of one of several types. A value of an unknown type keeps its content.
///
/// An unknown value is written back with the same members, so that data of newer programs survives. Nothing in it is
/// sealed or opened: tokens stay tokens, and clear text stays clear.
public enum Variant<Cases: VariantCases> {
  /// A value of a known type.
  case known(Cases)
  /// The whole object of an unknown type.
  case unknown(JSONValue)

  /// The value if its type is known.
  public var known: Cases? { if case .known(let value) = self { value } else { nil } }
}

extension Variant: Codable {
  /// - Throws: `DecodingError` if the discriminator is missing or not a text, and the errors of the known case.
  public init(from decoder: any Decoder) throws {
    let name = try decoder.container(keyedBy: AnyCodingKey.self).decode(String.self, forKey: Cases.discriminator)
    self = try Cases(variant: name, from: decoder).map(Self.known) ?? .unknown(JSONValue(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .unknown(let content): try content.encode(to: encoder)
    case .known(let value):
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      try container.encode(value.variantName, forKey: Cases.discriminator)
      try value.encode(to: encoder)
    }
  }
}

extension Variant: Sendable where Cases: Sendable {}
extension Variant: Equatable where Cases: Equatable {}
