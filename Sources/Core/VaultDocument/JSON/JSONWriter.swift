extension JSONValue {
  /// The form of vault files: members sorted by UTF-8 bytes, two spaces, `"name" : value`, LF.
  ///
  /// It equals, byte for byte, the output of `JSONEncoder` on Linux with `.prettyPrinted, .sortedKeys,
  /// .withoutEscapingSlashes`, plus one final newline unless told otherwise. It obeys the reader's limits, so that its
  /// output can be read.
  /// - Throws: `.tooDeep`, `.tooLarge`, `.numberTooLong`, `.duplicateMember` (canonically equivalent names).
  public func prettyBytes(
    finalNewline: Bool = true, limits: JSONLimits = .record
  ) throws(DocumentError) -> [UInt8] {
    var writer = JSONWriter(isPretty: true, limits: limits)
    return try writer.document(self, finalNewline: finalNewline)
  }

  /// The form without white space; limits as in `prettyBytes`.
  /// - Throws: `.tooDeep`, `.tooLarge`, `.numberTooLong`, `.duplicateMember` (canonically equivalent names).
  public func compactBytes(limits: JSONLimits = .record) throws(DocumentError) -> [UInt8] {
    var writer = JSONWriter(isPretty: false, limits: limits)
    return try writer.document(self, finalNewline: false)
  }
}

/// The bytes written so far and their layout.
struct JSONWriter {
  private var bytes: [UInt8] = []
  private let isPretty: Bool
  private let limits: JSONLimits
  private let maximumDepth: Int

  init(isPretty: Bool, limits: JSONLimits) {
    self.isPretty = isPretty
    self.limits = limits
    maximumDepth = min(limits.depth, JSONLimits.maximumDepth)
    bytes.reserveCapacity(2048)
  }

  /// Writes the one document of this writer.
  mutating func document(_ value: JSONValue, finalNewline: Bool) throws(DocumentError) -> [UInt8] {
    try append(value, depth: 1)
    if finalNewline { bytes.append(UInt8(ascii: "\n")) }
    try checkSize()
    return bytes
  }

  private mutating func append(_ value: JSONValue, depth: Int) throws(DocumentError) {
    guard depth <= maximumDepth else { throw DocumentError(code: .tooDeep) }
    switch value {
    case .null: append("null")
    case .bool(let flag): append(flag ? "true" : "false")
    case .number(let number):
      guard number.literal.utf8.count <= limits.numberByteCount else { throw DocumentError(code: .numberTooLong) }
      let literal = number.literal.utf8Span.span
      bytes.append(all: literal)
    case .string(let text):
      try checkSize()
      _ = bytes.appendQuoted(text)
    case .array(let items): try append(items, depth: depth)
    case .object(let object): try append(object, depth: depth)
    }
  }

  private mutating func append(_ items: [JSONValue], depth: Int) throws(DocumentError) {
    bytes.append(UInt8(ascii: "["))
    // As in Foundation, an empty container has a newline for its missing first item and one after it.
    newline(indent: items.isEmpty ? 0 : depth)
    var isFirst = true
    for index in items.indices {
      if !isFirst { separate(depth) }
      isFirst = false
      try append(items[index], depth: depth + 1)
    }
    newline(indent: depth - 1)
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func append(_ object: JSONObject, depth: Int) throws(DocumentError) {
    bytes.append(UInt8(ascii: "{"))
    newline(indent: object.isEmpty ? 0 : depth)
    var isFirst = true
    var isASCII = true
    for index in object.members.indices {
      if !isFirst { separate(depth) }
      isFirst = false
      isASCII = bytes.appendQuoted(object.members[index].name) && isASCII
      separateName()
      try append(object.members[index].value, depth: depth + 1)
    }
    guard isASCII || !CanonicalNames.collide(object.members) else { throw DocumentError(code: .duplicateMember) }
    newline(indent: depth - 1)
    bytes.append(UInt8(ascii: "}"))
  }

  @inline(__always)
  private mutating func append(_ text: String) {
    for byte in text.utf8 { bytes.append(byte) }
  }

  @inline(__always)
  private mutating func separateName() {
    guard isPretty else { return bytes.append(UInt8(ascii: ":")) }
    bytes.append(addingCapacity: 3) { output in
      output.append(UInt8(ascii: " "))
      output.append(UInt8(ascii: ":"))
      output.append(UInt8(ascii: " "))
    }
  }

  @inline(__always)
  private mutating func separate(_ depth: Int) {
    bytes.append(UInt8(ascii: ","))
    newline(indent: depth)
  }

  /// Does nothing in the compact form.
  @inline(__always)
  private mutating func newline(indent: Int) {
    guard isPretty else { return }
    bytes.append(addingCapacity: 1 + 2 * indent) { output in
      output.append(UInt8(ascii: "\n"))
      output.append(repeating: UInt8(ascii: " "), count: 2 * indent)
    }
  }

  private func checkSize() throws(DocumentError) {
    guard bytes.count <= limits.byteCount else { throw DocumentError(code: .tooLarge) }
  }
}

extension [UInt8] {
  /// Appends a JSON string and returns whether it is known to be all ASCII.
  mutating func appendQuoted(_ text: String) -> Bool {
    let source = text.utf8Span
    let bytes = source.span
    append(UInt8(ascii: "\""))
    var start = 0
    while true {
      let end = PlainBytes.end(in: bytes, from: start)
      append(all: bytes.extracting(start..<end))
      guard end < bytes.count else { break }
      append(escaping: bytes[end])
      start = end + 1
    }
    append(UInt8(ascii: "\""))
    return source.isKnownASCII
  }

  private mutating func append(escaping byte: UInt8) {
    switch byte {
    case 0x08: append(escape: UInt8(ascii: "b"))
    case 0x09: append(escape: UInt8(ascii: "t"))
    case 0x0A: append(escape: UInt8(ascii: "n"))
    case 0x0C: append(escape: UInt8(ascii: "f"))
    case 0x0D: append(escape: UInt8(ascii: "r"))
    case 0..<0x20: append(codePoint: byte)
    default: append(escape: byte)
    }
  }

  private mutating func append(escape byte: UInt8) {
    append(UInt8(ascii: "\\"))
    append(byte)
  }

  /// `\u00xx` in lower case.
  private mutating func append(codePoint byte: UInt8) {
    append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
    append(Hex.digit(byte >> 4))
    append(Hex.digit(byte & 15))
  }
}
