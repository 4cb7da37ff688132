// Comparison of strings by their UTF-8 bytes. Swift's own `==` and `<` use canonical equivalence, which would hide an
// edit from NFC to NFD and look up the wrong member.

@inline(__always)
package func sameBytes(_ left: String, _ right: String) -> Bool {
  // Equal bytes are canonically equivalent, and for most strings a few bytes decide that.
  guard left.utf8.count == right.utf8.count, left == right else { return false }
  let bytes = left.utf8Span
  return bytes.isKnownASCII || compareBytes(bytes.span, right.utf8Span.span) == 0
}

/// Whether `left` sorts before `right` by raw UTF-8 bytes.
@inline(__always)
package func precedesInBytes(_ left: String, _ right: String) -> Bool {
  compareBytes(left.utf8Span.span, right.utf8Span.span) < 0
}

/// Negative, zero or positive if `left` sorts before, with or after `right`; a prefix sorts first.
func compareBytes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
  let common = min(left.count, right.count)
  var index = 0
  while index < common {
    let difference = Int(left[index]) - Int(right[index])
    if difference != 0 { return difference }
    index += 1
  }
  return left.count - right.count
}

extension [UInt8] {
  /// Whether `other` stands at an offset. Many times faster than `==`, which compares byte by byte.
  package func has(_ other: [UInt8], at start: Int) -> Bool {
    guard start >= 0, count - start >= other.count else { return false }
    let (own, other) = (RawSpan(_elements: span), RawSpan(_elements: other.span))
    let wordByteCount = MemoryLayout<UInt64>.size
    let wordsEnd = other.byteCount / wordByteCount * wordByteCount
    var difference: UInt64 = 0
    for offset in stride(from: 0, to: wordsEnd, by: wordByteCount) {
      // Safe: every bit pattern is a number, and the offsets are checked.
      unsafe difference |=
        own.unsafeLoadUnaligned(fromByteOffset: start + offset, as: UInt64.self)
        ^ other.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    for offset in wordsEnd..<other.byteCount {
      // Safe: as above.
      let byte = unsafe own.unsafeLoad(fromByteOffset: start + offset, as: UInt8.self)
      difference |= unsafe UInt64(byte ^ other.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
    }
    return difference == 0
  }
}
