internal import VaultDocument

/// The text form of an age file: strict PEM with the label `AGE ENCRYPTED FILE`.
///
/// Source: c2sp.org/age, "ASCII armor"; RFC 7468 section 3, figure 3. Lines of 64 columns, a last line of at most 64,
/// canonical padded base64; LF or CRLF; white space (at most 1024 bytes on each side) before and after the block.
public enum AgeArmor {
  static let begin: StaticString = "-----BEGIN AGE ENCRYPTED FILE-----"
  static let end: StaticString = "-----END AGE ENCRYPTED FILE-----"
  static let lineByteCount = 48
  static let maximumWhiteSpaceCount = 1024

  /// The armored form of a binary age file, with LF line ends.
  public static func encode(_ file: RawSpan) -> [UInt8] {
    var text = Array("\(begin)\n".utf8)
    for start in stride(from: 0, to: file.byteCount, by: lineByteCount) {
      let line = file.extracting(start..<min(start + lineByteCount, file.byteCount))
      Base64.append(Span(_bytes: line), .standard, to: &text)
      text.append(.lineFeed)
    }
    return text + Array("\(end)\n".utf8)
  }

  /// The binary age file in armored `text`.
  ///
  /// - Throws: `.malformedArmor` with the line.
  public static func decode(_ text: RawSpan) throws(AgeError) -> [UInt8] {
    var decoder = ArmorDecoder()
    var file: [UInt8] = []
    var offset = 0
    while try decoder.decodeLine(to: &file, from: { text.read(from: &offset, into: &$0) }) {}
    return file
  }

  /// Whether `text` begins, after white space, like PEM.
  static func isBegun(in text: RawSpan) -> Bool {
    start(of: text).map { text.has("-----BEGIN ", at: $0) } ?? false
  }

  /// The offset of the first byte that is not white space; nil for white space alone.
  static func start(of text: RawSpan) -> Int? { text.byteOffsets.first { !text[octet: $0].isWhiteSpace } }
}

extension RawSpan {
  /// Acts as a stream: copies as many bytes as fit from `offset`, and moves `offset`.
  func read(from offset: inout Int, into output: inout MutableRawSpan) -> Int {
    let count = Swift.min(byteCount - offset, output.byteCount)
    output.copy(extracting(offset..<offset + count), at: 0)
    offset += count
    return count
  }
}
