/// How much of a vault ``Vault/verify(_:progress:)`` looks at.
public struct VerificationScope: Sendable {
  /// One of several parts of a vault, by the folders of its records: verified in turn, they are the whole.
  public struct Part: Sendable {
    package let number: Int
    let count: Int

    /// The `number`-th of `count` parts, both from 1; nil when there is no such part. There are at most 256.
    public init?(_ number: Int, of count: Int) {
      guard (1...256).contains(count), (1...count).contains(number) else { return nil }
      self.number = number
      self.count = count
    }

    fileprivate func contains(_ folder: UInt8) -> Bool { Int(folder) % count == number - 1 }
  }

  /// Only these records; nil for all.
  public var part: Part?
  /// Of a record that is as the checkpoint lists it, only the MAC is verified: its sealed fields were opened for the
  /// checkpoint, and neither they nor anything else changed since.
  public var sinceCheckpoint: Bool

  /// All records, or one part of them; all of their fields, or what is new since the checkpoint.
  public init(part: Part? = nil, sinceCheckpoint: Bool = false) {
    self.part = part
    self.sinceCheckpoint = sinceCheckpoint
  }

  package func contains(_ folder: UInt8) -> Bool { part?.contains(folder) ?? true }
}
