internal import VaultCrypto
internal import VaultDocument

enum ContentHash {
  /// 128 bits of SHA-256 over texts with their lengths, as 32 hex digits. Identifies entries without an id.
  static func hex(of parts: [String]) throws(ExchangeError) -> String {
    let named = Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)
    do throws(CryptoError) {
      return Hex.encode(Array(try SHA256.hash(RawSpan(_elements: named.span)).prefix(16)))
    } catch {
      throw ExchangeError(.reading, "a hash could not be computed", underlying: error)
    }
  }
}
