/// A decoder that keeps the member names of the data, without renaming them.
package protocol ExactDecoder {}

/// The members of an object, each found under its own name or under the same words in another style.
///
/// A decoder with a key strategy renames the members. With `.convertFromSnakeCase`, a type that asks for `access_key`
/// would find nothing, because the member is then called `accessKey`.
///
/// ```swift
/// init(from decoder: any Decoder) throws {
///   let members = try SpelledMembers(decoder)
///   accessKey = try members.decode(EncryptedCodableString.self, forKey: "access_key")
/// }
/// ```
public struct SpelledMembers {
  /// Other names of members by their words, computed when a member is not found under its own name.
  private final class Spellings {
    var keys: [String: [AnyCodingKey]]?
  }

  /// The object of the decoder.
  public let container: KeyedDecodingContainer<AnyCodingKey>
  private let spellings: Spellings?
  /// The names that members of objects have in data without these objects, by object, then by member.
  private let outside: [String: [String: AnyCodingKey]]
  /// The names of the members if this object is missing in the data, and its members stand outside.
  private let flat: [String: AnyCodingKey]?

  /// - Throws: `DecodingError` if the decoder has no object.
  public init(_ decoder: any Decoder) throws { try self.init(decoder, moves: []) }

  /// - Parameter moves: where the members of an object stand in data without this object, such as `street` for
  ///   `address.street`. Data of a vault always has the objects. Moves from or to another depth are ignored.
  package init(_ decoder: any Decoder, moves: @autoclosure () -> [(source: String, target: String)]) throws {
    let isExact = decoder is any ExactDecoder
    var outside: [String: [String: AnyCodingKey]] = [:]
    for (source, target) in isExact ? [] : moves() {
      let steps = target.split(separator: ".")
      guard steps.count == 2, !source.contains(".") else { continue }
      outside[String(steps[0]), default: [:]][String(steps[1])] = AnyCodingKey(source)
    }
    self.init(
      try decoder.container(keyedBy: AnyCodingKey.self), isExact ? nil : Spellings(), outside: outside, flat: nil)
  }

  private init(
    _ container: KeyedDecodingContainer<AnyCodingKey>, _ spellings: Spellings?,
    outside: [String: [String: AnyCodingKey]] = [:], flat: [String: AnyCodingKey]? = nil
  ) {
    (self.container, self.spellings, self.outside, self.flat) = (container, spellings, outside, flat)
  }

  /// The key under which the object has a member; the same key if it does not have the member.
  ///
  /// - Throws: `DecodingError.dataCorrupted` if two other names have the same words.
  public func key(_ key: AnyCodingKey) throws -> AnyCodingKey {
    guard let spellings else { return key }
    guard let key = flat.map({ $0[key.stringValue] }) ?? key else { return AnyCodingKey("") }
    guard !container.contains(key) else { return key }
    let known = spellings.keys ?? Dictionary(grouping: container.allKeys, by: Self.words)
    spellings.keys = known
    guard let found = known[Self.words(of: key)] else { return key }
    guard found.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: container.codingPath + [key], debugDescription: "is present under more than one name"))
    }
    return found[0]
  }

  /// The words of a name without separators.
  private static func words(of key: AnyCodingKey) -> String {
    let name = KeyStyle.snake.name(for: key.stringValue)
    return String(decoding: name.utf8.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
  }

  /// The value of a member.
  ///
  /// - Throws: `DecodingError`, like `KeyedDecodingContainer`.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: AnyCodingKey) throws -> Value {
    try container.decode(type, forKey: self.key(key))
  }

  /// The value of a member; nil if it is missing or null.
  ///
  /// - Throws: `DecodingError`, like `KeyedDecodingContainer`.
  public func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: AnyCodingKey) throws -> Value? {
    try container.decodeIfPresent(type, forKey: self.key(key))
  }

  /// The object in a member.
  ///
  /// - Throws: `DecodingError`, like `KeyedDecodingContainer`.
  public func nested(forKey key: AnyCodingKey) throws -> SpelledMembers {
    SpelledMembers(
      try container.nestedContainer(keyedBy: AnyCodingKey.self, forKey: self.key(key)),
      spellings.map { _ in Spellings() })
  }

  /// The object in a member; nil if it is missing or null.
  ///
  /// - Throws: `DecodingError`, like `KeyedDecodingContainer`.
  public func nestedIfPresent(forKey key: AnyCodingKey) throws -> SpelledMembers? {
    if let object = try container.nestedContainerIfPresent(forKey: self.key(key)) {
      return SpelledMembers(object, spellings.map { _ in Spellings() })
    }
    guard let names = outside[key.stringValue] else { return nil }
    let members = SpelledMembers(container, spellings, flat: names)
    return try names.keys.contains { try container.contains(members.key(AnyCodingKey($0))) } ? members : nil
  }
}
