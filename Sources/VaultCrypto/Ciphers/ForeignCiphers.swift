import COpenSSL

/// AES-256 in CBC mode with HMAC-SHA-256 over nonce and ciphertext, as Bitwarden writes it; import only.
public enum AESCBCHMAC {
  /// The plaintext of a ciphertext whose MAC fits; nothing is decrypted before that is known.
  ///
  /// - Parameters:
  ///   - nonce: 16 bytes.
  ///   - key: 32 bytes.
  ///   - macKey: of any size.
  /// - Throws: `.authenticationFailed`, `.wrongByteCount`, `.libraryFailed`.
  public static func open(
    _ ciphertext: RawSpan, nonce: RawSpan, mac: RawSpan, key: RawSpan, macKey: RawSpan
  ) throws(CryptoError) -> [UInt8] {
    guard nonce.byteCount == 16, key.byteCount == 32 else {
      throw CryptoError(.wrongByteCount, "AES-256-CBC has a nonce of 16 bytes and a key of 32")
    }
    guard ciphertext.byteCount > 0, ciphertext.byteCount % 16 == 0, ciphertext.byteCount < Int(Int32.max) else {
      throw CryptoError(.wrongByteCount, "AES-CBC has whole blocks of 16 bytes, less than 2 GiB")
    }
    let authenticated = nonce.array + ciphertext.array
    guard try HMACSHA256.isValid(mac, for: RawSpan(_elements: authenticated.span), key: macKey) else {
      throw CryptoError(.authenticationFailed, "the key is wrong or the bytes were changed")
    }
    let context = try CipherContext()
    return try context.openCBC(ciphertext, key: key, nonce: nonce)
  }
}

extension AESGCM {
  /// Opens ciphertext ‖ tag 16 under a nonce of any size from 1 to 64 bytes, as sops writes it; import only.
  ///
  /// - Throws: `.authenticationFailed`, `.wrongByteCount`, `.libraryFailed`.
  public static func openForeign(
    _ box: RawSpan, nonce: RawSpan, key: RawSpan, associatedData: RawSpan
  ) throws(CryptoError) -> [UInt8] {
    guard key.byteCount == keyByteCount, (1...64).contains(nonce.byteCount), box.byteCount >= tagByteCount,
      max(box.byteCount, associatedData.byteCount) <= AEAD.maximumByteCount
    else { throw CryptoError(.wrongByteCount, "AES-256-GCM does not take these sizes") }
    let byteCount = box.byteCount - tagByteCount
    return try unsafe [UInt8](byteCount: byteCount) { output throws(CryptoError) in
      do throws(CryptoError) {
        let context = try CipherContext()
        try context.beginForeignGCM(key: key, nonce: nonce)
        try context.authenticate(associatedData)
        try unsafe context.process(box.extracting(first: byteCount), into: output)
        try context.finishOpening(tag: box.extracting(last: tagByteCount))
      } catch {
        unsafe OPENSSL_cleanse(output.baseAddress, output.count)
        throw error
      }
    }
  }
}

extension RawSpan {
  /// A copy of the bytes.
  fileprivate var array: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
