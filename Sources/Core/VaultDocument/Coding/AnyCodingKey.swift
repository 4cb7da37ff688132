/// A coding key of any name: for members whose names are known only when the data is read.
///
/// An index stays an index: its name is the decimal, as Codable has it.
public struct AnyCodingKey: CodingKey, Hashable, Sendable, ExpressibleByStringLiteral {
  /// One of both, so that a key has room in an existential without memory of its own: encoders make one of each.
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
