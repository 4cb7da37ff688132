internal import DynamicLibraries

/// Argon2 (RFC 9106), for files of other tools; this program's own files use scrypt.
///
/// OpenSSL has it only since 3.2. libargon2 is opened for the first such file.
package enum Argon2 {
  /// The memory access pattern; the numbers are those of the RFC.
  package enum Variant: Int32, Sendable {
    /// Argon2d: memory access depends on the password. KeePass databases use it by default.
    case d = 0
    /// Argon2id: the first half of the first pass does not depend on the password.
    case id = 2
  }

  /// The version of the function; files from before 2016 use the first.
  package enum Version: UInt32, Sendable {
    /// 1.0, of 2015.
    case first = 0x10
    /// 1.3, that of RFC 9106.
    case current = 0x13
  }

  package static var isAvailable: Bool { unsafe hash != nil }

  /// Derives `byteCount` bytes, at least 4.
  ///
  /// - Parameters:
  ///   - salt: at least 8 bytes.
  ///   - passes: from 1.
  ///   - kibibytes: memory, at least 8 for each lane and at most 4 GiB.
  ///   - lanes: from 1.
  package static func derive(
    _ variant: Variant = .id, version: Version = .current, passphrase: RawSpan, salt: RawSpan, passes: Int,
    kibibytes: Int, lanes: Int, byteCount: Int = 32
  ) throws(CryptoError) -> SecretBytes {
    guard (1...1 << 20).contains(passes), (1...1 << 10).contains(lanes), (8 * lanes...4 << 20).contains(kibibytes)
    else {
      throw CryptoError(.costOutOfRange, "Argon2 does not accept these costs")
    }
    guard let hash = unsafe hash else { throw CryptoError(.libraryFailed, "the library for Argon2 is missing") }
    return try unsafe SecretBytes(
      count: byteCount, derivedFrom: passphrase, salt: salt, orFail: "Argon2 failed"
    ) { pass, saltStart, output in
      unsafe hash(
        UInt32(passes), UInt32(kibibytes), UInt32(lanes), pass, passphrase.byteCount, saltStart, salt.byteCount,
        output.baseAddress, output.count, nil, 0, variant.rawValue, version.rawValue) == 0
    }
  }

  private typealias Hash =
    @convention(c) (
      UInt32, UInt32, UInt32, UnsafeRawPointer?, Int, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int,
      UnsafeMutablePointer<CChar>?, Int, Int32, UInt32
    ) -> Int32

  private static let library = DynamicLibrary(["libargon2.so.1", "libargon2.1.dylib", "libargon2.dylib"])
  private static let hash = unsafe library.flatMap {
    unsafe $0.function("argon2_hash", as: Hash.self)
  }
}
