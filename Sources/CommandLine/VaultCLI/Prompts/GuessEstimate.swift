import DynamicLibraries
package import VaultCrypto
import VaultTerminal

/// How soon a password would be guessed, as zxcvbn (Wheeler, 2016) estimates it where that library is installed.
package struct GuessEstimate {
  // double ZxcvbnMatch(const char *Passwd, const char *UserDict[], ZxcMatch_t **Info), as zxcvbn.h of version 2 has it.
  private typealias Match =
    @convention(c) (UnsafePointer<CChar>, UnsafeRawPointer?, UnsafeMutableRawPointer?) -> Double

  /// What is weak can be tried out on one machine: 2 to this power of tries.
  package static let strongBitCount = 40.0
  /// Nobody types more, and its time grows faster than the text.
  private static let longest = 256
  private static let library = DynamicLibrary(["libzxcvbn.so.0", "libzxcvbn.0.dylib", "libzxcvbn.dylib"])

  /// The logarithm to the base 2 of how many tries it takes.
  package let bitCount: Double

  /// Whether the library is there.
  package static var isAvailable: Bool { library != nil }

  /// Nil where nobody can tell.
  package init?(of secret: SecretBytes) throws {
    guard secret.count <= Self.longest, let match = unsafe Self.library?.function("ZxcvbnMatch", as: Match.self) else {
      return nil
    }
    // The library wants a zero at the end.
    let text = try SecretBytes(count: secret.count + 1) { span throws(CryptoError) in
      secret.withBytes { bytes in
        for offset in 0..<bytes.byteCount {
          span.storeBytes(of: bytes.byte(at: offset), toByteOffset: offset, as: UInt8.self)
        }
      }
    }
    bitCount = text.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { buffer in
        // There is one byte at least, and so an address.
        unsafe buffer.baseAddress.map { unsafe match($0.assumingMemoryBound(to: CChar.self), nil, nil) } ?? 0
      }
    }
  }

  /// Says of a secret that somebody has chosen that it is weak; it is never refused.
  static func warn(of secret: SecretBytes, called name: String, instead command: String, _ global: GlobalOptions) throws
  {
    guard let estimate = try GuessEstimate(of: secret), estimate.bitCount < strongBitCount else { return }
    global.messages.note(
      "\(name) is weak: it would be guessed in about \(estimate.tries); `\(command)` makes one that is not")
  }

  /// How many tries, to one digit.
  package var tries: String {
    let whole = Int(max(bitCount, 0))
    // Between two powers a straight line is near enough.
    var count = Double(1 << whole) * (1 + max(bitCount, 0) - Double(whole))
    var unit = 1.0
    while count >= 10 { (count, unit) = (count / 10, unit * 10) }
    let number = Int(count.rounded() * unit)
    guard number > 1 else { return "one try" }
    let names = [(1_000_000_000, " billion"), (1_000_000, " million"), (1_000, ",000"), (1, "")]
    return names.first { number >= $0.0 }.map { "\(number / $0.0)\($0.1) tries" } ?? ""
  }
}
