/// Fills the span from its start and returns how many bytes it wrote; 0 means that the input has ended.
public typealias AgeRead = (inout MutableRawSpan) throws -> Int

/// Takes bytes, in order; the span is valid only during the call.
package typealias AgeWrite = (RawSpan) throws -> Void

/// Bytes that were read and not yet consumed, in a buffer that grows only as far as `fill` demands.
///
/// It holds only sealed bytes, never plaintext.
struct ByteQueue {
  /// The buffer; only `range` of it is valid.
  private(set) var storage: [UInt8] = []
  /// The valid range of `storage`.
  private(set) var range = 0..<0
  private(set) var isAtEnd = false

  var count: Int { range.count }

  /// Gives the bytes, at most the first `maximum`, to `body`.
  func withBytes<Result>(
    first maximum: Int = .max, _ body: (RawSpan) throws(AgeError) -> Result
  ) throws(AgeError) -> Result {
    try body(RawSpan(_elements: storage.span).extracting(range).extracting(first: maximum))
  }

  /// Reads until there are `count` bytes or the input has ended.
  mutating func fill(_ count: Int, from read: AgeRead) throws(AgeError) {
    guard self.count < count, !isAtEnd else { return }
    makeRoom(for: count)
    while self.count < count, !isAtEnd {
      let byteCount = try readOnce(from: read)
      range = range.lowerBound..<(range.upperBound + byteCount)
      isAtEnd = byteCount == 0
    }
  }

  /// Drops the first `count` bytes, which must be there.
  mutating func consume(_ count: Int) {
    range = (range.lowerBound + count)..<range.upperBound
  }

  /// Lends `body` the array for appending.
  mutating func append(_ body: (inout [UInt8]) throws(AgeError) -> Void) throws(AgeError) {
    makeRoom(for: count)
    storage.removeLast(storage.count - range.upperBound)
    try body(&storage)
    range = range.lowerBound..<storage.count
  }

  private mutating func makeRoom(for count: Int) {
    // The rest is short: a lookahead byte, or the part of a chunk that came with the header.
    for offset in 0..<range.count where range.lowerBound > 0 { storage[offset] = storage[range.lowerBound + offset] }
    range = 0..<range.count
    if storage.count < count { storage += [UInt8](repeating: 0, count: count - storage.count) }
  }

  /// Calls `read` once; 0 means that the input has ended.
  private mutating func readOnce(from read: AgeRead) throws(AgeError) -> Int {
    let room = range.upperBound..<storage.count
    var elements = storage.mutableSpan
    var bytes = MutableRawSpan(_elements: &elements)
    var free = bytes._mutatingExtracting(room)
    let byteCount: Int
    do {
      byteCount = try read(&free)
    } catch {
      throw AgeError(.readFailed, "the input could not be read", underlying: error)
    }
    // A higher count means that the caller wrote outside the span or counts wrongly.
    precondition(byteCount >= 0 && byteCount <= room.count, "`read` returned a count outside its span")
    return byteCount
  }
}
