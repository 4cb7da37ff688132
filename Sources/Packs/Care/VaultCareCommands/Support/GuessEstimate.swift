import DynamicLibraries
import VaultCrypto
import VaultTerminal

/// An estimate of how soon a password would be guessed, by zxcvbn (Wheeler, 2016) if that library is installed.
struct GuessEstimate {
  // double ZxcvbnMatch(const char *Passwd, const char *UserDict[], ZxcMatch_t **Info), from zxcvbn.h of version 2.
  private typealias Match =
    @convention(c) (UnsafePointer<CChar>, UnsafeRawPointer?, UnsafeMutableRawPointer?) -> Double

  /// Fewer bits are weak: a single machine can try 2 to this power.
  static let strongBitCount = 40.0
  /// Longer texts are skipped, because the time grows faster than the text.
  private static let longest = 256
  private static let library = DynamicLibrary(["libzxcvbn.so.0", "libzxcvbn.0.dylib", "libzxcvbn.dylib"])

  /// The binary logarithm of the number of tries.
  let bitCount: Double

  static var isAvailable: Bool { library != nil }

  /// Nil if there is no estimate.
  init?(of secret: SecretBytes) throws {
    guard secret.count <= Self.longest, let match = unsafe Self.library?.function("ZxcvbnMatch", as: Match.self) else {
      return nil
    }
    // The library needs a zero at the end.
    let text = try SecretBytes(count: secret.count + 1) { span throws(CryptoError) in
      secret.withBytes { bytes in
        for offset in 0..<bytes.byteCount {
          span.storeBytes(of: bytes.byte(at: offset), toByteOffset: offset, as: UInt8.self)
        }
      }
    }
    bitCount = text.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { buffer in
        // There is at least one byte, and so an address.
        unsafe buffer.baseAddress.map { unsafe match($0.assumingMemoryBound(to: CChar.self), nil, nil) } ?? 0
      }
    }
  }

  /// The tries for a weak secret. Nil if it is strong enough, or there is no estimate.
  static func triesIfWeak(_ secret: SecretBytes) throws -> String? {
    guard let estimate = try GuessEstimate(of: secret), estimate.bitCount < strongBitCount else { return nil }
    return estimate.tries
  }

  /// The number of tries, with one significant digit.
  var tries: String {
    let whole = Int(max(bitCount, 0))
    // A straight line between two powers is accurate enough.
    var count = Double(1 << whole) * (1 + max(bitCount, 0) - Double(whole))
    var unit = 1.0
    while count >= 10 { (count, unit) = (count / 10, unit * 10) }
    let number = Int(count.rounded() * unit)
    guard number > 1 else { return "one try" }
    let names = [(1_000_000_000, " billion"), (1_000_000, " million"), (1_000, ",000"), (1, "")]
    return names.first { number >= $0.0 }.map { "\(number / $0.0)\($0.1) tries" } ?? ""
  }
}
