/// Types that share one array or member and are told apart by a member that names them.
public protocol VariantCases: Encodable {
  /// The member that holds the name, such as `type`.
  static var discriminator: AnyCodingKey { get }
  /// The name of this case, as the member holds it.
  var variantName: String { get }
  /// Reads the case of that name from the decoder of the whole object; nil when no case has it.
  init?(variant name: String, from decoder: any Decoder) throws
}

/// A value of one of several types; one whose type this program does not know keeps its content.
///
/// An unknown value is written back with the same members, so that data of newer programs survives. Nothing in it is
/// sealed or opened: tokens stay tokens, and clear text stays clear.
public enum Variant<Cases: VariantCases> {
  /// A value of one of the types.
  case known(Cases)
  /// The whole object, of a type that this program does not know.
  case unknown(JSONValue)

  /// The value, where its type is known.
  public var known: Cases? { if case .known(let value) = self { value } else { nil } }
}

extension Variant: Codable {
  /// - Throws: `DecodingError` where the naming member is missing or no text, and what the known case throws.
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
