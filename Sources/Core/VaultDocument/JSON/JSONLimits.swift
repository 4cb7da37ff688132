/// What the reader takes and the writer makes.
public struct JSONLimits: Sendable, Equatable {
  /// Most levels of nesting; the top-level value is level 1, and every value counts, scalars too.
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

  /// Recursion never goes deeper, whatever a caller asks for.
  static let maximumDepth = 128

  /// Depth 64, numbers of 64 bytes, 16 MiB: records, headers and whatever a user passes in.
  public static let record = JSONLimits()

  /// Of any depth that is ever read, and 512 MiB: what is printed and imported, with levels around the records.
  public static let exchange = JSONLimits(depth: maximumDepth, byteCount: 512 << 20)
}
