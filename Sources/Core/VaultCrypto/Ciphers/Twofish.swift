internal import DynamicLibraries

/// Twofish with a key of 256 bits in CBC mode, as KeePass uses it; import only.
///
/// OpenSSL does not have it. libgcrypt is opened for the first such file.
package enum TwofishCBC {
  package static var isAvailable: Bool { Library.shared != nil }

  /// The plaintext, without its padding, of whole unauthenticated blocks.
  ///
  /// - Parameters:
  ///   - nonce: 16 bytes.
  ///   - key: 32 bytes.
  /// - Throws: `.authenticationFailed` for invalid padding, `.wrongByteCount`, `.libraryFailed` also if there is no
  ///   library.
  package static func open(_ ciphertext: RawSpan, nonce: RawSpan, key: RawSpan) throws(CryptoError) -> [UInt8] {
    guard nonce.byteCount == 16, key.byteCount == 32, ciphertext.byteCount > 0, ciphertext.byteCount % 16 == 0 else {
      throw CryptoError(.wrongByteCount, "Twofish in CBC mode does not accept these sizes")
    }
    guard let library = Library.shared else {
      throw CryptoError(.libraryFailed, "the library for Twofish is missing")
    }
    let output = try library.decrypt(ciphertext, nonce: nonce, key: key)
    // PKCS #7: the padding is N bytes of the value N.
    guard let count = output.last, (1...16).contains(count), output.suffix(Int(count)).allSatisfy({ $0 == count })
    else { throw CryptoError(.authenticationFailed, "the padding is wrong") }
    return output.dropLast(Int(count))
  }

  /// The functions of libgcrypt that are called.
  @safe private struct Library: @unchecked Sendable {
    // @unchecked: functions of a library that is never closed.
    typealias Handle = OpaquePointer
    typealias Bytes = UnsafeRawPointer
    let open: @convention(c) (UnsafeMutablePointer<Handle?>?, Int32, Int32, UInt32) -> UInt32
    let close: @convention(c) (Handle?) -> Void
    let setKey: @convention(c) (Handle?, Bytes?, Int) -> UInt32
    let setNonce: @convention(c) (Handle?, Bytes?, Int) -> UInt32
    let decrypt: @convention(c) (Handle?, UnsafeMutableRawPointer?, Int, Bytes?, Int) -> UInt32

    static let shared = DynamicLibrary(["libgcrypt.so.20", "libgcrypt.20.dylib"]).flatMap(Library.init)
    /// `GCRY_CIPHER_TWOFISH` and `GCRY_CIPHER_MODE_CBC`.
    private static let (twofish, cbc): (Int32, Int32) = (10, 3)

    /// Looks the functions up and starts the library; nil if a function is missing.
    private init?(_ library: DynamicLibrary) {
      typealias Check = @convention(c) (UnsafePointer<CChar>?) -> UnsafePointer<CChar>?
      guard let check = unsafe library.function("gcry_check_version", as: Check.self), unsafe check(nil) != nil,
        let open = unsafe library.function(
          "gcry_cipher_open",
          as: (@convention(c) (UnsafeMutablePointer<Handle?>?, Int32, Int32, UInt32) -> UInt32).self),
        let close = unsafe library.function("gcry_cipher_close", as: (@convention(c) (Handle?) -> Void).self),
        let setKey = unsafe library.function(
          "gcry_cipher_setkey", as: (@convention(c) (Handle?, Bytes?, Int) -> UInt32).self),
        let setNonce = unsafe library.function(
          "gcry_cipher_setiv", as: (@convention(c) (Handle?, Bytes?, Int) -> UInt32).self),
        let decrypt = unsafe library.function(
          "gcry_cipher_decrypt",
          as: (@convention(c) (Handle?, UnsafeMutableRawPointer?, Int, Bytes?, Int) -> UInt32).self)
      else { return nil }
      unsafe (self.open, self.close, self.setKey, self.setNonce) = (open, close, setKey, setNonce)
      unsafe self.decrypt = decrypt
    }

    /// The plaintext with its padding; the caller has checked all sizes.
    func decrypt(_ ciphertext: RawSpan, nonce: RawSpan, key: RawSpan) throws(CryptoError) -> [UInt8] {
      let failure = CryptoError(.libraryFailed, "the library refused to decrypt with Twofish")
      var handle: Handle?
      guard unsafe open(&handle, Self.twofish, Self.cbc, 0) == 0 else { throw failure }
      defer { unsafe close(handle) }
      let isReady = unsafe key.withInput { key in
        unsafe nonce.withInput { nonce in
          unsafe setKey(handle, key, 32) == 0 && setNonce(handle, nonce, 16) == 0
        }
      }
      guard isReady else { throw failure }
      return try unsafe [UInt8](byteCount: ciphertext.byteCount) { output throws(CryptoError) in
        let status = unsafe ciphertext.withInput { input in
          unsafe decrypt(handle, output.baseAddress, output.count, input, ciphertext.byteCount)
        }
        guard status == 0 else { throw failure }
      }
    }
  }
}
