import COpenSSL
internal import Synchronization

/// The loaded OpenSSL, and whether other code of this process uses it too.
package enum CryptoLibrary {
  /// Name, version and date of the loaded library.
  package static var version: String {
    guard let text = unsafe OpenSSL_version(OPENSSL_VERSION) else { return "OpenSSL" }
    return unsafe String(cString: text)
  }

  private static let claimed = Atomic<Bool>(false)

  /// Whether only this module uses OpenSSL in this process.
  static var isOurs: Bool { claimed.load(ordering: .sequentiallyConsistent) }

  /// Declares that only this module uses OpenSSL in this process; call it before anything is sealed or opened.
  ///
  /// OpenSSL then starts without the name tables of ciphers and digests, which saves a third of its work in a short
  /// process. Certificate code needs these tables, so ``share()`` must come before it. Without this call OpenSSL starts
  /// in full.
  package static func claim() { claimed.store(true, ordering: .sequentiallyConsistent) }

  /// Prepares for other users of OpenSSL in this process, such as libpq for TLS: OpenSSL starts in full, or adds the
  /// tables that a lean start left out. It may be called at any time and repeatedly.
  package static func share() {
    claimed.store(false, ordering: .sequentiallyConsistent)
    _ = Algorithms.isComplete
  }
}
