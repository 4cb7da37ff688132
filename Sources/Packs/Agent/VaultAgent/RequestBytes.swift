internal import VaultCrypto
internal import VaultSystem

/// The bytes of a client's request, which may contain a key.
///
/// The memory has one owner. An array would be copied when it is shared. So no copy outlives ``wipe()``.
@safe final class RequestBytes {
  private static let pieceByteCount = 1 << 16
  // Only the calls of this class use the memory, and the class frees it.
  private var room = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private(set) var count = 0

  deinit { wipe() }

  /// Reads at most one piece. Returns the number of bytes; 0 at the end.
  func read(_ file: Int32) throws(Errno) -> Int {
    if unsafe room.count < count + Self.pieceByteCount { grow(to: max(count * 2, count + Self.pieceByteCount)) }
    var span = unsafe room.mutableBytes
    let read = try LocalSocket.read(file, into: &span, at: count)
    count += read
    return read
  }

  /// The first bytes, which hold only the size of the request.
  var head: [UInt8] { unsafe Array(room[..<min(count, AgentMessage.headByteCount)]) }

  func message() -> AgentMessage? {
    let frame = unsafe UnsafeRawBufferPointer(room).bytes.extracting(AgentMessage.headByteCount..<count)
    return try? AgentMessage(parsing: frame)
  }

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
