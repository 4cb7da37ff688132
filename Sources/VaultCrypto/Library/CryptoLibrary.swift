import COpenSSL
internal import Synchronization

/// The library that everything cryptographic runs on.
public enum CryptoLibrary {
  /// Its name, version and date, as the library that is loaded now tells them.
  public static var version: String {
    guard let text = unsafe OpenSSL_version(OPENSSL_VERSION) else { return "OpenSSL" }
    return unsafe String(cString: text)
  }

  private static let claimed = Atomic<Bool>(false)

  /// Whether nobody else in this process uses OpenSSL.
  static var isOurs: Bool { claimed.load(ordering: .sequentiallyConsistent) }

  /// For a program in which nobody else uses OpenSSL, before anything is sealed or opened: it is started without the
  /// tables of older names of ciphers and digests and without the texts of errors, a third of what it does in a short
  /// process. Whoever asks for those, as code for certificates does, would not get them any more.
  public static func claim() { claimed.store(true, ordering: .sequentiallyConsistent) }
}
