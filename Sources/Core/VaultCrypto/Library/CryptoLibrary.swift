import COpenSSL
internal import Synchronization

/// The library that everything cryptographic runs on.
package enum CryptoLibrary {
  /// Its name, version and date, as the library that is loaded now tells them.
  package static var version: String {
    guard let text = unsafe OpenSSL_version(OPENSSL_VERSION) else { return "OpenSSL" }
    return unsafe String(cString: text)
  }

  private static let claimed = Atomic<Bool>(false)

  /// Whether nobody else in this process uses OpenSSL.
  static var isOurs: Bool { claimed.load(ordering: .sequentiallyConsistent) }

  /// For a program in which nobody else uses OpenSSL, before anything is sealed or opened: OpenSSL starts without the
  /// tables of names of ciphers and digests, a third of what it does in a short process. Code for certificates looks
  /// its digests up there, so ``share()`` comes before any such code. Without this call OpenSSL starts in full.
  package static func claim() { claimed.store(true, ordering: .sequentiallyConsistent) }

  /// Before somebody else in this process uses OpenSSL, as libpq does for TLS: OpenSSL starts in full, or gets what a
  /// lean start has left out. May be called at any time, and any number of times.
  package static func share() {
    claimed.store(false, ordering: .sequentiallyConsistent)
    _ = Algorithms.isComplete
  }
}
