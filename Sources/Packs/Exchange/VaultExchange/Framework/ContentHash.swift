internal import VaultCrypto
internal import VaultDocument

/// A name for what has no id.
enum ContentHash {
  /// 128 bits of SHA-256 over texts, each with its length, as 32 hex digits.
  static func hex(of parts: [String]) throws(ExchangeError) -> String {
    let named = Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)
    do throws(CryptoError) {
      return Hex.encode(Array(try SHA256.hash(RawSpan(_elements: named.span)).prefix(16)))
    } catch {
      throw ExchangeError(.reading, "a hash could not be computed", underlying: error)
    }
  }
}
