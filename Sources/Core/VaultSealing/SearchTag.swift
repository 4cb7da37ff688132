internal import VaultCrypto
public import VaultDocument

/// What a sealed value is found by without being opened: the first bits of a keyed hash of it.
///
/// Equal values have equal tags, and that is what a tag tells to whoever sees a column of them: which rows are equal,
/// and how often. With few bits different values share a tag, so that a match has to be opened and compared, and less
/// is told. Without the key nobody can tell whether a tag is that of a value which he guesses.
public struct SearchTag: Hashable, Sendable {
  /// How many bits it has, 1…256.
  public let bitCount: Int
  /// The bits, from the highest of the first byte on; what is left of the last byte is 0.
  public let bytes: [UInt8]

  init(_ hash: [UInt8], bitCount: Int) {
    self.bitCount = bitCount
    var bytes = Array(hash.prefix((bitCount + 7) / 8))
    if bitCount % 8 != 0 { bytes[bytes.count - 1] &= 0xFF << (8 - bitCount % 8) }
    self.bytes = bytes
  }

  /// The bytes in hex, for a column of text.
  public var text: String { Hex.encode(bytes) }

  /// The bits as a number that is not negative, for a column of integers; nil from 64 bits on.
  public var number: Int64? {
    guard bitCount < 64 else { return nil }
    let value = bytes.reduce(UInt64(0)) { ($0 << 8) | UInt64($1) }
    return Int64(value >> UInt64(bytes.count * 8 - bitCount))
  }
}

extension SearchTag: CustomStringConvertible {
  /// The bytes in hex.
  public var description: String { text }
}

extension SealingContext {
  /// What rows with this value are found by: a tag under the first of the keys, to be stored beside the sealed value.
  ///
  /// Values are compared as UTF-8 bytes: bring what people write in several ways, such as e-mail addresses, into one
  /// form before. A tag is HMAC-SHA-256 under KDF(key, `ecv/1/app-search`; bound strings; 32) over
  /// ENC(`ecv/1/app-tag`; name, value), cut to `bits`.
  ///
  /// - Parameters:
  ///   - name: the column's: equal values of two columns have tags that tell nothing of each other.
  ///   - bits: 1…256. With n different values, about n / 2^bits others match as well.
  /// - Throws: ``SealingError`` `.wrongContext`, `.wrongByteCount` for another number of bits; for a sealed value as
  ///   `reveal()` does.
  public func searchTag(of value: EncryptedCodableString, for name: String, bits: Int) throws(SealingError) -> SearchTag
  {
    let keys = try requireApplication().searchKeys
    return try Self.tags(of: value, for: name, bits, under: keys.prefix(1))[0]
  }

  /// The tags that rows with this value have under any of the keys, in their order: what to look for until all rows are
  /// under the first.
  ///
  /// - Throws: ``SealingError`` as ``searchTag(of:for:bits:)``.
  public func searchTags(
    of value: EncryptedCodableString, for name: String, bits: Int
  ) throws(SealingError) -> [SearchTag] {
    try Self.tags(of: value, for: name, bits, under: requireApplication().searchKeys[...])
  }

  private static func tags(
    of value: EncryptedCodableString, for name: String, _ bits: Int, under keys: ArraySlice<SecretBytes>
  ) throws(SealingError) -> [SearchTag] {
    guard (1...256).contains(bits) else { throw SealingError(.wrongByteCount, "a search tag has 1 to 256 bits") }
    var message = CanonicalEncoding.enc("ecv/1/app-tag", [Array(name.utf8), try value.bytesInOrdinaryMemory()])
    defer { for index in message.indices { message[index] = 0 } }
    var tags: [SearchTag] = []
    for key in keys {
      do throws(CryptoError) {
        let hash = try key.withBytes { key throws(CryptoError) in
          try unsafe HMACSHA256.authenticate(message.span.bytes, key: key)
        }
        tags.append(SearchTag(hash, bitCount: bits))
      } catch {
        throw SealingError(crypto: error)
      }
    }
    return tags
  }
}
