/// A key of `userInfo` that knows the type of its value: how a program passes context to types that it decodes.
///
/// ```swift
/// static let interval = UserInfoKey<Interval>("Stocks.interval")
/// decoder.userInfo[.interval] = .minutes(15)  // before
/// let interval = try decoder.value(of: .interval)  // in init(from:)
/// ```
public struct UserInfoKey<Value: Sendable>: Sendable {
  /// The key as Codable has it.
  public let key: CodingUserInfoKey

  /// A key; the name should begin with the name of the module that makes it.
  public init(_ name: String) {
    // The standard library's initialiser is failable but takes any text.
    guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("any text is a key") }
    self.key = key
  }
}

extension Dictionary where Key == CodingUserInfoKey, Value == any Sendable {
  /// The value of an encoder's or decoder's `userInfo` before it begins; nil where it has none of this type.
  public subscript<Context: Sendable>(key: UserInfoKey<Context>) -> Context? {
    get { self[key.key] as? Context }
    set { self[key.key] = newValue }
  }
}

extension Dictionary where Key == CodingUserInfoKey, Value == Any {
  /// The value of `userInfo` as types that are encoded and decoded see it; nil where it has none of this type.
  public subscript<Context: Sendable>(key: UserInfoKey<Context>) -> Context? { self[key.key] as? Context }
}

extension Decoder {
  /// The value that the program gave for this key.
  ///
  /// - Throws: `DecodingError.dataCorrupted` where it gave none.
  public func value<Context: Sendable>(of key: UserInfoKey<Context>) throws -> Context {
    guard let value = userInfo[key] else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "userInfo has no value for \(key.key.rawValue)"))
    }
    return value
  }
}
