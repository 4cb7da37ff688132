/// A coding key with any name, for members whose names are known only when the data is read.
///
/// An index stays an index. Its name is the decimal number, as in Codable.
public struct AnyCodingKey: CodingKey, Hashable, Sendable, ExpressibleByStringLiteral {
  /// A name or an index, so that a key fits into an existential without an allocation; encoders make one key per member
  /// and item.
  private enum Form: Hashable {
    case name(String)
    case index(Int)
  }
  private let form: Form

  public var stringValue: String {
    switch form {
    case .name(let name): name
    case .index(let index): String(index)
    }
  }

  public var intValue: Int? { if case .index(let index) = form { index } else { nil } }

  /// The key of a member.
  public init(_ name: String) { form = .name(name) }

  /// The key of an item, from 0.
  public init(_ index: Int) { form = .index(index) }

  /// The key of a member.
  public init(stringLiteral name: String) { self.init(name) }

  /// The key of a member; never nil.
  public init?(stringValue: String) { self.init(stringValue) }

  /// The key of an item; never nil.
  public init?(intValue: Int) { self.init(intValue) }
}
