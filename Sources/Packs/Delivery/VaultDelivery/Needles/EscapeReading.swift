internal import VaultCrypto

/// The bytes from an index on with their escapes decoded, several times, because encoders nest: JSON in JSON, or an
/// address in HTML.
///
/// The reading is lazy, and belongs to one piece of bytes.
struct EscapeReading {
  /// How often escapes are decoded.
  static let depth = 3

  private struct Level {
    var bytes: [UInt8] = []
    /// For each byte, the end of its escape or byte in the piece.
    var ends: [Int] = []
    /// The next index to read, in the piece or in the level below.
    var next = 0
    var hasEnded = false
    /// Whether any byte differs from the level below.
    var hasEscapes = false
  }

  private var levels = [Level](repeating: Level(), count: depth)
  private var nextEscape = -1
  private var head: [UInt8] = []

  /// Whether an escape may begin within `count` bytes. Indexes must be asked for in order.
  mutating func hasEscape(in bytes: RawSpan, at index: Int, within count: Int) -> Bool {
    if nextEscape < index {
      nextEscape = index
      while nextEscape < bytes.byteCount, !Escapes.mayBegin(in: bytes, at: nextEscape) { nextEscape += 1 }
    }
    return nextEscape < min(index + count, bytes.byteCount)
  }

  /// The first eight decoded bytes, if they contain no further escape. Nearly all indexes end here.
  mutating func simpleHead(of bytes: RawSpan, at index: Int, isWhole: Bool) -> UInt64? {
    head.removeAll(keepingCapacity: true)
    var next = index
    while head.count < 8 {
      guard next < bytes.byteCount else { return nil }
      let taken = Escapes.take(bytes, at: next, isWhole: isWhole, into: &head)
      guard taken > 0 else { return nil }
      next += taken
    }
    guard !head.prefix(8).contains(where: Escapes.begins) else { return nil }
    let bytes = head
    // Unsafe because any eight bytes are read as a number.
    return unsafe bytes.span.bytes.unsafeLoadUnaligned(as: UInt64.self)
  }

  mutating func begin(at index: Int) {
    for level in levels.indices {
      levels[level].bytes.removeAll(keepingCapacity: true)
      levels[level].ends.removeAll(keepingCapacity: true)
      levels[level].next = level == 0 ? index : 0
      (levels[level].hasEnded, levels[level].hasEscapes) = (false, false)
    }
  }

  /// Reads a level up to `count` bytes, and returns how many it has.
  mutating func read(_ level: Int, to count: Int, of bytes: RawSpan, isWhole: Bool) -> Int {
    while levels[level].bytes.count < count, !levels[level].hasEnded { step(level, bytes: bytes, isWhole: isWhole) }
    return min(levels[level].bytes.count, count)
  }

  private mutating func step(_ level: Int, bytes: RawSpan, isWhole: Bool) {
    let next = levels[level].next
    if level > 0 { _ = read(level - 1, to: next + Escapes.longest, of: bytes, isWhole: isWhole) }
    // Taken out meanwhile, so that the level below can be read beside it.
    var current = levels[level]
    levels[level] = Level()
    defer { levels[level] = current }
    let available = level == 0 ? bytes.byteCount : levels[level - 1].bytes.count
    let isLast = isWhole && (level == 0 || levels[level - 1].hasEnded)
    guard next < available else { return current.hasEnded = true }
    let taken: Int
    if level == 0 {
      taken = Escapes.take(bytes, at: next, isWhole: isLast, into: &current.bytes)
    } else {
      let below = levels[level - 1].bytes
      // Unsafe because padding could be read; bytes have no padding.
      taken = unsafe Escapes.take(below.span.bytes, at: next, isWhole: isLast, into: &current.bytes)
    }
    guard taken > 0 else { return current.hasEnded = true }
    current.next = next + taken
    let end = level == 0 ? next + taken : levels[level - 1].ends[next + taken - 1]
    while current.ends.count < current.bytes.count { current.ends.append(end) }
    if taken > 1 || current.bytes.last == UInt8(ascii: " ") { current.hasEscapes = true }
  }

  func hasEscapes(_ level: Int) -> Bool { levels[level].hasEscapes }

  /// The index in the piece after `count` bytes of a level.
  func end(_ level: Int, of count: Int) -> Int { levels[level].ends[count - 1] }

  /// The first eight bytes of a level, as a number.
  func head(_ level: Int) -> UInt64 {
    let bytes = levels[level].bytes
    // Unsafe because any eight bytes are read as a number.
    return unsafe bytes.span.bytes.unsafeLoadUnaligned(as: UInt64.self)
  }

  func hash(_ level: Int, of count: Int) -> Int {
    let bytes = levels[level].bytes
    // Unsafe because padding could be read; bytes have no padding.
    return unsafe keyedHash(of: bytes.span.bytes.extracting(0..<count))
  }
}
