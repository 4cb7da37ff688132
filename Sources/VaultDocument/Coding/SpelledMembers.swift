/// A decoder that gives members under the names that the data has: nothing renames them.
package protocol ExactDecoder {}

/// The members of an object, each found under its own name or under the same words in another style.
///
/// A decoder with a key strategy gives other names than those in the data: with `.convertFromSnakeCase` a type that
/// asks for `access_key` would find nothing, since the member is `accessKey` by then.
///
/// ```swift
/// init(from decoder: any Decoder) throws {
///   let members = try SpelledMembers(decoder)
///   accessKey = try members.decode(EncryptedCodableString.self, forKey: "access_key")
/// }
/// ```
public struct SpelledMembers {
  /// Other names of members by the words in them; made when a member is asked for that has not its own name.
  private final class Spellings {
    var keys: [String: [AnyCodingKey]]?
  }

  /// The object as the decoder gives it.
  public let container: KeyedDecodingContainer<AnyCodingKey>
  private let spellings: Spellings?

  /// - Throws: `DecodingError` where the decoder has no object.
  public init(_ decoder: any Decoder) throws {
    self.init(try decoder.container(keyedBy: AnyCodingKey.self), isExact: decoder is any ExactDecoder)
  }

  private init(_ container: KeyedDecodingContainer<AnyCodingKey>, isExact: Bool) {
    self.container = container
    spellings = isExact ? nil : Spellings()
  }

  /// The key under which the object has a member; the same key where it has none.
  ///
  /// - Throws: `DecodingError.dataCorrupted` for two other names of the same words.
  public func key(_ key: AnyCodingKey) throws -> AnyCodingKey {
    guard let spellings, !container.contains(key) else { return key }
    let known = spellings.keys ?? Dictionary(grouping: container.allKeys, by: Self.words)
    spellings.keys = known
    guard let found = known[Self.words(of: key)] else { return key }
    guard found.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: container.codingPath + [key], debugDescription: "is there under more than one name"))
    }
    return found[0]
  }

  /// The words of a name without what joins them.
  private static func words(of key: AnyCodingKey) -> String {
    let name = KeyStyle.snake.name(for: key.stringValue)
    return String(decoding: name.utf8.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
  }

  /// The value of a member.
  ///
  /// - Throws: `DecodingError`, as `KeyedDecodingContainer`.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: AnyCodingKey) throws -> Value {
    try container.decode(type, forKey: self.key(key))
  }

  /// The value of a member; nil where it is missing or null.
  ///
  /// - Throws: `DecodingError`, as `KeyedDecodingContainer`.
  public func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: AnyCodingKey) throws -> Value? {
    try container.decodeIfPresent(type, forKey: self.key(key))
  }

  /// The object that a member is.
  ///
  /// - Throws: `DecodingError`, as `KeyedDecodingContainer`.
  public func nested(forKey key: AnyCodingKey) throws -> SpelledMembers {
    SpelledMembers(
      try container.nestedContainer(keyedBy: AnyCodingKey.self, forKey: self.key(key)), isExact: spellings == nil)
  }

  /// The object that a member is; nil where it is missing or null.
  ///
  /// - Throws: `DecodingError`, as `KeyedDecodingContainer`.
  public func nestedIfPresent(forKey key: AnyCodingKey) throws -> SpelledMembers? {
    let object = try container.nestedContainerIfPresent(forKey: self.key(key))
    return object.map { SpelledMembers($0, isExact: spellings == nil) }
  }
}
