import COpenSSL

/// The library that everything cryptographic runs on.
public enum CryptoLibrary {
  /// Its name, version and date, as the library that is loaded now tells them.
  public static var version: String {
    guard let text = unsafe OpenSSL_version(OPENSSL_VERSION) else { return "OpenSSL" }
    return unsafe String(cString: text)
  }
}
