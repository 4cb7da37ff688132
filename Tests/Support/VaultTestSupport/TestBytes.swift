package import VaultCrypto

extension [UInt8] {
  /// The bytes of a hexadecimal text of either case; nil if it is not one.
  package init?(hex: String) {
    let digits = hex.compactMap(\.hexDigitValue)
    guard digits.count == hex.count, digits.count.isMultiple(of: 2) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

extension SecretBytes {
  /// A copy in ordinary memory, which only tests may make.
  package var exposed: [UInt8] { withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } } }

  package static func of(_ bytes: [UInt8]) throws(CryptoError) -> SecretBytes {
    try unsafe SecretBytes(copying: bytes.span.bytes)
  }
}

// The primitives as tests call them: arrays in, arrays out.

package func gcmSeal(
  _ text: [UInt8], _ key: [UInt8], nonce: [UInt8], _ associatedData: [UInt8] = []
) throws(CryptoError) -> [UInt8] {
  try unsafe AESGCM.seal(
    text.span.bytes, key: key.span.bytes, nonce: nonce.span.bytes, associatedData: associatedData.span.bytes)
}

package func gcmSeal(_ text: [UInt8], _ key: [UInt8], _ associatedData: [UInt8] = []) throws(CryptoError) -> [UInt8] {
  try unsafe AESGCM.seal(text.span.bytes, key: key.span.bytes, associatedData: associatedData.span.bytes)
}

package func gcmOpen(_ box: [UInt8], _ key: [UInt8], _ associatedData: [UInt8] = []) throws(CryptoError) -> [UInt8] {
  try unsafe AESGCM.open(box.span.bytes, key: key.span.bytes, associatedData: associatedData.span.bytes).exposed
}

package func chaChaSeal(
  _ text: [UInt8], _ key: [UInt8], nonce: [UInt8], _ associatedData: [UInt8] = []
) throws(CryptoError) -> [UInt8] {
  try unsafe ChaCha20Poly1305.seal(
    text.span.bytes, key: key.span.bytes, nonce: nonce.span.bytes, associatedData: associatedData.span.bytes)
}

package func chaChaOpen(
  _ box: [UInt8], _ key: [UInt8], nonce: [UInt8], _ associatedData: [UInt8] = []
) throws(CryptoError) -> [UInt8] {
  try unsafe ChaCha20Poly1305.open(
    box.span.bytes, key: key.span.bytes, nonce: nonce.span.bytes, associatedData: associatedData.span.bytes
  ).exposed
}

/// Opens into memory that was filled with 0xEE, and hands it back whatever happened.
package func chaChaOpenInPlace(
  _ box: [UInt8], _ key: [UInt8], nonce: [UInt8], outputByteCount: Int
) -> (output: [UInt8], error: CryptoError?) {
  var output = [UInt8](repeating: 0xEE, count: outputByteCount)
  do throws(CryptoError) {
    var elements = output.mutableSpan
    var span = unsafe elements.mutableBytes
    let nothing: [UInt8] = []
    try unsafe ChaCha20Poly1305.open(
      box.span.bytes, key: key.span.bytes, nonce: nonce.span.bytes, associatedData: nothing.span.bytes, into: &span)
  } catch {
    return (output, error)
  }
  return (output, nil)
}

package func hkdf(_ key: [UInt8], salt: [UInt8], info: [UInt8], _ byteCount: Int) throws(CryptoError) -> [UInt8] {
  try unsafe HKDFSHA256.derive(
    from: key.span.bytes, salt: salt.span.bytes, info: info.span.bytes, byteCount: byteCount
  ).exposed
}

package func hmac(_ message: [UInt8], _ key: [UInt8]) throws(CryptoError) -> [UInt8] {
  try unsafe HMACSHA256.authenticate(message.span.bytes, key: key.span.bytes)
}

package func isValid(_ mac: [UInt8], for message: [UInt8], _ key: [UInt8]) throws(CryptoError) -> Bool {
  try unsafe HMACSHA256.isValid(mac.span.bytes, for: message.span.bytes, key: key.span.bytes)
}

package func sha256(_ message: [UInt8]) throws(CryptoError) -> [UInt8] { try unsafe SHA256.hash(message.span.bytes) }

package func x25519PublicKey(_ privateKey: [UInt8]) throws(CryptoError) -> [UInt8] {
  try unsafe X25519.publicKey(for: privateKey.span.bytes)
}

package func x25519(_ privateKey: [UInt8], _ publicKey: [UInt8]) throws(CryptoError) -> [UInt8] {
  try unsafe X25519.sharedSecret(privateKey: privateKey.span.bytes, publicKey: publicKey.span.bytes).exposed
}
