/// A key of `userInfo` that knows the type of its value. Programs use it to pass context to the types they decode.
///
/// ```swift
/// static let interval = UserInfoKey<Interval>("Stocks.interval")
/// decoder.userInfo[.interval] = .minutes(15)  // before
/// let interval = try decoder.value(of: .interval)  // in init(from:)
/// ```
public struct UserInfoKey<Value: Sendable>: Sendable {
  /// The key for Codable.
  public let key: CodingUserInfoKey

  /// Makes a key, whose name should begin with the name of its module.
  public init(_ name: String) {
    // The standard library's initialiser is failable but accepts any text.
    guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("any text is a key") }
    self.key = key
  }
}

extension Dictionary where Key == CodingUserInfoKey, Value == any Sendable {
  /// The value in an encoder's or decoder's `userInfo`, before coding begins; nil if it has no value of this type.
  public subscript<Context: Sendable>(key: UserInfoKey<Context>) -> Context? {
    get { self[key.key] as? Context }
    set { self[key.key] = newValue }
  }
}

extension Dictionary where Key == CodingUserInfoKey, Value == Any {
  /// The value in `userInfo` during coding; nil if it has no value of this type.
  public subscript<Context: Sendable>(key: UserInfoKey<Context>) -> Context? { self[key.key] as? Context }
}

extension Decoder {
  /// The value that the program set for this key.
  ///
  /// - Throws: `DecodingError.dataCorrupted` if it set none.
  public func value<Context: Sendable>(of key: UserInfoKey<Context>) throws -> Context {
    guard let value = userInfo[key] else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "userInfo has no value for \(key.key.rawValue)"))
    }
    return value
  }
}
