internal import VaultDocument

extension AgeHeader {
  /// Parses the header at the start of `file` and ignores the bytes after it.
  ///
  /// It is strict, as the specification demands: one space between arguments, stanza lines of 64 columns with a shorter
  /// last one, canonical unpadded base64, LF only.
  /// - Throws: `.malformedHeader` (with the line), `.tooLarge`.
  public static func parse(_ file: RawSpan) throws(AgeError) -> AgeHeader {
    guard file.has(versionLine) else {
      throw AgeError(.malformedHeader, "the file does not begin with age-encryption.org/v1", line: 1)
    }
    var cursor = HeaderCursor(offset: versionLine.utf8CodeUnitCount, line: 1)
    var stanzas: [AgeStanza] = []
    while true {
      let line = try cursor.nextLine(in: file)
      if file.has("---", at: line.lowerBound) {
        guard !stanzas.isEmpty else { throw cursor.fault("there is no stanza before the MAC") }
        let mac = try cursor.mac(file.extracting(line))
        return AgeHeader(stanzas: stanzas, mac: mac, byteCount: cursor.offset)
      }
      guard stanzas.count < maximumStanzaCount else {
        throw AgeError(.tooLarge, "the header has too many stanzas", line: cursor.line)
      }
      let arguments = try cursor.arguments(file.extracting(line))
      let body = try cursor.body(in: file)
      stanzas.append(AgeStanza(type: arguments[0], arguments: Array(arguments.dropFirst()), body: body))
    }
  }

  /// The end of the header if its MAC line is there: a cheap check for streams before parsing.
  static func end(in file: RawSpan) -> Int? {
    var start = 0
    while let lineFeed = file.firstOffset(of: .lineFeed, from: start) {
      // No line of a stanza begins with three dashes.
      if file.has("---", at: start) { return lineFeed + 1 }
      start = lineFeed + 1
    }
    return nil
  }
}

/// Reads the lines of a header, or of a message with a plugin; each call gets the same bytes.
struct HeaderCursor {
  /// The start of the next line.
  private(set) var offset: Int
  /// The number of the current line, from 1.
  private(set) var line: Int

  init(offset: Int, line: Int) {
    self.offset = offset
    self.line = line
  }

  func fault(_ reason: StaticString) -> AgeError { AgeError(.malformedHeader, reason, line: line) }

  /// The range of the next line without its line feed.
  mutating func nextLine(in file: RawSpan) throws(AgeError) -> Range<Int> {
    line += 1
    let limit = min(file.byteCount, AgeHeader.maximumByteCount)
    guard let end = file.extracting(0..<limit).firstOffset(of: .lineFeed, from: offset) else {
      if file.byteCount > limit { throw AgeError(.tooLarge, "the header is larger than 1 MiB", line: line) }
      throw fault("the file ends inside the header")
    }
    let start = offset
    offset = end + 1
    return start..<end
  }

  /// The arguments of a stanza's first line; at least one.
  func arguments(_ text: RawSpan) throws(AgeError) -> [String] {
    guard text.has("-> ") else { throw fault("the line is neither a stanza nor the MAC") }
    var arguments: [String] = []
    var argument: [UInt8] = []
    for offset in 3..<text.byteCount {
      let octet = text[octet: offset]
      guard octet == .space else {
        guard octet.isVisible else { throw fault("an argument has a character that is not visible ASCII") }
        argument.append(octet)
        continue
      }
      guard !argument.isEmpty else { throw fault("an argument is empty") }
      arguments.append(String(decoding: argument, as: UTF8.self))
      argument.removeAll()
    }
    guard !argument.isEmpty else { throw fault("an argument is empty") }
    arguments.append(String(decoding: argument, as: UTF8.self))
    return arguments
  }

  /// The body of a stanza: full lines, then a shorter one.
  mutating func body(in file: RawSpan) throws(AgeError) -> [UInt8] {
    var body: [UInt8] = []
    var isLast = false
    while !isLast {
      let range = try nextLine(in: file)
      guard range.count <= AgeStanza.columnCount else { throw fault("a body line is longer than 64 columns") }
      guard Base64.append(decoding: Span(_bytes: file.extracting(range)), .unpadded, to: &body) else {
        throw fault("a body line is not canonical base64")
      }
      isLast = range.count < AgeStanza.columnCount
    }
    return body
  }

  /// The bytes of the MAC line.
  func mac(_ text: RawSpan) throws(AgeError) -> [UInt8] {
    guard text.has("--- ") else { throw fault("the MAC line does not begin with three dashes and a space") }
    var mac: [UInt8] = []
    let digits = Span<UInt8>(_bytes: text.extracting(4..<text.byteCount))
    guard Base64.append(decoding: digits, .unpadded, to: &mac), mac.count == AgeHeader.macByteCount else {
      throw fault("the MAC is not canonical base64 of 32 bytes")
    }
    return mac
  }
}
