/// HKDF with HMAC-SHA-256 (RFC 5869), extract and expand in one call.
package enum HKDFSHA256 {
  /// Longest output in bytes: 255 blocks of SHA-256.
  package static let maximumByteCount = 255 * SHA256.byteCount

  /// Derives `byteCount` bytes, 1 to 8160, from a key of any size; salt and info may be empty.
  package static func derive(
    from key: RawSpan, salt: RawSpan, info: RawSpan, byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    guard (1...maximumByteCount).contains(byteCount) else {
      throw CryptoError(.wrongByteCount, "HKDF gives 1 to 8160 bytes")
    }
    return try SecretBytes(count: byteCount) { output throws(CryptoError) in
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
        // The intermediate values are as secret as the key: the extracted key, and the last block, which is cut off.
        _ = try SecretBytes(count: 2 * HMACSHA256.byteCount) { between throws(CryptoError) in
          try unsafe between.withUnsafeMutableBytes { between throws(CryptoError) in
            try unsafe derive(key, salt: salt, info: info, into: output, between: between)
          }
        }
      }
    }
  }

  /// Writes the derived bytes to `output`. `between` has 64 bytes for secret intermediate values, which the caller
  /// wipes.
  @unsafe private static func derive(
    _ key: RawSpan, salt: RawSpan, info: RawSpan, into output: UnsafeMutableRawBufferPointer,
    between: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    let context = try MACContext()
    let extracted = unsafe UnsafeMutableRawBufferPointer(rebasing: between[..<HMACSHA256.byteCount])
    let block = unsafe UnsafeMutableRawBufferPointer(rebasing: between[HMACSHA256.byteCount...])
    try context.begin(key: salt)
    try context.update(key)
    try unsafe context.finish(into: extracted)
    try unsafe expand(extracted.bytes, info: info, into: output, last: block, context: context)
  }

  /// The second step (RFC 5869, section 2.3). EVP_KDF looks its digest up by name for every key, which costs more than
  /// this whole function. A last block that is cut off stays in `block`, which the caller wipes.
  @unsafe private static func expand(
    _ extracted: RawSpan, info: RawSpan, into output: UnsafeMutableRawBufferPointer,
    last block: UnsafeMutableRawBufferPointer, context: borrowing MACContext
  ) throws(CryptoError) {
    let size = HMACSHA256.byteCount
    var number: UInt8 = 0
    var offset = 0
    while offset < output.count {
      number += 1
      if offset == 0 { try context.begin(key: extracted) } else { try context.beginAgain() }
      if offset > 0 {
        try unsafe context.update(UnsafeRawBufferPointer(rebasing: output[offset - size..<offset]).bytes)
      }
      try context.update(info)
      let counter = InlineArray<1, UInt8>(repeating: number)
      try context.update(RawSpan(_elements: counter.span))
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: output[offset...])
      if rest.count >= size {
        try unsafe context.finish(into: UnsafeMutableRawBufferPointer(rebasing: rest[..<size]))
      } else {
        try unsafe context.finish(into: block)
        unsafe rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(block)[..<rest.count]))
      }
      offset += size
    }
  }
}
