import COpenSSL

/// OpenSSL's secure heap: memory that is locked into RAM, left out of core files and wiped when freed.
///
/// It is set up on first use, before the first secret exists.
package enum SecureMemory {
  package enum Status: Sendable {
    /// The heap cannot be swapped out.
    case locked
    /// The heap works but may be swapped out: RLIMIT_MEMLOCK is too low. Worth one warning.
    case notLocked
    /// There is no secure heap; no secret can be made.
    case unavailable
  }

  /// How well the secure heap of this process protects; sets it up on first use.
  package static var status: Status { heap.status }

  /// Size of the secure heap in bytes: a power of two between 1 MiB and 16 MiB, at most half of the lockable memory if
  /// that leaves 1 MiB.
  package static var byteCount: Int { heap.byteCount }

  /// The largest size of one value: a quarter of the heap, because a value exists twice while it is sealed, beside
  /// others.
  package static var valueByteCount: Int { byteCount / 4 }

  /// Bytes of the secure heap in use now, each secret rounded up to a power of two.
  package static var usedByteCount: Int {
    status == .unavailable ? 0 : CRYPTO_secure_used()
  }

  private static let heap = setUp()

  /// The largest power of two up to 16 MiB that is at most half of the limit, but at least 1 MiB.
  package static func heapByteCount(lockable: Int?) -> Int {
    let smallest = 1 << 20
    var byteCount = 16 << 20
    while byteCount > smallest && byteCount > (lockable ?? 0) / 2 { byteCount /= 2 }
    return byteCount
  }

  /// Sets up the heap of OpenSSL; called once for the process.
  private static func setUp() -> (status: Status, byteCount: Int) {
    _ = Algorithms.isLibraryStarted
    let byteCount = heapByteCount(lockable: ProcessHardening.lockableByteCount)
    // 32 bytes is the smallest piece: the size of most keys here. The call returns 0 for failure, 2 for "not locked".
    switch CRYPTO_secure_malloc_init(byteCount, 32) {
    case 1: return (.locked, byteCount)
    case 2: return (.notLocked, byteCount)
    default:
      ErrorQueue.clear()
      return (.unavailable, 0)
    }
  }

  /// Takes `count` zeroed bytes, at least 1, from the secure heap.
  @unsafe static func allocate(count: Int) throws(CryptoError) -> UnsafeMutableRawPointer {
    guard status != .unavailable else {
      throw CryptoError(.secureMemoryUnavailable, "the secure heap could not be set up")
    }
    ErrorQueue.clear()
    guard let memory = unsafe CRYPTO_secure_malloc(count, nil, 0) else {
      throw CryptoError(.secureMemoryExhausted, "the secure heap is full", underlying: ErrorQueue.drain())
    }
    // In some states OpenSSL falls back to plain memory, which must never hold a secret.
    guard unsafe CRYPTO_secure_allocated(memory) == 1 else {
      unsafe CRYPTO_clear_free(memory, count, nil, 0)
      throw CryptoError(.secureMemoryUnavailable, "OpenSSL gave memory outside the secure heap")
    }
    return unsafe memory
  }

  /// Takes `count` bytes, at least 1, from ordinary memory.
  @unsafe static func allocateBeyondHeap(count: Int) throws(CryptoError) -> UnsafeMutableRawPointer {
    guard let memory = unsafe CRYPTO_malloc(count, nil, 0) else {
      throw CryptoError(.secureMemoryExhausted, "there is no memory")
    }
    return unsafe memory
  }

  /// Wipes and frees memory from `allocateBeyondHeap`.
  @unsafe static func freeBeyondHeap(_ memory: UnsafeMutableRawPointer, count: Int) {
    unsafe CRYPTO_clear_free(memory, count, nil, 0)
  }

  /// Wipes and frees memory from `allocate`.
  @unsafe static func free(_ memory: UnsafeMutableRawPointer, count: Int) {
    unsafe CRYPTO_secure_clear_free(memory, count, nil, 0)
  }
}
