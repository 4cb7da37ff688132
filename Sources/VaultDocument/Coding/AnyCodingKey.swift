/// A coding key of any name: for members whose names are known only when the data is read.
///
/// An index stays an index: its name is the decimal, as Codable has it.
public struct AnyCodingKey: CodingKey, Hashable, Sendable, ExpressibleByStringLiteral {
  public let stringValue: String
  public let intValue: Int?

  /// The key of a member.
  public init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  /// The key of an item, from 0.
  public init(_ index: Int) {
    stringValue = String(index)
    intValue = index
  }

  /// The key of a member.
  public init(stringLiteral name: String) { self.init(name) }

  /// The key of a member; never nil.
  public init?(stringValue: String) { self.init(stringValue) }

  /// The key of an item; never nil.
  public init?(intValue: Int) { self.init(intValue) }
}
