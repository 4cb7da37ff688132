internal import VaultCrypto
public import VaultDocument
public import VaultSealing

/// The first bits of a keyed hash of a sealed value, which find the value without opening it.
///
/// Equal values have equal tags. A person who sees a column of tags therefore learns which rows are equal, and how
/// often. With few bits, different values share a tag: less is revealed, but each match must be opened and compared.
/// Without the key nobody can check a guessed value against a tag.
public struct SearchTag: Hashable, Sendable {
  /// The number of bits, 1…256.
  public let bitCount: Int
  /// The bits, from the highest of the first byte on; unused bits of the last byte are 0.
  public let bytes: [UInt8]

  init(_ hash: [UInt8], bitCount: Int) {
    self.bitCount = bitCount
    var bytes = Array(hash.prefix((bitCount + 7) / 8))
    if bitCount % 8 != 0 { bytes[bytes.count - 1] &= 0xFF << (8 - bitCount % 8) }
    self.bytes = bytes
  }

  /// The bytes in hex, for a column of text.
  public var text: String { Hex.encode(bytes) }

  /// The bits as a non-negative number, for a column of integers; nil from 64 bits on.
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
  /// The tag of this value under the first of the keys, to be stored beside the sealed value.
  ///
  /// Values are compared as UTF-8 bytes: normalise values that people write in several ways, such as e-mail addresses.
  /// A tag is HMAC-SHA-256 under KDF(key, `ecv/1/app-search`; bound strings; 32) over ENC(`ecv/1/app-tag`; name,
  /// value), cut to `bits`.
  ///
  /// - Parameters:
  ///   - name: the column's name, so that the tags of two columns cannot be compared.
  ///   - bits: 1…256. With n different values, about n / 2^bits others match as well.
  /// - Throws: ``SealingError`` `.wrongContext`, `.wrongByteCount` for another number of bits; for a sealed value, the
  ///   errors of `reveal()`.
  public func searchTag(of value: EncryptedCodableString, for name: String, bits: Int) throws(SealingError) -> SearchTag
  {
    let keys = try requireApplication().searchKeys
    return try Self.tags(of: value, for: name, bits, under: keys.prefix(1))[0]
  }

  /// The tags of this value under all keys, in their order. Search for all of them until all rows use the first key.
  ///
  /// - Throws: ``SealingError`` like ``searchTag(of:for:bits:)``.
  public func searchTags(
    of value: EncryptedCodableString, for name: String, bits: Int
  ) throws(SealingError) -> [SearchTag] {
    try Self.tags(of: value, for: name, bits, under: requireApplication().searchKeys[...])
  }

  private static func tags(
    of value: EncryptedCodableString, for name: String, _ bits: Int, under keys: ArraySlice<SecretBytes>
  ) throws(SealingError) -> [SearchTag] {
    guard (1...256).contains(bits) else { throw SealingError(.wrongByteCount, "a search tag must have 1 to 256 bits") }
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
