public import VaultDocument

/// The place and cause of a decoding error, in fixed phrases, because the messages of decoders can contain the value.
public struct CodingFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path from the top of the document to the member, as precise as the decoder reports it.
  public let path: MemberPath
  /// A fixed phrase.
  public let reason: String

  /// Converts an error of a decoder; `path` is used if the error has none.
  public init(_ error: any Error, at path: [any CodingKey] = []) {
    let (keys, reason) = Self.explain(error)
    self.path = MemberPath(keys: keys ?? path)
    self.reason = reason
  }

  public var description: String { Sentence.about(path == .root ? nil : path.description, reason) }

  /// The path is nil if the error has none.
  private static func explain(_ error: any Error) -> (path: [any CodingKey]?, reason: String) {
    switch error {
    case DecodingError.keyNotFound(let key, let context): (context.codingPath + [key], "is required")
    case DecodingError.valueNotFound(_, let context): (context.codingPath, "is required")
    case DecodingError.typeMismatch(_, let context): (context.codingPath, "is of another type")
    case DecodingError.dataCorrupted(let context):
      (context.codingPath, fixedReason(context.underlyingError) ?? "is not a valid value")
    default: (nil, fixedReason(error) ?? "is not a valid value")
    }
  }

  /// The reason, only for errors of our own, which are known to hold no content.
  private static func fixedReason(_ error: (any Error)?) -> String? {
    switch error {
    case let error as SealingError: error.reason
    case let error as DocumentError: error.reason
    default: nil
    }
  }
}

extension MemberPath {
  /// The path of a decoder.
  public init(keys: [any CodingKey]) {
    self.init(keys.map { key in key.intValue.map(Component.index) ?? .member(key.stringValue) })
  }
}
