internal import VaultCrypto

/// The bytes from a place on with their escapes taken back, once and again, since one encoder's text is often another's
/// value: JSON in JSON, or an address in HTML.
///
/// It is read as far as it is asked for. A reading belongs to one piece of bytes.
struct EscapeReading {
  /// How often escapes are taken back.
  static let depth = 3

  private struct Level {
    var bytes: [UInt8] = []
    /// Where in the piece the escape or byte ends that each byte comes from.
    var ends: [Int] = []
    /// The next place to read, in the piece or in the level below.
    var next = 0
    var hasEnded = false
    /// Whether any byte is another than in the level below.
    var hasEscapes = false
  }

  private var levels = [Level](repeating: Level(), count: depth)
  private var nextEscape = -1
  private var head: [UInt8] = []

  /// Whether an escape may begin within so many bytes; places are asked about in order.
  mutating func hasEscape(in bytes: RawSpan, at index: Int, within count: Int) -> Bool {
    if nextEscape < index {
      nextEscape = index
      while nextEscape < bytes.byteCount, !Escapes.mayBegin(in: bytes, at: nextEscape) { nextEscape += 1 }
    }
    return nextEscape < min(index + count, bytes.byteCount)
  }

  /// The first eight bytes with their escapes taken back, where that is all there is to tell of them: they hold no
  /// further escape. Nearly all places end here.
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
    // Unsafe only in that any eight bytes are taken for a number.
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

  /// Reads a level until it has so many bytes, if there are so many.
  ///
  /// - Returns: how many it has, `count` at most.
  mutating func read(_ level: Int, to count: Int, of bytes: RawSpan, isWhole: Bool) -> Int {
    while levels[level].bytes.count < count, !levels[level].hasEnded { step(level, bytes: bytes, isWhole: isWhole) }
    return min(levels[level].bytes.count, count)
  }

  private mutating func step(_ level: Int, bytes: RawSpan, isWhole: Bool) {
    let next = levels[level].next
    if level > 0 { _ = read(level - 1, to: next + Escapes.longest, of: bytes, isWhole: isWhole) }
    // Out of its place meanwhile, so that the level below can be read beside it.
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
      // Unsafe only in that padding could be read: bytes have none.
      taken = unsafe Escapes.take(below.span.bytes, at: next, isWhole: isLast, into: &current.bytes)
    }
    guard taken > 0 else { return current.hasEnded = true }
    current.next = next + taken
    let end = level == 0 ? next + taken : levels[level - 1].ends[next + taken - 1]
    while current.ends.count < current.bytes.count { current.ends.append(end) }
    if taken > 1 || current.bytes.last == UInt8(ascii: " ") { current.hasEscapes = true }
  }

  /// Whether escapes were taken back in what was read of a level.
  func hasEscapes(_ level: Int) -> Bool { levels[level].hasEscapes }

  /// Where in the piece so many bytes of a level end.
  func end(_ level: Int, of count: Int) -> Int { levels[level].ends[count - 1] }

  /// The first eight bytes of a level, as a number.
  func head(_ level: Int) -> UInt64 {
    let bytes = levels[level].bytes
    // Unsafe only in that any eight bytes are taken for a number.
    return unsafe bytes.span.bytes.unsafeLoadUnaligned(as: UInt64.self)
  }

  func hash(_ level: Int, of count: Int) -> Int {
    let bytes = levels[level].bytes
    // Unsafe only in that padding could be read: bytes have none.
    return unsafe keyedHash(of: bytes.span.bytes.extracting(0..<count))
  }
}
