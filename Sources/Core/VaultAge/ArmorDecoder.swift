internal import VaultDocument

/// Reads armor line by line from a stream, in constant memory.
struct ArmorDecoder {
  private enum Place { case before, inside, afterShortLine, ended }

  private var place = Place.before
  private var queue: ByteQueue
  private var line = 0
  private var whiteSpaceCount = 0

  private static let bufferByteCount = 4096

  /// `queue` may hold the bytes that were read to detect the armor.
  init(queue: ByteQueue = ByteQueue()) {
    self.queue = queue
  }

  /// Appends the decoded bytes of the next line, none before the block; false if the block and the white space after
  /// it have been read. After an error the decoder must not be used again.
  mutating func decodeLine(to file: inout [UInt8], from read: AgeRead) throws(AgeError) -> Bool {
    guard place != .ended else { return false }
    line += 1
    let (textCount, lineCount) = try measureLine(from: read)
    let next = try queue.withBytes(first: textCount) { (text) throws(AgeError) in try decode(text, to: &file) }
    queue.consume(lineCount)
    if next == .before { whiteSpaceCount += lineCount }
    guard whiteSpaceCount <= AgeArmor.maximumWhiteSpaceCount else {
      throw fault("there is too much white space before the begin line")
    }
    place = next
    guard next == .ended else { return true }
    try checkEnd(from: read)
    return false
  }

  private func fault(_ reason: StaticString) -> AgeError { AgeError(.malformedArmor, reason, line: line) }

  /// Decodes one line, without its LF or CRLF, and returns the new state.
  private func decode(_ text: RawSpan, to file: inout [UInt8]) throws(AgeError) -> Place {
    if place == .before {
      if text.isExactly(AgeArmor.begin) { return .inside }
      guard text.isWhiteSpace else { throw fault("the first line is not the begin line of an age file") }
      return .before
    }
    if text.isExactly(AgeArmor.end) { return .ended }
    guard place == .inside else { throw fault("only the end line may follow a short line") }
    guard text.byteCount > 0 else { throw fault("a line is empty") }
    guard text.byteCount <= AgeStanza.columnCount else { throw fault("a line is longer than 64 columns") }
    let count = file.count
    guard Base64.append(decoding: Span(_bytes: text), .standard, to: &file) else {
      throw fault("a line is not canonical base64")
    }
    return file.count - count < AgeArmor.lineByteCount ? .afterShortLine : .inside
  }

  /// The byte counts of the next line: without its LF or CRLF, and with it.
  private mutating func measureLine(from read: AgeRead) throws(AgeError) -> (Int, Int) {
    let maximum = AgeArmor.maximumWhiteSpaceCount + 2
    if queue.count < maximum { try queue.fill(Self.bufferByteCount, from: read) }
    return try queue.withBytes(first: maximum) { (window) throws(AgeError) in
      guard !window.isEmpty else { throw fault("the text ends before the end line") }
      guard let lineFeed = window.firstOffset(of: .lineFeed) else {
        let isLast = queue.isAtEnd && window.byteCount == queue.count
        guard isLast else { throw fault("a line is too long") }
        return (window.byteCount, window.byteCount)
      }
      let isCRLF = lineFeed > 0 && window[octet: lineFeed - 1] == .carriageReturn
      return (isCRLF ? lineFeed - 1 : lineFeed, lineFeed + 1)
    }
  }

  /// Checks that only a little white space follows.
  private mutating func checkEnd(from read: AgeRead) throws(AgeError) {
    try queue.fill(AgeArmor.maximumWhiteSpaceCount + 1, from: read)
    guard queue.count <= AgeArmor.maximumWhiteSpaceCount else {
      throw fault("there is too much text after the end line")
    }
    let isWhiteSpace = try queue.withBytes { (rest) throws(AgeError) in rest.isWhiteSpace }
    guard isWhiteSpace else { throw fault("there is text other than white space after the end line") }
  }
}

extension RawSpan {
  fileprivate func isExactly(_ text: StaticString) -> Bool { byteCount == text.utf8CodeUnitCount && has(text) }

  fileprivate var isWhiteSpace: Bool { byteOffsets.allSatisfy { self[octet: $0].isWhiteSpace } }
}
