import COpenSSL

/// Whether both spans hold the same bytes, in time that depends only on the counts. Different counts are unequal.
public func constantTimeEqual(_ first: RawSpan, _ second: RawSpan) -> Bool {
  guard first.byteCount == second.byteCount else { return false }
  return unsafe first.withUnsafeBytes { first in
    unsafe second.withUnsafeBytes { second in
      guard let start = first.baseAddress, let otherStart = second.baseAddress else { return true }
      return unsafe CRYPTO_memcmp(start, otherStart, first.count) == 0
    }
  }
}
