import COpenSSL

/// AES-256 in CBC mode with HMAC-SHA-256 over nonce and ciphertext, as Bitwarden writes it; import only.
package enum AESCBCHMAC {
  /// Checks the MAC, then decrypts.
  ///
  /// - Parameters:
  ///   - nonce: 16 bytes.
  ///   - key: 32 bytes.
  ///   - macKey: of any size.
  package static func open(
    _ ciphertext: RawSpan, nonce: RawSpan, mac: RawSpan, key: RawSpan, macKey: RawSpan
  ) throws(CryptoError) -> [UInt8] {
    guard nonce.byteCount == 16, key.byteCount == 32 else {
      throw CryptoError(.wrongByteCount, "AES-256-CBC needs a nonce of 16 bytes and a key of 32")
    }
    guard ciphertext.byteCount > 0, ciphertext.byteCount % 16 == 0, ciphertext.byteCount < Int(Int32.max) else {
      throw CryptoError(.wrongByteCount, "AES-CBC needs whole blocks of 16 bytes, less than 2 GiB")
    }
    let authenticated = nonce.array + ciphertext.array
    guard try HMACSHA256.isValid(mac, for: RawSpan(_elements: authenticated.span), key: macKey) else {
      throw CryptoError(.authenticationFailed, "the key is wrong or the bytes were changed")
    }
    let context = try CipherContext()
    return try context.openCBC(ciphertext, key: key, nonce: nonce)
  }
}

/// AES-256 as KeePass uses it; import only.
package enum AESCBC {
  /// The plaintext of whole blocks, without its padding. The caller authenticates them, before or after.
  ///
  /// - Parameters:
  ///   - nonce: 16 bytes.
  ///   - key: 32 bytes.
  /// - Throws: `.authenticationFailed` for invalid padding, `.wrongByteCount`, `.libraryFailed`.
  package static func open(_ ciphertext: RawSpan, nonce: RawSpan, key: RawSpan) throws(CryptoError) -> [UInt8] {
    guard nonce.byteCount == 16, key.byteCount == 32, ciphertext.byteCount > 0, ciphertext.byteCount % 16 == 0,
      ciphertext.byteCount < Int(Int32.max)
    else { throw CryptoError(.wrongByteCount, "AES-CBC does not accept these sizes") }
    let context = try CipherContext()
    return try context.openCBC(ciphertext, key: key, nonce: nonce)
  }

  /// Encrypts each of two blocks `rounds` times, at least once, under a key of 32 bytes: the key stretching of KeePass.
  package static func iterated(_ blocks: RawSpan, key: RawSpan, rounds: Int) throws(CryptoError) -> [UInt8] {
    guard blocks.byteCount == 32, key.byteCount == 32 else {
      throw CryptoError(.wrongByteCount, "two blocks and a key must have 32 bytes each")
    }
    guard rounds >= 1 else { throw CryptoError(.costOutOfRange, "a block must be encrypted at least once") }
    return try chained(blocks.extracting(first: 16), key: key, rounds: rounds)
      + chained(blocks.extracting(last: 16), key: key, rounds: rounds)
  }

  /// Encrypts one block repeatedly as a CBC chain of zero blocks, which runs at the speed of the library.
  private static func chained(_ block: RawSpan, key: RawSpan, rounds: Int) throws(CryptoError) -> [UInt8] {
    let context = try CipherContext()
    try unsafe context.beginPlain(EVP_aes_256_cbc(), key: key, nonce: block, isSealing: true, isPadded: false)
    let zeros = [UInt8](repeating: 0, count: 64 << 10)
    var output: [UInt8] = []
    var rest = rounds
    while rest > 0 {
      let byteCount = min(rest, zeros.count / 16) * 16
      let input = RawSpan(_elements: zeros.span).extracting(first: byteCount)
      output = try unsafe [UInt8](byteCount: byteCount) { output throws(CryptoError) in
        try unsafe context.process(input, into: output)
      }
      rest -= byteCount / 16
    }
    return Array(output.suffix(16))
  }
}

/// A stream cipher. Encryption and decryption are the same operation, and nothing is authenticated. For files of other
/// tools.
package final class StreamCipher {
  package enum Algorithm: Sendable {
    /// ChaCha20 (RFC 8439) from block 0, with a nonce of 12 bytes.
    case chaCha20
    /// AES-256 in counter mode, with a first counter of 16 bytes.
    case aes256Counter
  }

  private let context: CipherContext

  /// - Parameter key: 32 bytes.
  package init(_ algorithm: Algorithm, key: RawSpan, nonce: RawSpan) throws(CryptoError) {
    let isChaCha = algorithm == .chaCha20
    guard key.byteCount == 32, nonce.byteCount == (isChaCha ? 12 : 16) else {
      throw CryptoError(.wrongByteCount, "a stream cipher needs a key of 32 bytes and a nonce of its own size")
    }
    context = try CipherContext()
    // The library expects the block number before the nonce.
    let start = [UInt8](repeating: 0, count: isChaCha ? 4 : 0) + nonce.array
    try unsafe context.beginPlain(
      isChaCha ? EVP_chacha20() : EVP_aes_256_ctr(), key: key, nonce: RawSpan(_elements: start.span), isSealing: true)
  }

  /// Encrypts or decrypts the next bytes.
  package func process(_ text: RawSpan) throws(CryptoError) -> [UInt8] {
    guard text.byteCount <= AEAD.maximumByteCount else {
      throw CryptoError(.wrongByteCount, "a message is longer than 2 GiB")
    }
    return try unsafe [UInt8](byteCount: text.byteCount) { output throws(CryptoError) in
      try unsafe context.process(text, into: output)
    }
  }
}

extension AESGCM {
  /// Opens ciphertext ‖ tag 16 under a nonce of any size from 1 to 64 bytes, as sops writes it; import only.
  package static func openForeign(
    _ box: RawSpan, nonce: RawSpan, key: RawSpan, associatedData: RawSpan
  ) throws(CryptoError) -> [UInt8] {
    guard key.byteCount == keyByteCount, (1...64).contains(nonce.byteCount), box.byteCount >= tagByteCount,
      max(box.byteCount, associatedData.byteCount) <= AEAD.maximumByteCount
    else { throw CryptoError(.wrongByteCount, "AES-256-GCM does not accept these sizes") }
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
  fileprivate var array: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
