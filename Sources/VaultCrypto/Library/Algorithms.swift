import COpenSSL

/// The algorithms of this module, each looked up once per process.
///
/// A fetch walks OpenSSL's providers and costs more than sealing a password, so nothing fetches by name later.
enum Algorithms {
  static let aes256GCM = unsafe Fetched(start { unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) })
  static let chaCha20Poly1305 = unsafe Fetched(start { unsafe EVP_CIPHER_fetch(nil, "ChaCha20-Poly1305", nil) })
  static let sha1 = unsafe Fetched(start { unsafe EVP_MD_fetch(nil, "SHA1", nil) })
  static let sha256 = unsafe Fetched(start { unsafe EVP_MD_fetch(nil, "SHA256", nil) })
  static let sha512 = unsafe Fetched(start { unsafe EVP_MD_fetch(nil, "SHA512", nil) })
  static let hmac = unsafe Fetched(start { unsafe EVP_MAC_fetch(nil, "HMAC", nil) })

  /// An algorithm that OpenSSL found, or nil when this OpenSSL has none of that name.
  @safe struct Fetched: @unchecked Sendable {
    // @unchecked: a fetched algorithm is reference counted, never freed here and only read by every OpenSSL call.
    private let pointer: OpaquePointer?

    init(_ pointer: OpaquePointer?) { unsafe self.pointer = pointer }

    /// The C object, which lives as long as the process.
    ///
    /// - Throws: `.libraryFailed` when this OpenSSL lacks the algorithm.
    @unsafe func get() throws(CryptoError) -> OpaquePointer {
      guard let pointer = unsafe pointer else {
        throw CryptoError(.libraryFailed, "this OpenSSL lacks an algorithm that the vault needs")
      }
      return unsafe pointer
    }
  }

  private static func start(_ fetch: () -> OpaquePointer?) -> OpaquePointer? {
    _ = isLibraryStarted
    return unsafe fetch()
  }

  /// Starts OpenSSL; every entry into the library by this module comes after it.
  ///
  /// No configuration file is read: one could load providers or engines into a process that holds keys, and reading it
  /// costs start-up time. No clean-up runs at exit: it would take tables away from threads that still seal, and the
  /// kernel takes all memory back anyway.
  static let isLibraryStarted: Bool = {
    let chosen = CryptoLibrary.isOurs ? options + leanOptions : options
    return OPENSSL_init_crypto(chosen.reduce(0) { $0 | UInt64($1) }, nil) == 1
  }()

  private static let options = [OPENSSL_INIT_NO_LOAD_CONFIG, OPENSSL_INIT_NO_ATEXIT]
  private static let leanOptions = [
    OPENSSL_INIT_NO_ADD_ALL_CIPHERS, OPENSSL_INIT_NO_ADD_ALL_DIGESTS, OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS,
  ]
}
