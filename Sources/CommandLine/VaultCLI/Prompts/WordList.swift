import VaultCrypto
import VaultTerminal

/// Words of a file, one on each line, without repetitions. Dice numbers may precede the words, as in the lists of the
/// EFF.
package struct WordList {
  /// With fewer words, any passphrase is soon guessed.
  static let leastCount = 1000
  private static let byteLimit = 16 << 20

  let words: [[UInt8]]

  /// Reads a whole list. Only `vault generate` allows `-`, which is standard input.
  init(readingFile path: String) throws {
    let bytes = try TextInput.file(path, limit: Self.byteLimit)
    var (words, seen): ([[UInt8]], Set<[UInt8]>) = ([], [])
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      guard let word = Self.word(of: line) else {
        throw CommandError(
          .inputRefused, "input_refused", subject: path, "line \(index + 1) is not one word in UTF-8",
          hints: ["each line must have one word; dice numbers may come before it"])
      }
      if !word.isEmpty, seen.insert(word).inserted { words.append(word) }
    }
    guard words.count >= Self.leastCount else {
      throw CommandError(
        .inputRefused, "input_refused", subject: path, "has too few different words: \(words.count)",
        hints: ["use a list of at least \(Self.leastCount) words, such as the EFF's of 7,776"])
    }
    self.words = words
  }

  /// The word of a line; empty for an empty line, nil for an invalid line.
  private static func word(of line: ArraySlice<UInt8>) -> [UInt8]? {
    var parts = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    if parts.count == 2, parts[0].count >= 4, parts[0].allSatisfy({ "123456".utf8.contains($0) }) {
      parts.removeFirst()
    }
    guard let word = parts.first else { return [] }
    guard parts.count == 1, let text = String(validating: word, as: UTF8.self),
      text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    else { return nil }
    return Array(word)
  }

  /// Words that are drawn uniformly, joined by `-`.
  func passphrase(of count: Int) throws(CryptoError) -> SecretBytes {
    var random = RandomBytes()
    var drawn: [Int] = []
    for _ in 0..<count { drawn.append(try random.next(below: words.count)) }
    let byteCount = drawn.reduce(count - 1) { $0 + words[$1].count }
    return try SecretBytes(byteCount: byteCount) { output in
      for (index, number) in drawn.enumerated() {
        if index > 0 { output.append(UInt8(ascii: "-")) }
        for byte in words[number] { output.append(byte) }
      }
    }
  }
}
