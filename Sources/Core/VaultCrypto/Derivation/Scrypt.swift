import COpenSSL

/// scrypt (RFC 7914), which makes guessing a passphrase costly in time and memory.
package enum Scrypt {
  /// The most memory in bytes for a derivation unless the caller sets another limit: enough for logN 22, r 8, p 1.
  package static let defaultMaximumMemoryByteCount = (4 << 30) + (1 << 20)

  /// The memory in bytes for these costs; nil if they are outside the limits of RFC 7914.
  ///
  /// - Parameters:
  ///   - logN: the binary logarithm of the work factor N, 1 to 62 and below 16 × r.
  ///   - r: block size in units of 128 bytes, from 1.
  ///   - p: how often the work is done, from 1; p × r is below 2^30.
  package static func memoryByteCount(logN: Int, r: Int = 8, p: Int = 1) -> Int? {
    guard r >= 1, p >= 1, r < 1 << 30, p < 1 << 30, p * r < 1 << 30 else { return nil }
    guard logN >= 1, logN < 63, logN < 16 * r else { return nil }
    // One block per lane, the table of N blocks and two blocks of work space, as OpenSSL counts.
    let blockByteCount = 128 * r
    let (table, isTooMuch) = blockByteCount.multipliedReportingOverflow(by: (1 << logN) + 2)
    let (total, isTooMuchInAll) = table.addingReportingOverflow(blockByteCount * p)
    return isTooMuch || isTooMuchInAll ? nil : total
  }

  /// Derives `byteCount` bytes, at least 1, with N = 2^logN.
  ///
  /// The limit is checked before any memory is taken. OpenSSL is granted exactly the memory for these costs; without a
  /// grant it refuses more than 32 MiB.
  package static func derive(
    passphrase: RawSpan, salt: RawSpan, logN: Int, r: Int = 8, p: Int = 1, byteCount: Int = 32,
    maximumMemoryByteCount: Int = defaultMaximumMemoryByteCount
  ) throws(CryptoError) -> SecretBytes {
    guard let memoryByteCount = memoryByteCount(logN: logN, r: r, p: p) else {
      throw CryptoError(.costOutOfRange, "scrypt does not accept these costs")
    }
    guard memoryByteCount <= maximumMemoryByteCount else {
      throw CryptoError(.costOutOfRange, "scrypt with these costs needs more memory than allowed")
    }
    guard byteCount >= 1 else { throw CryptoError(.wrongByteCount, "scrypt gives at least 1 byte") }
    _ = Algorithms.isLibraryStarted
    return try unsafe SecretBytes(
      count: byteCount, derivedFrom: passphrase, salt: salt, orFail: "scrypt failed"
    ) { pass, saltStart, output in
      unsafe pass.withMemoryRebound(to: CChar.self, capacity: passphrase.byteCount) { pass in
        unsafe EVP_PBE_scrypt(
          pass, passphrase.byteCount, saltStart, salt.byteCount, 1 << UInt64(logN), UInt64(r), UInt64(p),
          UInt64(memoryByteCount), output.byteStart, output.count) == 1
      }
    }
  }
}
