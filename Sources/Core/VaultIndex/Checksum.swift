/// A 64-bit sum that detects damage. It does not protect against anybody who can write the index.
struct Checksum {
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var lanes: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)

  /// Adds the memory of some numbers, and its byte count.
  mutating func add<Element: BitwiseCopyable>(_ elements: [Element]) {
    unsafe elements.withUnsafeBytes { bytes in
      var offset = 0
      // Four sums side by side, so that each step waits only for the step before it in its lane.
      while offset + 32 <= bytes.count {
        unsafe mix(&lanes.0, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        unsafe mix(&lanes.1, bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        unsafe mix(&lanes.2, bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self))
        unsafe mix(&lanes.3, bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self))
        offset += 32
      }
      while offset < bytes.count {
        unsafe mix(&lanes.0, UInt64(bytes[offset]))
        offset += 1
      }
      mix(&lanes.1, UInt64(bytes.count))
    }
  }

  /// The sum of all added bytes.
  var value: UInt64 {
    var sum = lanes.0
    mix(&sum, lanes.1)
    mix(&sum, lanes.2)
    mix(&sum, lanes.3)
    return sum
  }

  @inline(__always)
  private func mix(_ lane: inout UInt64, _ word: UInt64) {
    lane = (lane ^ word) &* Self.factor
    lane ^= lane >> 29
  }
}
