/// Limits of the reader and the writer.
public struct JSONLimits: Sendable, Equatable {
  /// Most levels of nesting. The top-level value is level 1, and every value counts, even a scalar.
  public var depth: Int
  /// Most bytes of a number literal.
  public var numberByteCount: Int
  /// Most bytes of the whole text.
  public var byteCount: Int

  /// Limits for one document.
  public init(depth: Int = 64, numberByteCount: Int = JSONNumber.maximumByteCount, byteCount: Int = 16 << 20) {
    self.depth = min(depth, Self.maximumDepth)
    self.numberByteCount = numberByteCount
    self.byteCount = byteCount
  }

  /// Recursion never goes deeper, whatever the caller's limits.
  static let maximumDepth = 128

  /// Depth 64, numbers of 64 bytes, 16 MiB: for records, headers and input of users.
  public static let record = JSONLimits()

  /// The largest depth and 512 MiB: for printing and importing, which add levels around the records.
  public static let exchange = JSONLimits(depth: maximumDepth, byteCount: 512 << 20)
}
