/// Padding of sealed plaintext, so that a token's length shows only a size class (ISO/IEC 7816-4 marker; Padmé above
/// 256).
///
/// The size with n = text bytes + 1 is n rounded up to 32. Above 256, that size is rounded up as in Padmé (Nikitin and
/// others, "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs", 2019).
package enum Padding {
  static let marker: UInt8 = 0x80
  private static let blockByteCount = 32
  private static let linearByteCount = 256

  /// The padded size in bytes of `count` bytes of text.
  package static func paddedCount(_ count: Int) -> Int {
    let marked = count + 1
    let blocks = (marked + blockByteCount - 1) / blockByteCount * blockByteCount
    guard marked > linearByteCount else { return blocks }
    let exponent = Int.bitWidth - 1 - blocks.leadingZeroBitCount
    let significantBits = Int.bitWidth - exponent.leadingZeroBitCount
    let mask = (1 << (exponent - significantBits)) - 1
    return (blocks + mask) & ~mask
  }

  /// Lends `body` the padding after `count` bytes of text: the marker and zeros.
  package static func withBytes<Result, Failure: Error>(
    after count: Int, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let paddingCount = paddedCount(count) - count
    if paddingCount <= short.count {
      return try body(RawSpan(_elements: short.span.extracting(first: paddingCount)))
    }
    let long = [marker] + [UInt8](repeating: 0, count: paddingCount - 1)
    return try body(RawSpan(_elements: long.span))
  }

  /// The padding of short secrets, which most are, is a part of this.
  private static let short = [marker] + [UInt8](repeating: 0, count: blockByteCount - 1)

  /// The count of text bytes before the padding; nil if the padding is not exactly the one for this count.
  package static func unpaddedCount(_ padded: RawSpan) -> Int? {
    let bytes = Span<UInt8>(_bytes: padded)
    var end = bytes.count
    while end > 0, bytes[end - 1] == 0 { end -= 1 }
    guard end > 0, bytes[end - 1] == marker, paddedCount(end - 1) == bytes.count else { return nil }
    return end - 1
  }
}
