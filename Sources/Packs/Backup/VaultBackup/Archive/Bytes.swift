internal import VaultDocument

// Operations on many bytes for which the standard library is slow or needs `unsafe`.

extension [UInt8] {
  mutating func append(_ text: StaticString) {
    // Safe: a literal's bytes live as long as the program.
    unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

extension Span<UInt8> {
  func contains(_ text: StaticString) -> Bool {
    guard text.utf8CodeUnitCount > 0 else { return true }
    // Safe: a literal's bytes live as long as the program, and there is at least one.
    let first = unsafe text.utf8Start[0]
    for index in indices where self[index] == first && has(text, at: index) { return true }
    return false
  }

  /// Whether the bytes of a literal are at `start`.
  func has(_ text: StaticString, at start: Int) -> Bool {
    guard start >= 0, count - start >= text.utf8CodeUnitCount else { return false }
    // Safe: as above, and the index is within the literal.
    for index in 0..<text.utf8CodeUnitCount where unsafe text.utf8Start[index] != self[start + index] { return false }
    return true
  }
}
