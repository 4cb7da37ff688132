internal import VaultDocument
package import VaultCrypto

extension RawSpan {
  /// A copy in ordinary memory, for bytes that are not secret.
  package func copiedBytes() -> [UInt8] {
    unsafe withUnsafeBytes { buffer in unsafe [UInt8](buffer) }
  }
}

extension SecretBytes {
  /// A key of 32 bytes from its padded base64, without a copy in ordinary memory; nil for any other text.
  package static func key(ofBase64 digits: Span<UInt8>) throws(CryptoError) -> SecretBytes? {
    let count = Base64.encodedCount(of: RootKey.byteCount)
    // 32 bytes end with exactly one character of padding; there is no room for more.
    let pad = UInt8(ascii: "=")
    guard digits.count == count, digits[count - 1] == pad, digits[count - 2] != pad else { return nil }
    var isCanonical = false
    let key = try SecretBytes(byteCount: RootKey.byteCount) { key in
      isCanonical = Base64.append(decoding: digits, to: &key)
    }
    return isCanonical ? key : nil
  }
}
