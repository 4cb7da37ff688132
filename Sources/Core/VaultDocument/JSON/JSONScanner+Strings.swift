extension JSONScanner {
  /// Reads a string; its opening quote is at the position.
  mutating func string(in bytes: Span<UInt8>) throws(DocumentError) -> String {
    let start = position + 1
    let end = try plainEnd(in: bytes, from: start)
    if bytes[end] == UInt8(ascii: "\"") {
      position = end + 1
      return try text(of: start..<end, in: bytes)
    }
    return try escapedString(in: bytes, from: start, firstEscape: end)
  }

  func text(of range: Range<Int>, in bytes: Span<UInt8>) throws(DocumentError) -> String {
    do throws(UTF8.ValidationError) {
      return String(copying: try UTF8Span(validating: bytes.extracting(range)))
    } catch {
      throw DocumentError(.invalidUTF8, at: range.lowerBound + error.byteOffsets.lowerBound)
    }
  }

  /// The offset of the next quote or backslash.
  private func plainEnd(in bytes: Span<UInt8>, from start: Int) throws(DocumentError) -> Int {
    let end = PlainBytes.end(in: bytes, from: start)
    guard end < bytes.count else { throw endOfInput(bytes) }
    guard bytes[end] >= 0x20 else {
      throw DocumentError(.invalidJSON, "a control character in a string must be escaped", at: end)
    }
    return end
  }

  /// Each run between escapes is validated in place, so that a failure has its offset; the parts are joined once.
  private mutating func escapedString(
    in bytes: Span<UInt8>, from start: Int, firstEscape: Int
  ) throws(DocumentError) -> String {
    var result: [UInt8] = []
    var runStart = start
    var runEnd = firstEscape
    while true {
      try validate(runStart..<runEnd, in: bytes)
      result.append(runStart..<runEnd, of: bytes)
      position = runEnd
      if take(UInt8(ascii: "\""), in: bytes) { return String(decoding: result, as: UTF8.self) }
      try escape(in: bytes, to: &result)
      runStart = position
      runEnd = try plainEnd(in: bytes, from: runStart)
    }
  }

  private func validate(_ range: Range<Int>, in bytes: Span<UInt8>) throws(DocumentError) {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.extracting(range))
    } catch {
      throw DocumentError(.invalidUTF8, at: range.lowerBound + error.byteOffsets.lowerBound)
    }
  }

  /// Reads one escape; its backslash is at the position.
  private mutating func escape(in bytes: Span<UInt8>, to result: inout [UInt8]) throws(DocumentError) {
    let start = position
    guard start + 1 < bytes.count else { throw endOfInput(bytes) }
    position = start + 2
    switch bytes[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(bytes[start + 1])
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"): try unicodeEscape(in: bytes, from: start, to: &result)
    default: throw DocumentError(.invalidJSON, "an escape is not known", at: start)
    }
  }

  /// Its backslash is at `start`, and the position is after the `u`.
  private mutating func unicodeEscape(
    in bytes: Span<UInt8>, from start: Int, to result: inout [UInt8]
  ) throws(DocumentError) {
    let unit = try hexUnit(in: bytes, escapeAt: start)
    if let scalar = Unicode.Scalar(unit) { return result.append(scalar) }
    let second = position
    guard UTF16.isLeadSurrogate(unit), take(UInt8(ascii: "\\"), in: bytes), take(UInt8(ascii: "u"), in: bytes) else {
      throw DocumentError(.loneSurrogate, at: start)
    }
    let low = try hexUnit(in: bytes, escapeAt: second)
    guard UTF16.isTrailSurrogate(low) else { throw DocumentError(.loneSurrogate, at: start) }
    result.append(UTF16.decode(UTF16.EncodedScalar([unit, low])))
  }

  /// Reads four hex digits at the position.
  private mutating func hexUnit(in bytes: Span<UInt8>, escapeAt start: Int) throws(DocumentError) -> UInt16 {
    guard position + 4 <= bytes.count else { throw endOfInput(bytes) }
    var unit: UInt16 = 0
    for index in position..<position + 4 {
      guard let digit = Hex.value(ofDigit: bytes[index]) else {
        throw DocumentError(.invalidJSON, "four hex digits were expected", at: start)
      }
      unit = unit << 4 | UInt16(digit)
    }
    position += 4
    return unit
  }
}

extension [UInt8] {
  mutating func append(_ scalar: Unicode.Scalar) {
    UTF8.encode(scalar)?.forEach { append($0) }
  }

  @inline(__always)
  mutating func append(_ range: Range<Int>, of bytes: Span<UInt8>) { append(all: bytes.extracting(range)) }

  @inline(__always)
  package mutating func append(all bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
