/// SHA-1 (FIPS 180-4), for lists that use it as an identifier and for nothing that must be secure.
package enum SHA1 {
  /// The hash, 20 bytes, of a whole message.
  package static func hash(_ message: RawSpan) throws(CryptoError) -> [UInt8] {
    let context = try DigestContext(Algorithms.sha1)
    try context.update(message)
    return try context.finish(byteCount: 20)
  }
}
