internal import VaultCrypto
internal import VaultSystem

/// What a client has sent of its request, which may hold a key.
///
/// The memory has one owner, unlike an array, which is copied as soon as somebody else has it: no copy outlives
/// ``wipe()``.
@safe final class RequestBytes {
  private static let pieceByteCount = 1 << 16
  // The memory is used within the calls of this class alone, and freed by it.
  private var room = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private(set) var count = 0

  deinit { wipe() }

  /// Reads what has arrived, at most a piece.
  ///
  /// - Returns: how many bytes arrived; 0 at the end.
  func read(_ file: Int32) throws(Errno) -> Int {
    if unsafe room.count < count + Self.pieceByteCount { grow(to: max(count * 2, count + Self.pieceByteCount)) }
    var span = unsafe room.mutableBytes
    let read = try LocalSocket.read(file, into: &span, at: count)
    count += read
    return read
  }

  /// The first bytes, which tell how long the request is and hold nothing else.
  var head: [UInt8] { unsafe Array(room[..<min(count, AgentMessage.headByteCount)]) }

  /// The request; nil if it is malformed.
  func message() -> AgentMessage? {
    let frame = unsafe UnsafeRawBufferPointer(room).bytes.extracting(AgentMessage.headByteCount..<count)
    return try? AgentMessage(parsing: frame)
  }

  /// Overwrites and forgets everything that arrived.
  func wipe() {
    free()
    unsafe room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    count = 0
  }

  private func grow(to byteCount: Int) {
    let longer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 1)
    unsafe longer.copyMemory(from: UnsafeRawBufferPointer(rebasing: room[..<count]))
    free()
    unsafe room = longer
  }

  private func free() {
    var span = unsafe room.mutableBytes
    span.wipe()
    unsafe room.deallocate()
  }
}
