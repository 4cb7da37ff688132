/// HKDF with HMAC-SHA-256 (RFC 5869), extract and expand in one call.
public enum HKDFSHA256 {
  /// Longest output in bytes: 255 blocks of SHA-256.
  public static let maximumByteCount = 255 * SHA256.byteCount

  /// Derives `byteCount` bytes, 1 to 8160, from a key of any size; salt and info may be empty.
  ///
  /// - Throws: `.wrongByteCount` for an output size out of range, `.secureMemoryExhausted`, `.secureMemoryUnavailable`,
  ///   `.libraryFailed`.
  public static func derive(
    from key: RawSpan, salt: RawSpan, info: RawSpan, byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    guard (1...maximumByteCount).contains(byteCount) else {
      throw CryptoError(.wrongByteCount, "HKDF gives 1 to 8160 bytes")
    }
    let context = try MACContext()
    let extracted = try SecretBytes(count: HMACSHA256.byteCount) { output throws(CryptoError) in
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
        try context.begin(key: salt)
        try context.update(key)
        try unsafe context.finish(into: output)
      }
    }
    return try SecretBytes(count: byteCount) { output throws(CryptoError) in
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
        try extracted.withBytes { extracted throws(CryptoError) in
          try unsafe expand(extracted, info, into: output, context)
        }
      }
    }
  }

  /// The second step (RFC 5869, section 2.3); EVP_KDF looks its digest up by name for every key, which costs more than all this.
  @unsafe private static func expand(
    _ extracted: RawSpan, _ info: RawSpan, into output: UnsafeMutableRawBufferPointer, _ context: borrowing MACContext
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
        // The last block is cut off; all of it is secret until then.
        let block = try SecretBytes(count: size) { block throws(CryptoError) in
          try unsafe block.withUnsafeMutableBytes { block throws(CryptoError) in try unsafe context.finish(into: block)
          }
        }
        block.withBytes { block in
          unsafe block.extracting(first: rest.count).withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
        }
      }
      offset += size
    }
  }
}
