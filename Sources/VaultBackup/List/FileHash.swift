internal import VaultCrypto
internal import VaultDocument
internal import VaultKit

/// SHA-256 of a file, held without a block of memory of its own: there is one for each record.
struct FileHash: Equatable, Sendable {
  private let first, second, third, fourth: UInt64

  /// Its 32 bytes as numbers, the first byte being the highest.
  var words: [UInt64] { [first, second, third, fourth] }

  private init(_ word: (Int) -> UInt64) {
    (first, second, third, fourth) = (word(0), word(1), word(2), word(3))
  }

  /// Takes 32 bytes; nil for another number.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == SHA256.byteCount else { return nil }
    self.init { word in (0..<8).reduce(0) { $0 << 8 | UInt64(bytes[8 * word + $1]) } }
  }

  init(of bytes: [UInt8]) throws(VaultError) {
    self.init(made: try inCrypto { () throws(CryptoError) in try SHA256.hash(RawSpan(_elements: bytes.span)) })
  }

  /// Takes what SHA-256 gave.
  init(made hash: [UInt8]) {
    guard let hash = FileHash(hash) else { preconditionFailure("SHA-256 has 32 bytes") }
    self = hash
  }

  /// Reads 64 lower-case digits; nil for anything else.
  init?(hexAt start: Int, of text: Span<UInt8>) {
    guard start >= 0, start + 64 <= text.count else { return nil }
    var isHex = true
    self.init { word in
      var number: UInt64 = 0
      for index in start + 16 * word..<start + 16 * word + 16 {
        let digit = Hex.lowerCaseValue(text[index])
        isHex = isHex && digit != nil
        number = number << 4 | UInt64(digit ?? 0)
      }
      return number
    }
    guard isHex else { return nil }
  }

  /// Appends the 64 digits of its text.
  func appendHex(to text: inout [UInt8]) {
    text.append(addingCapacity: 64) { output in
      for word in [first, second, third, fourth] {
        output.append(highest: 8, of: Hex.digits(of: UInt32(truncatingIfNeeded: word >> 32)))
        output.append(highest: 8, of: Hex.digits(of: UInt32(truncatingIfNeeded: word)))
      }
    }
  }

  var bytes: [UInt8] {
    let words = words
    return (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - 8 * ($0 % 8))) }
  }
}
