public import VaultDocument

/// Something that a vault has done, or refused: ids, counts and durations. It never holds a name, a value or a path.
public struct VaultEvent: Sendable, CustomStringConvertible {
  /// What was done. New kinds may be added in later versions.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case created, opened, added, changed, removed, restored, deleted, revealed, rotated, slotsChanged, waited, refused
    }
    private let name: Name

    public var description: String { name.rawValue }

    /// A vault was made, and unlocked by the slot of its first key.
    public static let created = Kind(name: .created)
    /// A vault was unlocked: by which slot, and how long that took.
    public static let opened = Kind(name: .opened)
    /// New records were stored.
    public static let added = Kind(name: .added)
    /// Records were stored in a new revision.
    public static let changed = Kind(name: .changed)
    /// Records went to the trash.
    public static let removed = Kind(name: .removed)
    /// Records came back out of the trash.
    public static let restored = Kind(name: .restored)
    /// Removed records were deleted for good.
    public static let deleted = Kind(name: .deleted)
    /// A sealed value of a record was opened for who asked for it. One read with the root key of another process is
    /// opened as it is read, which is not told.
    public static let revealed = Kind(name: .revealed)
    /// The vault has got another root key: how many records are under it, and how long that took.
    public static let rotated = Kind(name: .rotated)
    /// Ways to unlock the vault came or went: the files of which slots.
    public static let slotsChanged = Kind(name: .slotsChanged)
    /// Others had the vault's lock, or waited for it already: how long it took to get it.
    public static let waited = Kind(name: .waited)
    /// A key did not unlock the vault, or it is not the one that was seen; a record does not verify, or went back; the
    /// lock was not to be had; a change was not written: the code says which.
    public static let refused = Kind(name: .refused)
  }

  /// What was done.
  public let kind: Kind
  /// The vault's id.
  public let vault: VaultID
  /// When, by the clock of the vault's options.
  public let time: Timestamp
  /// The records that it is about; empty where that is the vault as a whole.
  public private(set) var records: [RecordID] = []
  /// The slots that it is about.
  public package(set) var slots: [SlotID] = []
  /// How many records it is about, also where they are not named.
  public private(set) var recordCount = 0
  /// How long it took, where that is told.
  public private(set) var duration: Duration?
  /// Why something was refused.
  public private(set) var code: VaultError.Code?

  package init(
    _ kind: Kind, _ vault: VaultID, at time: Timestamp, records: [RecordID] = [], slots: [SlotID] = [],
    recordCount: Int? = nil, duration: Duration? = nil, code: VaultError.Code? = nil
  ) {
    (self.kind, self.vault, self.time) = (kind, vault, time)
    (self.records, self.slots, self.recordCount) = (records, slots, recordCount ?? records.count)
    (self.duration, self.code) = (duration, code)
  }

  /// One line: what, of how many records, why and how long.
  public var description: String {
    var parts = ["\(kind)"]
    if recordCount > 0 { parts.append("records: \(recordCount)") }
    if let only = records.first, records.count == 1 { parts.append("id: \(only.text)") }
    if let code { parts.append("code: \(code)") }
    if let duration { parts.append("ms: \(Int(duration / .milliseconds(1)))") }
    return parts.joined(separator: " ")
  }
}
