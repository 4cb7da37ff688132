#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
public import VaultCrypto
public import VaultDocument

/// A secret string that is sealed when it is encoded and opened when it is decoded.
///
/// It encodes as one string, a token, with the ``SealingContext`` of the encoder or decoder; without one both throw.
/// The text is held in the secure heap and leaves it only through ``reveal()`` and ``withUTF8(_:)``. Values are
/// compared as UTF-8 bytes. Every way of printing shows a placeholder.
public struct EncryptedCodableString: Sendable {
  private let state: SealedState

  /// A value to be sealed. The string `text` itself stays in ordinary memory.
  public init(_ text: String) { state = SealedState(copying: text) }

  /// A value to be sealed, from UTF-8 bytes that are already in secure memory.
  ///
  /// - Throws: ``SealingError`` `.malformedPlaintext` if the bytes are not UTF-8.
  public init(utf8 bytes: SecretBytes) throws(SealingError) {
    let isValid = bytes.withBytes { unsafe $0.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) != nil } }
    guard isValid else { throw SealingError(.malformedPlaintext, "the secret is not UTF-8") }
    state = .fresh(SecretText(bytes, count: bytes.count))
  }

  /// Reads one field by the rules of a context.
  package init(reading text: String, in context: SealingContext) throws(SealingError) {
    state = try SealedState(reading: text, context: context)
  }

  /// The secret as a string in ordinary memory.
  ///
  /// - Throws: ``SealingError`` `.notOpened` if it was read without a key, `.memoryUnavailable` if the secure heap was
  ///   full when the value was made; the errors of opening for a value that is opened only now.
  public func reveal() throws(SealingError) -> String { try state.revealed().string() }

  /// Lends the secret's UTF-8 bytes to `body`, which must not copy them out.
  ///
  /// - Throws: ``SealingError`` like ``reveal()``, and the errors of `body`.
  public func withUTF8<Result>(_ body: (RawSpan) throws -> Result) throws -> Result {
    try state.revealed().withBytes(body)
  }

  /// A copy of the bytes, which the caller must wipe.
  package func bytesInOrdinaryMemory() throws(SealingError) -> [UInt8] {
    try state.secretText().withBytes { $0.copiedBytes() }
  }

  /// Whether the text can be revealed.
  public var isOpen: Bool { (try? state.secretText()) != nil }
}

extension EncryptedCodableString: ExpressibleByStringLiteral {
  /// For tests and samples: a secret in source code is not secret.
  public init(stringLiteral text: String) { self.init(text) }
}

extension EncryptedCodableString: Codable {
  public init(from decoder: any Decoder) throws {
    let text = try decoder.sealedText()
    do throws(SealingError) {
      try self.init(reading: text, in: .resolve(decoder.userInfo))
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

  fileprivate func sealed(in context: SealingContext) throws(SealingError) -> String { try state.sealed(in: context) }
}

extension Decoder {
  /// The text of a sealed value. Data in CryptoKit's form is returned as base64.
  fileprivate func sealedText() throws -> String {
    let container = try singleValueContainer()
    do {
      return try container.decode(String.self)
    } catch DecodingError.typeMismatch(let type, let place) {
      guard (try? SealingContext.resolve(userInfo).isOfCryptoKit) == true, let bytes = try? container.decode(Data.self)
      else { throw DecodingError.typeMismatch(type, place) }
      return Base64.encode([UInt8](bytes))
    }
  }
}

extension KeyedEncodingContainer {
  /// Encodes a sealed string with a context that was looked up once, for types with many sealed members.
  ///
  /// The result is the same as that of `encode(_:forKey:)`, which looks the context up in `userInfo` each time.
  public mutating func encode(
    _ value: EncryptedCodableString, forKey key: Key, in context: SealingContext
  ) throws {
    let text: String
    do throws(SealingError) {
      text = try value.sealed(in: context)
    } catch {
      throw error.encodingError(codingPath + [key])
    }
    try encode(text, forKey: key)
  }
}

extension EncryptedCodableString: Hashable {
  /// Opened values are equal if their bytes are, and unopened ones if their tokens are. An opened and an unopened value
  /// are never equal.
  public static func == (left: EncryptedCodableString, right: EncryptedCodableString) -> Bool {
    switch (left.state, right.state) {
    case (.unopened(let first), .unopened(let second)): first.utf8.elementsEqual(second.utf8)
    default:
      if let first = try? left.state.secretText(), let second = try? right.state.secretText() {
        first == second
      } else {
        false
      }
    }
  }

  public func hash(into hasher: inout Hasher) {
    if let text = try? state.secretText() {
      text.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
    } else if case .unopened(let text) = state {
      hasher.combine(text.utf8.count)
    }
  }
}

extension EncryptedCodableString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  static let placeholder = "••••••••"

  /// Always a placeholder.
  public var description: String { Self.placeholder }
  /// Always a placeholder.
  public var debugDescription: String { Self.placeholder }
  /// A mirror without children: `dump` and failing expectations show nothing.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
