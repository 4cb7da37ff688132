// Comparison of strings by their UTF-8 bytes. Swift's own `==` and `<` go by canonical equivalence, which would hide
// an edit from NFC to NFD and look up the wrong member.

/// Whether two strings have the same UTF-8 bytes.
@inline(__always)
package func sameBytes(_ left: String, _ right: String) -> Bool {
  // Equal bytes are canonically equivalent, which for most strings is told by looking at few of them.
  guard left.utf8.count == right.utf8.count, left == right else { return false }
  let bytes = left.utf8Span
  return bytes.isKnownASCII || compareBytes(bytes.span, right.utf8Span.span) == 0
}

/// Whether `left` sorts before `right` by raw UTF-8 bytes.
@inline(__always)
func precedesInBytes(_ left: String, _ right: String) -> Bool {
  compareBytes(left.utf8Span.span, right.utf8Span.span) < 0
}

/// Negative, zero or positive as `left` sorts before, with or after `right`; a prefix sorts first.
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

/// Whether two arrays have the same bytes; `==` of arrays looks at them one by one.
package func sameBytes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  guard left.count == right.count else { return false }
  return unsafe left.withUnsafeBytes { left in
    unsafe right.withUnsafeBytes { right in
      var index = 0
      while index + 8 <= left.count {
        let word = unsafe left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let other = unsafe right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if word != other { return false }
        index += 8
      }
      return unsafe left[index...].elementsEqual(right[index...])
    }
  }
}
