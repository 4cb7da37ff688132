public import VaultDocument

/// The file name of a backup: `NAME-20261121T014028Z.cvault.age`.
///
/// The time is the start of the backup in UTC, so names of one vault sort by time.
public struct BackupName: Hashable, Sendable {
  /// The part before the time, such as `team`: 1 to 64 of `A`–`Z`, `a`–`z`, `0`–`9`, `.`, `_` and `-`, without a
  /// leading `.` or `-`.
  public let stem: String
  /// The time in the name, in whole seconds.
  public let time: Timestamp

  /// The end of every backup's file name.
  public static let suffix = ".cvault.age"

  /// Makes a name of its parts; nil if `stem` is not valid. Fractions of a second are cut off.
  public init?(stem: String, time: Timestamp) {
    guard Self.isStem(stem.utf8) else { return nil }
    guard let whole = try? Timestamp(secondsSinceEpoch: time.secondsSinceEpoch) else { return nil }
    self.stem = stem
    self.time = whole
  }

  /// Reads a file name; nil if it is not the name of a backup.
  public init?(fileName: String) {
    guard fileName.hasSuffix(Self.suffix) else { return nil }
    let front = fileName.utf8.dropLast(Self.suffix.utf8.count)
    guard let time = try? Timestamp(parsingCompact: String(front.suffix(16)) ?? ""),
      front.dropLast(16).last == UInt8(ascii: "-"), let stem = String(front.dropLast(17))
    else { return nil }
    self.init(stem: stem, time: time)
  }

  /// The file name: `NAME-20261121T014028Z.cvault.age`.
  public var fileName: String { "\(stem)-\(time.compactText)\(Self.suffix)" }

  private static func isStem(_ bytes: String.UTF8View) -> Bool {
    guard (1...64).contains(bytes.count), let first = bytes.first else { return false }
    guard first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return false }
    return bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
      default: false
      }
    }
  }
}
