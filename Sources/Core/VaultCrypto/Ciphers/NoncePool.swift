import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Random nonces, drawn from OpenSSL many at a time, because one call for 12 bytes costs more than sealing a password.
///
/// Each byte is handed out once. A forked process starts with an empty pool, because a nonce that parent and child both
/// use with one key reveals the authentication key. OpenSSL reseeds its generator for the same reason.
struct NoncePool: ~Copyable {
  static let shared = NoncePool()
  private static let byteCount = 64 * AESGCM.nonceByteCount

  /// Counts how often this process was forked off.
  private static let forkCount = Atomic<Int>(0)
  private static let isWatchingForks = pthread_atfork(nil, nil, { NoncePool.noteFork() }) == 0

  private struct State {
    var bytes: [UInt8] = []
    var used = 0
    var forkCount = 0
  }
  private let state = Mutex(State())

  private static func noteFork() { forkCount.add(1, ordering: .relaxed) }

  /// Writes a nonce that was never handed out before.
  @unsafe func fill(_ nonce: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    guard Self.isWatchingForks else { return try unsafe SecureRandom.fill(nonce, isPrivate: false) }
    try state.withLock { state throws(CryptoError) in
      let forkCount = Self.forkCount.load(ordering: .relaxed)
      if state.used + nonce.count > state.bytes.count || state.forkCount != forkCount {
        state.bytes = try SecureRandom.bytes(count: Self.byteCount)
        state.used = 0
        state.forkCount = forkCount
      }
      unsafe state.bytes.withUnsafeBytes { bytes in
        unsafe nonce.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[state.used..<state.used + nonce.count]))
      }
      state.used += nonce.count
    }
  }
}
