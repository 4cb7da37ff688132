/// SipHash with a key of this process (The Swift Standard Library, `Hasher`): recognises equal values without storing
/// them.
package func keyedHash(of bytes: RawSpan) -> Int {
  var hasher = Hasher()
  unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  return hasher.finalize()
}
