import COpenSSL
internal import Synchronization

/// The algorithms of this module, each looked up once per process.
///
/// A fetch walks OpenSSL's providers and costs more than sealing a password, so nothing is fetched by name later.
enum Algorithms {
  static let aes128GCM = unsafe Fetched(start { unsafe EVP_CIPHER_fetch(nil, "AES-128-GCM", nil) })
  static let aes192GCM = unsafe Fetched(start { unsafe EVP_CIPHER_fetch(nil, "AES-192-GCM", nil) })
  static let aes256GCM = unsafe Fetched(start { unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) })
  static let chaCha20Poly1305 = unsafe Fetched(start { unsafe EVP_CIPHER_fetch(nil, "ChaCha20-Poly1305", nil) })
  static let sha1 = unsafe Fetched(start { unsafe EVP_MD_fetch(nil, "SHA1", nil) })
  static let sha256 = unsafe Fetched(start { unsafe EVP_MD_fetch(nil, "SHA256", nil) })
  static let sha512 = unsafe Fetched(start { unsafe EVP_MD_fetch(nil, "SHA512", nil) })
  static let sha3 = unsafe Fetched(start { unsafe EVP_MD_fetch(nil, "SHA3-256", nil) })
  static let shake256 = unsafe Fetched(start { unsafe EVP_MD_fetch(nil, "SHAKE256", nil) })
  static let hmac = unsafe Fetched(start { unsafe EVP_MAC_fetch(nil, "HMAC", nil) })

  /// An algorithm of OpenSSL; nil if this OpenSSL does not have it.
  @safe struct Fetched: @unchecked Sendable {
    // @unchecked: a fetched algorithm is reference counted, never freed here and only read by every OpenSSL call.
    private let pointer: OpaquePointer?

    init(_ pointer: OpaquePointer?) { unsafe self.pointer = pointer }

    /// The C object, which lives as long as the process.
    @unsafe func get() throws(CryptoError) -> OpaquePointer {
      guard let pointer = unsafe pointer else {
        throw CryptoError(.libraryFailed, "this OpenSSL does not have an algorithm that the vault needs")
      }
      return unsafe pointer
    }
  }

  private static func start(_ fetch: () -> OpaquePointer?) -> OpaquePointer? {
    _ = isLibraryStarted
    return unsafe fetch()
  }

  /// Starts OpenSSL before this module first uses it.
  ///
  /// No configuration file is read, because it could load providers or engines into a process that holds keys, and
  /// reading it takes time. No clean-up runs at exit, because it would remove tables that other threads may still use.
  static let isLibraryStarted: Bool = {
    let isOurs = CryptoLibrary.isOurs
    isLean.store(isOurs, ordering: .sequentiallyConsistent)
    let chosen = isOurs ? options + leanOptions : options
    return OPENSSL_init_crypto(chosen.reduce(0) { $0 | UInt64($1) }, nil) == 1
  }()

  /// Whether OpenSSL was started without its tables of names.
  private static let isLean = Atomic(false)
  private static let options = [OPENSSL_INIT_NO_LOAD_CONFIG, OPENSSL_INIT_NO_ATEXIT]
  private static let leanOptions = [OPENSSL_INIT_NO_ADD_ALL_CIPHERS, OPENSSL_INIT_NO_ADD_ALL_DIGESTS]

  /// Starts OpenSSL and adds the names that a lean start left out; OpenSSL never adds them later.
  static let isComplete: Bool = {
    guard isLibraryStarted, isLean.load(ordering: .sequentiallyConsistent) else { return isLibraryStarted }
    // The digests and ciphers of certificates and encrypted private keys.
    let digests = unsafe [
      EVP_md5(), EVP_md5_sha1(), EVP_sha1(), EVP_sha224(), EVP_sha256(), EVP_sha384(), EVP_sha512(), EVP_sha512_224(),
      EVP_sha512_256(), EVP_sha3_224(), EVP_sha3_256(), EVP_sha3_384(), EVP_sha3_512(),
    ]
    let ciphers = unsafe [
      EVP_aes_128_cbc(), EVP_aes_192_cbc(), EVP_aes_256_cbc(), EVP_aes_128_gcm(), EVP_aes_256_gcm(), EVP_aes_128_ccm(),
      EVP_aes_256_ccm(), EVP_chacha20_poly1305(), EVP_des_ede3_cbc(),
    ]
    return unsafe digests.allSatisfy { unsafe EVP_add_digest($0) == 1 }
      && ciphers.allSatisfy { unsafe EVP_add_cipher($0) == 1 }
  }()
}
