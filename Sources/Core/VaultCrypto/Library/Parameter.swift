import COpenSSL

/// Entries of the parameter lists for OpenSSL's KDF and MAC calls.
///
/// A list holds only addresses. Names are therefore static strings, whose address never changes. OpenSSL's macros for
/// them reach Swift as `String`, which has no lasting address.
enum Parameter {
  /// Selects SHA-256 as the digest of a KDF or MAC.
  static var sha256: OSSL_PARAM {
    unsafe OSSL_PARAM_construct_utf8_string(start(of: "digest"), UnsafeMutablePointer(mutating: start(of: "SHA256")), 0)
  }

  /// An input of bytes, which must stay in place until the call that takes the list returns.
  @unsafe static func bytes(_ name: StaticString, start: UnsafePointer<UInt8>, count: Int) -> OSSL_PARAM {
    // The list type serves outputs too, hence its mutable pointer.
    unsafe OSSL_PARAM_construct_octet_string(self.start(of: name), UnsafeMutableRawPointer(mutating: start), count)
  }

  /// Both halves of a key: OpenSSL's EVP_PKEY_KEYPAIR, a macro that Swift does not see.
  static let keyPair = Int32(OSSL_KEYMGMT_SELECT_PUBLIC_KEY | OSSL_KEYMGMT_SELECT_PRIVATE_KEY)

  @unsafe private static func start(of name: StaticString) -> UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
