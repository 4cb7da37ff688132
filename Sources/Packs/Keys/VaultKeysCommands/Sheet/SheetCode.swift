import VaultAge
import VaultCrypto
import VaultSealing
import VaultTerminal

/// An identity as a sheet shows it: its Bech32 text in groups, and the same bytes in words.
///
/// A word of five letters holds 16 bits: consonant, vowel, consonant, vowel, consonant, as in passphrases that
/// `generate` makes. Four words of a line hold eight bytes. The fifth word is a CRC of these bytes, of the number of
/// the line and of the kind of the identity, so that each line can be checked by itself.
struct SheetCode {
  /// The beginnings of identities whose bytes a sheet can show, without the separator `1`.
  static let prefixes: [StaticString] = ["AGE-SECRET-KEY-", "AGE-SECRET-KEY-PQ-"]
  static let byteCount = 32
  static let wordsInLine = 5
  static let charactersInLine = 20
  private static let bytesInLine = 8

  static let consonants = Array("bdfgjklmnprstvz".utf8)
  static let vowels = Array("aeiou".utf8)
  static let wordShape = [consonants, vowels, consonants, vowels, consonants]

  /// The Bech32 lines: the beginning, then the rest in groups of four.
  let groupLines: [String]
  let wordLines: [String]

  /// - Parameter text: the text of an identity, which `AgeIdentity` has made.
  init(_ text: RawSpan) throws {
    let whole = text.copiedBytes()
    guard let prefix = Self.prefix(of: whole) else { throw Self.unknownKind }
    let start = Self.start(prefix)
    groupLines =
      [String(decoding: whole[..<start], as: UTF8.self)]
      + Self.pieces(whole[start...], of: Self.charactersInLine).map { line in
        Self.pieces(line, of: 4).map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
      }
    let bytes = try Self.bytes(of: text)
    wordLines = Self.pieces(bytes[...], of: Self.bytesInLine).enumerated().map { index, line in
      let line = Array(line)
      let numbers = stride(from: 0, to: line.count, by: 2).map { UInt16(line[$0]) << 8 | UInt16(line[$0 + 1]) }
      return (numbers + [Self.check(line, line: index, prefix: prefix)]).map(Self.word).joined(separator: " ")
    }
  }

  /// Such as `AGE-SECRET-KEY-` for the longest beginning that fits; nil for other kinds of identities.
  static func prefix(of text: [UInt8]) -> Int? {
    prefixes.indices.last { index in text.starts(with: Array("\(prefixes[index])1".utf8)) }
  }

  /// The number of characters of a beginning, with its separator.
  static func start(_ prefix: Int) -> Int { prefixes[prefix].utf8CodeUnitCount + 1 }

  /// The number of characters of a whole identity.
  static func characterCount(_ prefix: Int) -> Int {
    Bech32.encodedCount(prefix: prefixes[prefix].utf8CodeUnitCount, data: byteCount)
  }

  private static func pieces(_ bytes: ArraySlice<UInt8>, of count: Int) -> [ArraySlice<UInt8>] {
    stride(from: bytes.startIndex, to: bytes.endIndex, by: count).map { bytes[$0..<min($0 + count, bytes.endIndex)] }
  }

  private static func bytes(of text: RawSpan) throws -> [UInt8] {
    guard let layout = try? Bech32.check(text), layout.byteCount == byteCount else { throw unknownKind }
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var span = bytes.mutableSpan
    // Unsafe because any bytes can be stored; a UInt8 may be any byte.
    var raw = unsafe span.mutableBytes
    Bech32.decode(text, layout, into: &raw)
    return bytes
  }

  private static let unknownKind = CommandError(
    .failed, "internal_failure", subject: "sheet", "this kind of identity does not fit on a sheet")
}

// MARK: Words

extension SheetCode {
  static func word(_ number: UInt16) -> String {
    var rest = Int(number)
    var letters: [UInt8] = []
    for letter in wordShape.reversed() {
      letters.append(letter[rest % letter.count])
      rest /= letter.count
    }
    return String(decoding: letters.reversed(), as: UTF8.self)
  }

  /// The number of a word in lower case; nil if the word is not of this shape.
  static func number(of word: [UInt8]) -> UInt16? {
    guard word.count == wordShape.count else { return nil }
    var number = 0
    for (letter, allowed) in zip(word, wordShape) {
      guard let value = allowed.firstIndex(of: letter) else { return nil }
      number = number * allowed.count + value
    }
    return UInt16(exactly: number)
  }

  /// The CRC of a line: CCITT, which finds each change of one word.
  static func check(_ bytes: [UInt8], line: Int, prefix: Int) -> UInt16 {
    ([UInt8(prefix), UInt8(line)] + bytes).reduce(0xFFFF) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
    }
  }

  /// The bytes of a line of words, without the word that checks them; nil if that word does not fit.
  static func bytes(of numbers: [UInt16], line: Int, prefix: Int) -> [UInt8]? {
    let bytes = numbers.dropLast().flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return check(bytes, line: line, prefix: prefix) == numbers.last ? bytes : nil
  }

  /// The Bech32 text of the bytes of all lines.
  static func text(_ bytes: [UInt8], prefix: Int) throws(CryptoError) -> SecretBytes {
    try SecretBytes(count: characterCount(prefix)) { (output) throws(CryptoError) in
      Bech32.encode(prefix: prefixes[prefix], RawSpan(_elements: bytes.span), into: &output)
    }
  }
}
