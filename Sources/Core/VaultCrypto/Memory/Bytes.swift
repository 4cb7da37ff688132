import COpenSSL

extension [UInt8] {
  /// An array of `byteCount` bytes, not zeroed first; `initialize` must write every byte.
  @unsafe init(
    byteCount: Int, _ initialize: (UnsafeMutableRawBufferPointer) throws(CryptoError) -> Void
  ) throws(CryptoError) {
    try unsafe self.init(unsafeUninitializedCapacity: byteCount) { buffer, initializedCount throws(CryptoError) in
      try unsafe initialize(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: byteCount))
      initializedCount = byteCount
    }
  }
}

extension MutableRawSpan {
  /// Overwrites the bytes with zeros. The optimiser does not remove this, although the bytes are not read again.
  package mutating func wipe() {
    unsafe withUnsafeMutableBytes { bytes in unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count) }
  }
}

extension RawSpan {
  /// Lends the bytes for OpenSSL: the address is never NULL, even for an empty span.
  ///
  /// NULL has special meanings in OpenSSL, such as "keep the old key" or "no key was given".
  @unsafe func withInput<Result, Failure: Error>(
    _ body: (UnsafePointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe withUnsafeBytes { buffer throws(Failure) in
      guard let start = buffer.baseAddress else { return try unsafe withEmptyInput(body) }
      return try unsafe body(start.assumingMemoryBound(to: UInt8.self))
    }
  }
}

@unsafe private func withEmptyInput<Result, Failure: Error>(
  _ body: (UnsafePointer<UInt8>) throws(Failure) -> Result
) throws(Failure) -> Result {
  var nothing: UInt8 = 0
  return try unsafe withUnsafePointer(to: &nothing, body)
}

extension UnsafeMutableRawBufferPointer {
  /// The address as OpenSSL's output arguments take it; nil when the buffer is empty.
  @unsafe var byteStart: UnsafeMutablePointer<UInt8>? { unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
