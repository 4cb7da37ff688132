internal import VaultCrypto
public import VaultDocument

/// A value of any Codable type that is sealed as a whole when it is encoded.
///
/// The sealed text is the value's compact JSON with sorted members. The opened value is in ordinary memory.
public struct Sealed<Value: Codable & Sendable>: Sendable {
  private enum State: Sendable {
    case fresh(Value)
    case opened(Value, json: SecretText, SealedState.Origin)
    case closed(String, any FieldOpener)
    case unopened(String)
  }
  private let state: State

  /// A value to be sealed.
  public init(_ value: Value) { state = .fresh(value) }

  /// The value.
  ///
  /// - Throws: ``SealingError`` `.notOpened` if it was read without a key. A value that is opened only now throws the
  ///   errors of opening: `.authenticationFailed`, `.malformedPlaintext`, `.memoryUnavailable`.
  public func reveal() throws(SealingError) -> Value {
    switch state {
    case .fresh(let value), .opened(let value, _, _): return value
    case .closed(let token, let opener):
      let context = try opener.context()
      let value = try Self.decode(opener.open(token, in: context), context)
      opener.onReveal?()
      return value
    case .unopened: throw SealingError(.notOpened, "was read without a key: unlock the vault to open it")
    }
  }
}

extension Sealed {
  /// Whether the value can be revealed.
  public var isOpen: Bool {
    switch state {
    case .fresh, .opened: true
    case .closed: (try? reveal()) != nil
    case .unopened: false
    }
  }
}

extension Sealed: Hashable where Value: Hashable {
  public func hash(into hasher: inout Hasher) {
    if let value = try? reveal() {
      hasher.combine(value)
    } else if case .unopened(let text) = state {
      hasher.combine(text.utf8.count)
    }
  }
}

extension Sealed: Codable {
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    do throws(SealingError) {
      let context = try SealingContext.resolve(decoder.userInfo)
      switch try SealedState(reading: text, context: context) {
      case .unopened(let text): state = .unopened(text)
      case .closed(let token, let opener): state = .closed(token, opener)
      case .fresh(let json): state = .fresh(try Self.decode(json, context))
      case .opened(let json, let origin): state = .opened(try Self.decode(json, context), json: json, origin)
      case .unavailable(let error): throw error
      }
    } catch {
      throw error.decodingError(decoder.codingPath)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    let text: String
    do throws(SealingError) {
      text = try sealed(in: .resolve(encoder.userInfo))
    } catch {
      throw error.encodingError(encoder.codingPath)
    }
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// The text of the field. A value whose JSON has not changed keeps its token if the context makes the same tokens.
  private func sealed(in context: SealingContext) throws(SealingError) -> String {
    switch state {
    case .fresh(let value):
      return try SealedState.fresh(Self.encode(value, context)).sealed(in: context)
    case .opened(let value, let json, let origin):
      let now = try Self.encode(value, context)
      return try (now == json ? SealedState.opened(json, origin) : .fresh(now)).sealed(in: context)
    case .closed(let token, let opener):
      return try SealedState.closed(token, opener).sealed(in: context)
    case .unopened(let text):
      return try SealedState.unopened(text).sealed(in: context)
    }
  }

  /// The JSON to seal; a copy of it was in ordinary memory.
  private static func encode(_ value: Value, _ context: SealingContext) throws(SealingError) -> SecretText {
    do {
      let compact = try TreeEncoder(sealingWith: context).encode(value).compactBytes()
      return unsafe SecretText(try SecretBytes(copying: compact.span.bytes), count: compact.count)
    } catch let error as CryptoError {
      throw SealingError(crypto: error)
    } catch let error as DocumentError where error.code == .tooLarge {
      throw SealingError(.limitExceeded, "is larger than 16 MiB as JSON, the limit of a record", underlying: error)
    } catch {
      throw SealingError(.malformedPlaintext, "the value cannot be written as JSON", underlying: error.sealingError)
    }
  }

  /// The context also opens the sealed members inside the value.
  private static func decode(_ json: SecretText, _ context: SealingContext) throws(SealingError) -> Value {
    do {
      let tree = try JSONParser.parse(json.withBytes { $0.copiedBytes() })
      return try TreeDecoder(openingWith: context).decode(from: tree)
    } catch {
      throw SealingError(
        .malformedPlaintext, "the opened value is not the expected JSON", underlying: error.sealingError)
    }
  }
}

extension Sealed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always a placeholder.
  public var description: String { EncryptedCodableString.placeholder }
  /// Always a placeholder.
  public var debugDescription: String { EncryptedCodableString.placeholder }
  /// A mirror without children: `dump` and failing expectations show nothing.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Sealed: Equatable where Value: Equatable {
  /// Opened values are equal if their values are, and unopened ones if their tokens are. An opened and an unopened
  /// value are never equal.
  public static func == (left: Sealed, right: Sealed) -> Bool {
    switch (left.state, right.state) {
    case (.unopened(let first), .unopened(let second)): first.utf8.elementsEqual(second.utf8)
    default:
      if let first = try? left.reveal(), let second = try? right.reveal() { first == second } else { false }
    }
  }
}
