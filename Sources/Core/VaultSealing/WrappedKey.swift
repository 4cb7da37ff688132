package import VaultCrypto
public import VaultDocument

/// A key sealed under a root key: `k1:<root hint>:<box>` (format 1, section 4.3, Wraps).
///
/// The hint is the first 8 bytes of the root's id in unpadded base64url, and the box is base64 of nonce 12 ‖ ciphertext
/// 32 ‖ tag 16. Nothing in it is secret.
public struct WrappedKey: Sendable {
  private static let prefix = "k1:"
  /// 8 bytes in unpadded base64url.
  private static let hintTextCount = 11
  private static let boxByteCount = AESGCM.nonceByteCount + RootKey.byteCount + AESGCM.tagByteCount

  /// The whole text.
  public let text: String
  /// The first 8 bytes of the id of the wrapping root.
  public let rootHint: [UInt8]
  package let box: [UInt8]

  /// Reads the text strictly.
  ///
  /// - Throws: ``SealingError`` `.malformedWrappedKey`.
  public init(parsing text: String) throws(SealingError) {
    let malformed = SealingError(.malformedWrappedKey, "a wrapped key is damaged")
    guard text.utf8.starts(with: Self.prefix.utf8) else { throw malformed }
    let bytes = text.utf8Span.span
    let hintStart = Self.prefix.utf8.count
    let hintEnd = hintStart + Self.hintTextCount
    guard bytes.count > hintEnd, bytes[hintEnd] == UInt8(ascii: ":") else { throw malformed }
    do throws(DocumentError) {
      rootHint = try Base64.decodeURL(ascii: bytes.extracting(hintStart..<hintEnd))
      box = try Base64.decode(ascii: bytes.extracting(droppingFirst: hintEnd + 1))
    } catch {
      throw malformed
    }
    guard box.count == Self.boxByteCount else { throw malformed }
    self.text = text
  }

  private init(rootHint: [UInt8], box: [UInt8]) {
    self.rootHint = rootHint
    self.box = box
    text = Self.prefix + Base64.encodeURL(rootHint) + ":" + Base64.encode(box)
  }

  /// Wraps `key` (32 bytes) under `wrapKey`, a key of 32 bytes. The result is not opened again.
  static func wrap(
    _ key: RawSpan, under wrapKey: SecretBytes, of root: RootID, associatedData: [UInt8]
  ) throws(SealingError) -> WrappedKey {
    do throws(CryptoError) {
      let box = try wrapKey.withBytes { wrapKey throws(CryptoError) in
        try unsafe AESGCM.seal(key, key: wrapKey, associatedData: associatedData.span.bytes)
      }
      return WrappedKey(rootHint: root.wrapHint, box: box)
    } catch {
      throw SealingError(crypto: error)
    }
  }

  /// The key inside, 32 bytes. The caller has compared ``rootHint``.
  func unwrap(with wrapKey: SecretBytes, associatedData: [UInt8]) throws(SealingError) -> SecretBytes {
    do throws(CryptoError) {
      return try wrapKey.withBytes { wrapKey throws(CryptoError) in
        try unsafe AESGCM.open(box.span.bytes, key: wrapKey, associatedData: associatedData.span.bytes)
      }
    } catch {
      throw SealingError(crypto: error)
    }
  }
}

extension RootKey {
  /// Makes a random data key for a record and wraps it; the wrap was opened again as a check.
  public func makeDataKey(for record: RecordID) throws(SealingError) -> (wrapped: WrappedKey, keys: RecordKeys) {
    let dataKey: SecretBytes
    do throws(CryptoError) {
      dataKey = try .random(count: RecordKeys.dataKeyByteCount)
    } catch {
      throw SealingError(crypto: error)
    }
    let wrapped = try verifiedWrap(of: dataKey, record: record)
    return (wrapped, try RecordKeys(dataKey: dataKey, vaultID: vaultID, recordID: record))
  }

  /// A wrap that was opened again as a check: with a wrong wrap, everything under the data key would be lost.
  package func verifiedWrap(of dataKey: SecretBytes, record: RecordID) throws(SealingError) -> WrappedKey {
    if let holder { return try holder.wrap(dataKey, record: record) }
    let (binding, dataKeyWrapKey) = (dataKeyBinding(record), try self.dataKeyWrapKey())
    let wrapped = try dataKey.withBytes { bytes throws(SealingError) in
      try WrappedKey.wrap(bytes, under: dataKeyWrapKey, of: id, associatedData: binding)
    }
    guard try wrapped.unwrap(with: dataKeyWrapKey, associatedData: binding) == dataKey else {
      throw SealingError(.cryptoFailed, "a key that was just wrapped does not open to the same key")
    }
    return wrapped
  }

  /// The keys of a record from its wrapped data key.
  ///
  /// - Throws: ``SealingError`` `.unknownRoot` if another root wrapped it, `.authenticationFailed` if the wrap does not
  ///   open for this record.
  public func recordKeys(from wrapped: WrappedKey, record: RecordID) throws(SealingError) -> RecordKeys {
    try RecordKeys(dataKey: unwrapDataKey(wrapped, record: record), vaultID: vaultID, recordID: record)
  }

  /// The data key of a record.
  package func unwrapDataKey(_ wrapped: WrappedKey, record: RecordID) throws(SealingError) -> SecretBytes {
    guard wrapped.rootHint == id.wrapHint else {
      throw SealingError(.unknownRoot, "was written under another root key")
    }
    if let holder { return try holder.open(wrapped, record: record) }
    return try wrapped.unwrap(with: dataKeyWrapKey(), associatedData: dataKeyBinding(record))
  }

  private func dataKeyBinding(_ record: RecordID) -> [UInt8] {
    var binding = CanonicalEncoding.Builder("ecv/1/data-key-wrap-ad", itemCount: 3)
    binding.append(vaultID)
    binding.append(record)
    binding.append(id.bytes)
    return binding.finish()
  }

  /// Wraps an older root under this one, for the keyring. Both must be in this process, and the wrap is not opened
  /// again.
  public func wrap(olderRoot: RootKey) throws(SealingError) -> WrappedKey {
    let wrapKey = try derive("ecv/1/keyring-wrap", items: [id.bytes, olderRoot.id.bytes])
    try olderRoot.requireHere()
    return try olderRoot.withKey { bytes throws(SealingError) in
      try WrappedKey.wrap(bytes, under: wrapKey, of: id, associatedData: keyringBinding(olderRoot.id))
    }
  }

  /// An older root from its entry in the keyring; its id is recomputed and must match the entry.
  ///
  /// - Throws: ``SealingError`` `.unknownRoot`, `.authenticationFailed`.
  public func unwrap(_ wrapped: WrappedKey, olderRoot older: RootID) throws(SealingError) -> RootKey {
    guard wrapped.rootHint == id.wrapHint else {
      throw SealingError(.unknownRoot, "a keyring entry is wrapped under another root key")
    }
    let wrapKey = try derive("ecv/1/keyring-wrap", items: [id.bytes, older.bytes])
    let root = try RootKey(wrapped.unwrap(with: wrapKey, associatedData: keyringBinding(older)), vaultID: vaultID)
    guard root.id == older else {
      throw SealingError(.authenticationFailed, "a keyring entry holds a root key other than the one it names")
    }
    return root
  }

  private func keyringBinding(_ older: RootID) -> [UInt8] {
    CanonicalEncoding.enc("ecv/1/keyring-wrap-ad", [vaultID.bytes, older.bytes, id.bytes])
  }
}
