public import VaultDocument

/// An action of a vault, or a refusal: ids, counts and durations. It never holds a name, a value or a path.
public struct VaultEvent: Sendable, CustomStringConvertible {
  /// The kind of event. New kinds may be added in later versions.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case created, opened, added, changed, removed, restored, deleted, revealed, rotated, slotsChanged, waited, refused
    }
    private let name: Name

    public var description: String { name.rawValue }

    /// A vault was created, and unlocked by the slot of its first key.
    public static let created = Kind(name: .created)
    /// A vault was unlocked; the event has the slot and the duration.
    public static let opened = Kind(name: .opened)
    /// New records were stored.
    public static let added = Kind(name: .added)
    /// Records were stored in a new revision.
    public static let changed = Kind(name: .changed)
    /// Records were moved to the trash.
    public static let removed = Kind(name: .removed)
    /// Records were restored from the trash.
    public static let restored = Kind(name: .restored)
    /// Removed records were deleted for good.
    public static let deleted = Kind(name: .deleted)
    /// A sealed value of a record was opened for a caller who asked for its text. With a root key in another process,
    /// values are opened when they are read, without this event.
    public static let revealed = Kind(name: .revealed)
    /// The vault has a new root key; the event has the number of records under it and the duration.
    public static let rotated = Kind(name: .rotated)
    /// Ways to unlock the vault were added or removed; the event has their slots.
    public static let slotsChanged = Kind(name: .slotsChanged)
    /// Other processes or tasks held the vault's lock or waited first; the event has the duration.
    public static let waited = Kind(name: .waited)
    /// An operation was refused; the event has the code. For example, a key did not unlock the vault, a record did not
    /// verify, the lock was not available, or a change was not written.
    public static let refused = Kind(name: .refused)
  }

  /// The kind of event.
  public let kind: Kind
  /// The vault's id.
  public let vault: VaultID
  /// The time, by the clock of the vault's options.
  public let time: Timestamp
  /// The records of the event; empty if it is about the whole vault.
  public private(set) var records: [RecordID] = []
  /// The slots of the event.
  public package(set) var slots: [SlotID] = []
  /// The number of records, even if they are not named.
  public private(set) var recordCount = 0
  /// The duration, if measured.
  public private(set) var duration: Duration?
  /// The reason for a refusal.
  public private(set) var code: VaultError.Code?

  package init(
    _ kind: Kind, _ vault: VaultID, at time: Timestamp, records: [RecordID] = [], slots: [SlotID] = [],
    recordCount: Int? = nil, duration: Duration? = nil, code: VaultError.Code? = nil
  ) {
    (self.kind, self.vault, self.time) = (kind, vault, time)
    (self.records, self.slots, self.recordCount) = (records, slots, recordCount ?? records.count)
    (self.duration, self.code) = (duration, code)
  }

  /// One line: kind, number of records, reason and duration.
  public var description: String {
    var parts = ["\(kind)"]
    if recordCount > 0 { parts.append("records: \(recordCount)") }
    if let only = records.first, records.count == 1 { parts.append("id: \(only.text)") }
    if let code { parts.append("code: \(code)") }
    if let duration { parts.append("ms: \(Int(duration / .milliseconds(1)))") }
    return parts.joined(separator: " ")
  }
}
