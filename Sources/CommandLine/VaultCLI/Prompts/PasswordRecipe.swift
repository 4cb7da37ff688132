package import VaultCrypto
import VaultRecords
import VaultTerminal

/// The composition of a new password or passphrase. Each character or word is drawn uniformly.
package enum PasswordRecipe {
  /// Letters and digits, and optionally symbols, with at least one of each class.
  case characters(Int, symbols: Bool)
  /// Words of five letters, joined by `-`.
  case words(Int)
  case listed(WordList, Int)
  case ruled(RuledPassword)

  static let standardLength = PasswordRules.usualLength
  static let passphraseCount = 6
  static let passphrase = PasswordRecipe.words(passphraseCount)
  static let standard = PasswordRecipe.characters(standardLength, symbols: false)
  static let lengths = 8...1024
  static let wordCounts = 3...64

  private static let classes = [
    Array("abcdefghijklmnopqrstuvwxyz".utf8), Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8), Array("0123456789".utf8),
  ]
  private static let symbols = Array("!#$%&()*+,-./:;<=>?@[]^_{|}~".utf8)

  // A word is consonant, vowel, consonant, vowel, consonant: easy to say, remember and type in any language.
  private static let consonants = Array("bdfgjklmnprstvz".utf8)
  private static let vowels = Array("aeiou".utf8)
  private static let wordShape = [consonants, vowels, consonants, vowels, consonants]

  private static func classes(withSymbols hasSymbols: Bool) -> [[UInt8]] { classes + (hasSymbols ? [symbols] : []) }

  package func make() throws(CryptoError) -> SecretBytes {
    switch self {
    case .listed(let list, let count): return try list.passphrase(of: count)
    case .ruled(let ruled):
      let alphabets = Array(repeating: ruled.rules.alphabet, count: ruled.length)
      return try Self.drawn(alphabets) { ruled.rules.accepts(Swift.Span<UInt8>(_bytes: $0)) }
    case .words(let count):
      let separator = [[UInt8(ascii: "-")]]
      return try Self.drawn(Array(repeating: Self.wordShape, count: count).joined(separator: separator).map { $0 })
    case .characters(let length, let hasSymbols):
      let classes = Self.classes(withSymbols: hasSymbols)
      let alphabet = classes.flatMap { $0 }
      return try Self.drawn(Array(repeating: alphabet, count: length)) { bytes in
        classes.allSatisfy { members in (0..<length).contains { members.contains(bytes.byte(at: $0)) } }
      }
    }
  }

  /// The bits of entropy. Rejected passwords without some class cost less than one bit.
  package var bitCount: Int {
    switch self {
    case .listed(let list, let count): Int(Double(count) * System.binaryLogarithm(Double(list.words.count)))
    case .ruled(let ruled): Int(ruled.bits)
    case .words(let count):
      Int(Double(count) * Self.wordShape.reduce(0) { $0 + System.binaryLogarithm(Double($1.count)) })
    case .characters(let length, let hasSymbols):
      Int(Double(length) * System.binaryLogarithm(Double(Self.classes(withSymbols: hasSymbols).joined().count)))
    }
  }

  var size: String {
    switch self {
    case .words(let count), .listed(_, let count): "\(count) words"
    case .characters(let length, _): "\(length) characters"
    case .ruled(let ruled): "\(ruled.length) characters"
    }
  }

  /// The first acceptable draw. Others are rejected as a whole, so that the accepted ones stay equally likely.
  private static func drawn(
    _ alphabets: [[UInt8]], until isGood: (RawSpan) -> Bool
  ) throws(CryptoError) -> SecretBytes {
    while true {
      let password = try drawn(alphabets)
      if password.withBytes(isGood) { return password }
    }
  }

  /// One character from each alphabet in turn.
  private static func drawn(_ alphabets: [[UInt8]]) throws(CryptoError) -> SecretBytes {
    var random = RandomBytes()
    return try SecretBytes(count: alphabets.count) { span throws(CryptoError) in
      for (offset, alphabet) in alphabets.enumerated() {
        let index = try random.next(below: alphabet.count)
        span.storeBytes(of: alphabet[index], toByteOffset: offset, as: UInt8.self)
      }
    }
  }
}

/// Random numbers from bytes in secure memory.
struct RandomBytes {
  private var pool: SecretBytes?
  private var offset = 0

  /// A uniform number below `bound` (1 to 2²⁴). Values beyond the last multiple of `bound` are rejected.
  mutating func next(below bound: Int) throws(CryptoError) -> Int {
    let byteCount = bound <= 1 << 8 ? 1 : bound <= 1 << 16 ? 2 : 3
    let even = (1 << (8 * byteCount)) / bound * bound
    while true {
      var number = 0
      for _ in 0..<byteCount { number = number << 8 | Int(try nextByte()) }
      if number < even { return number % bound }
    }
  }

  private mutating func nextByte() throws(CryptoError) -> UInt8 {
    let bytes: SecretBytes
    if let pool, offset < pool.count {
      bytes = pool
    } else {
      bytes = try .random(count: 256)
      pool = bytes
      offset = 0
    }
    defer { offset += 1 }
    return bytes.withBytes { $0.byte(at: offset) }
  }
}
