internal import VaultDocument

// Work with bytes, which there are many of, that the standard library does one by one or not at all without `unsafe`.

extension [UInt8] {
  mutating func append(_ text: StaticString) {
    // Safe: a literal's bytes live as long as the program.
    unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends the digits of a number from 0 on.
  mutating func append(decimal number: Int) {
    let count = Self.digitCount(of: number)
    var rest = number
    append(contentsOf: repeatElement(0, count: count))
    for offset in 1...count {
      self[self.count - offset] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
  }

  /// A count as the canonical encoding writes it (format 1, section 1.2, Trees).
  init(count: Int) {
    self = []
    appendCount(count)
  }

  /// A member's name as the canonical encoding writes it.
  init(name: String) { self = Self(count: name.utf8.count) + Array(name.utf8) }

  /// How many decimal digits a number from 0 on has.
  static func digitCount(of number: Int) -> Int {
    var (count, rest) = (1, number / 10)
    while rest > 0 { (count, rest) = (count + 1, rest / 10) }
    return count
  }
}

extension Span<UInt8> {
  /// Whether the bytes from `start` on are those of a literal.
  func has(_ text: StaticString, at start: Int) -> Bool {
    guard start >= 0, count - start >= text.utf8CodeUnitCount else { return false }
    // Safe: as above, and the index is inside of the literal.
    for index in 0..<text.utf8CodeUnitCount where unsafe text.utf8Start[index] != self[start + index] { return false }
    return true
  }
}
