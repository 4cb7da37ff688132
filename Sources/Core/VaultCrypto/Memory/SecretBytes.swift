import COpenSSL
import Synchronization

/// Bytes that live only in the secure heap. The last reference wipes and frees them, and printing shows a placeholder.
///
/// The bytes never change after initialisation.
@safe public final class SecretBytes: Sendable {
  /// How many bytes there are; may be 0.
  public let count: Int

  // nil if count is 0. nonisolated(unsafe): written only before init returns, then only read until deinit.
  private nonisolated(unsafe) let base: UnsafeMutableRawPointer?

  private let isInHeap: Bool

  private static let live = Atomic<Int>(0)

  /// How many secrets exist in this process now, for leak tests.
  public static var liveCount: Int { live.load(ordering: .relaxed) }

  /// Takes `count` zeroed bytes and lets `initialize` fill them; unwritten bytes stay zero.
  ///
  /// - Throws: `.wrongByteCount` for a negative count, `.secureMemoryExhausted`, `.secureMemoryUnavailable`, and the
  ///   errors of `initialize`, after the bytes were wiped.
  public init(
    count: Int, initializingWith initialize: (inout MutableRawSpan) throws(CryptoError) -> Void
  ) throws(CryptoError) {
    guard count >= 0 else { throw CryptoError(.wrongByteCount, "a secret cannot have a negative size") }
    self.count = count
    unsafe base = count == 0 ? nil : try SecureMemory.allocate(count: count)
    isInHeap = true
    // From here on, a thrown error runs deinit, which wipes, frees and counts down.
    Self.live.add(1, ordering: .relaxed)
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: base, count: count)
    var span = unsafe buffer.mutableBytes
    try initialize(&span)
  }

  /// Takes `byteCount` bytes for `append` to write; unwritten bytes stay zero.
  package convenience init(byteCount: Int, appending append: (inout OutputSpan<UInt8>) -> Void) throws(CryptoError) {
    try self.init(count: byteCount) { span throws(CryptoError) in
      unsafe span.withUnsafeMutableBytes { bytes in
        let room = unsafe bytes.bindMemory(to: UInt8.self)
        var output = unsafe OutputSpan(buffer: room, initializedCount: 0)
        append(&output)
        _ = unsafe output.finalize(for: room)
      }
    }
  }

  /// Copies bytes into the secure heap; the caller should wipe the original.
  ///
  /// - Throws: `.secureMemoryExhausted`, `.secureMemoryUnavailable`.
  public convenience init(copying bytes: RawSpan) throws(CryptoError) {
    try self.init(count: bytes.byteCount) { span throws(CryptoError) in
      unsafe span.withUnsafeMutableBytes { target in
        unsafe bytes.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
      }
    }
  }

  /// Copies bytes from ordinary memory to memory that is wiped but not locked, for when the secure heap is full. The
  /// original stays.
  package init(copyingBeyondHeap bytes: RawSpan) throws(CryptoError) {
    count = bytes.byteCount
    isInHeap = false
    unsafe base = count == 0 ? nil : try SecureMemory.allocateBeyondHeap(count: count)
    Self.live.add(1, ordering: .relaxed)
    let target = unsafe UnsafeMutableRawBufferPointer(start: base, count: count)
    unsafe bytes.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
  }

  deinit {
    if let base = unsafe base {
      if isInHeap {
        unsafe SecureMemory.free(base, count: count)
      } else {
        unsafe SecureMemory.freeBeyondHeap(base, count: count)
      }
    }
    Self.live.subtract(1, ordering: .relaxed)
  }

  /// `count` random bytes from the generator that OpenSSL keeps for private values.
  ///
  /// - Throws: `.randomFailed`, `.wrongByteCount`, `.secureMemoryExhausted`, `.secureMemoryUnavailable`.
  public static func random(count: Int) throws(CryptoError) -> SecretBytes {
    try SecretBytes(count: count) { span throws(CryptoError) in try SecureRandom.fill(&span, isPrivate: true) }
  }

  /// Lends the bytes to `body`, which must not copy them into memory that is not secure.
  ///
  /// - Throws: only the errors of `body`.
  public func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Without this, the optimiser may end the object, and so wipe the bytes, while `body` still reads them.
    defer { extendLifetime(self) }
    let buffer = unsafe UnsafeRawBufferPointer(start: base, count: count)
    return try unsafe body(buffer.bytes)
  }

  /// A new secret with a copy of the bytes in `range`, which must lie within `0..<count`.
  ///
  /// - Throws: `.wrongByteCount` if it does not, `.secureMemoryExhausted`, `.secureMemoryUnavailable`.
  public func slice(_ range: Range<Int>) throws(CryptoError) -> SecretBytes {
    guard range.lowerBound >= 0, range.upperBound <= count else {
      throw CryptoError(.wrongByteCount, "a slice reaches outside its secret")
    }
    return try withBytes { bytes throws(CryptoError) in try SecretBytes(copying: bytes.extracting(range)) }
  }
}

extension SecretBytes: Equatable {
  /// Whether both hold the same bytes, in time that depends only on the counts.
  public static func == (first: SecretBytes, second: SecretBytes) -> Bool {
    first.withBytes { first in second.withBytes { second in constantTimeEqual(first, second) } }
  }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A placeholder, the same for every secret.
  public var description: String { "<secret bytes>" }
  /// A placeholder, the same for every secret.
  public var debugDescription: String { description }
  /// A mirror without children, so that `dump` prints only the placeholder.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
