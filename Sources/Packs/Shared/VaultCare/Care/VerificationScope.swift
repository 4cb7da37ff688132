/// The part of a vault that ``Vault/verify(_:progress:)`` checks.
public struct VerificationScope: Sendable {
  /// One of several parts of a vault, by the folders of its records. Verifying all parts verifies the whole.
  public struct Part: Sendable {
    package let number: Int
    let count: Int

    /// The `number`-th of `count` parts, both from 1; nil if there is no such part. There are at most 256.
    public init?(_ number: Int, of count: Int) {
      guard (1...256).contains(count), (1...count).contains(number) else { return nil }
      self.number = number
      self.count = count
    }

    fileprivate func contains(_ folder: UInt8) -> Bool { Int(folder) % count == number - 1 }
  }

  /// The part to check; nil for all records.
  public var part: Part?
  /// Whether to check only the MAC of records that the checkpoint lists unchanged: their sealed fields were opened for
  /// the checkpoint.
  public var sinceCheckpoint: Bool

  /// All records or one part, with all fields or only changes since the checkpoint.
  public init(part: Part? = nil, sinceCheckpoint: Bool = false) {
    self.part = part
    self.sinceCheckpoint = sinceCheckpoint
  }

  package func contains(_ folder: UInt8) -> Bool { part?.contains(folder) ?? true }
}
