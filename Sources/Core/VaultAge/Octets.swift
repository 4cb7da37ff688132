// Small readings of bytes that the standard library does not offer without `unsafe`.

extension RawSpan {
  package subscript(octet offset: Int) -> UInt8 {
    // Every bit pattern is a UInt8, and `unsafeLoad` checks the offset.
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// Whether the bytes at `offset` begin with those of `text`.
  func has(_ text: StaticString, at offset: Int = 0) -> Bool {
    let count = text.utf8CodeUnitCount
    guard offset >= 0, byteCount - offset >= count else { return false }
    // A string literal's bytes live as long as the program.
    let expected = unsafe UnsafeBufferPointer(start: text.utf8Start, count: count)
    for index in 0..<count where unsafe expected[index] != self[octet: offset + index] { return false }
    return true
  }

  /// A copy of text that is not secret.
  var string: String { String(decoding: [UInt8](copying: self), as: UTF8.self) }

  /// The first offset at or after `start` that holds `octet`.
  func firstOffset(of octet: UInt8, from start: Int = 0) -> Int? {
    var offset = start
    while offset < byteCount {
      if self[octet: offset] == octet { return offset }
      offset += 1
    }
    return nil
  }
}

extension MutableRawSpan {
  mutating func copy(_ source: RawSpan, at offset: Int) {
    var target = _mutatingExtracting(offset..<offset + source.byteCount)
    unsafe target.withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
    }
  }
}

extension Array where Element == UInt8 {
  /// A copy of bytes that are not secret.
  init(copying bytes: RawSpan) {
    self = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
  }
}

extension UInt8 {
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")

  /// Whether it is a visible ASCII character (VCHAR of RFC 5234).
  var isVisible: Bool { self > 0x20 && self < 0x7F }
  /// White space that the reference implementation trims around armor.
  var isWhiteSpace: Bool { self == .space || (self >= 0x09 && self <= 0x0D) }
}
