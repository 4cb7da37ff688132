public import VaultCrypto
public import VaultDocument

/// The id of a root key: 16 bytes derived from it, written as unpadded base64url.
public struct RootID: Hashable, Sendable, CustomStringConvertible {
  /// 16.
  public static let byteCount = 16
  static let wrapHintByteCount = 8

  /// The 16 bytes.
  public let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads unpadded base64url.
  ///
  /// - Throws: ``SealingError`` `.malformedWrappedKey`.
  public init(parsing text: String) throws(SealingError) {
    guard let bytes = try? Base64.decodeURL(text), bytes.count == Self.byteCount else {
      throw SealingError(.malformedWrappedKey, "the id of a root key is damaged")
    }
    self.bytes = bytes
  }

  public var description: String { Base64.encodeURL(bytes) }

  /// The first 8 bytes, which name the root in wrapped keys.
  package var wrapHint: [UInt8] { Array(bytes.prefix(Self.wrapHintByteCount)) }
}

/// The key that opens a vault: 32 random bytes in the secure heap, and the keys that format 1 derives from them.
public final class RootKey: Sendable {
  /// 32.
  public static let byteCount = 32
  /// 32.
  public static let commitmentByteCount = 32

  /// The vault that it opens.
  public let vaultID: VaultID
  /// The id that names the key in files; it reveals nothing about the key.
  public let id: RootID
  /// Binds the header to this key: 32 bytes.
  public let commitment: [UInt8]
  private let place: Place

  private enum Place {
    case here(key: SecretBytes, dataKeyWrapKey: SecretBytes)
    case elsewhere(any RootKeyHolder)
  }

  /// Takes over 32 bytes.
  ///
  /// - Throws: ``SealingError`` `.wrongByteCount`, `.memoryUnavailable`, `.cryptoFailed`.
  public init(_ key: SecretBytes, vaultID: VaultID) throws(SealingError) {
    guard key.count == Self.byteCount else { throw SealingError(.wrongByteCount, "a root key must have 32 bytes") }
    let salt = vaultID.bytes
    let public48 = try key.withBytes { bytes throws(SealingError) in
      try KeyDerivation.derive(from: bytes, label: "ecv/1/root", salt: salt, byteCount: 48)
    }
    let derived = public48.withBytes { $0.copiedBytes() }
    let id = RootID(bytes: Array(derived[0..<16]))
    let dataKeyWrapKey = try key.withBytes { bytes throws(SealingError) in
      try KeyDerivation.derive(
        from: bytes, label: "ecv/1/data-key-wrap", items: [id.bytes], salt: salt, byteCount: 32)
    }
    self.id = id
    place = .here(key: key, dataKeyWrapKey: dataKeyWrapKey)
    self.vaultID = vaultID
    commitment = Array(derived[16..<48])
  }

  /// A root key in another process, described by the header.
  package init(heldBy holder: any RootKeyHolder, id: RootID, commitment: [UInt8], vaultID: VaultID) {
    (self.id, self.commitment, self.vaultID) = (id, commitment, vaultID)
    place = .elsewhere(holder)
  }

  /// The process that has the key; nil if it is this one.
  var holder: (any RootKeyHolder)? { if case .elsewhere(let holder) = place { holder } else { nil } }

  package var isHere: Bool { holder == nil }

  /// Throws unless the key itself is in this process.
  package func requireHere() throws(SealingError) {
    guard holder == nil else {
      throw SealingError(
        .rootKeyElsewhere, "this needs the root key itself, but the process that holds the key does not give it out")
    }
  }

  /// The key that wraps data keys, for a root key in this process.
  package func dataKeyWrapKey() throws(SealingError) -> SecretBytes {
    try requireHere()
    guard case .here(_, let wrapKey) = place else { preconditionFailure("what is not elsewhere is here") }
    return wrapKey
  }

  /// A new root key from the system's random source.
  public static func random(vaultID: VaultID) throws(SealingError) -> RootKey {
    let key: SecretBytes
    do throws(CryptoError) {
      key = try .random(count: byteCount)
    } catch {
      throw SealingError(crypto: error)
    }
    return try RootKey(key, vaultID: vaultID)
  }

  /// Lends the key's 32 bytes to `body`, which must not copy them out.
  ///
  /// - Precondition: the key is in this process, which is always so unless an agent has opened the vault.
  public func withKey<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard case .here(let key, _) = place else { preconditionFailure("the root key is in another process") }
    return try key.withBytes(body)
  }

  /// Derives a key of 32 bytes that is bound to this root, which must be in this process.
  package func derive(_ label: String, items: [[UInt8]]) throws(SealingError) -> SecretBytes {
    try requireHere()
    return try withKey { bytes throws(SealingError) in
      try KeyDerivation.derive(from: bytes, label: label, items: items, salt: vaultID.bytes, byteCount: 32)
    }
  }
}
