public import VaultDocument

/// The recorded backups of a directory: the content of its `backups.json`.
///
/// Anybody who can write there can change it. So it decides only which backups are kept, and which were proven to be
/// good. It never decides what a backup holds.
public struct BackupCatalog: Equatable, Sendable {
  /// One backup.
  public struct Entry: Equatable, Sendable {
    /// The file name.
    public let name: BackupName
    /// The file size in bytes.
    public let byteCount: Int
    /// SHA-256 of the file, 32 bytes.
    public let sha256: [UInt8]
    /// The time of the backup.
    public let createdAt: Timestamp
    /// The id of the vault.
    public let vaultID: VaultID
    /// The label from the user, at most ``BackupCatalog/labelByteLimit`` bytes of UTF-8.
    public let label: String?
    /// Whether the backup has an authentic list of its files.
    public let isAttested: Bool
    /// The strongest check that the backup passed, the latest among equals; nil without any check.
    public internal(set) var verification: Verification?
    /// When all bytes of the file last had the recorded hash; nil if they were not read since the backup was made.
    public internal(set) var checkedAt: Timestamp?
    /// Whether a removal of the file has begun, and may be finished.
    package var isBeingRemoved = false

    /// Makes the entry of a backup in the directory.
    public init(
      name: BackupName, byteCount: Int, sha256: [UInt8], createdAt: Timestamp, vaultID: VaultID, label: String? = nil,
      isAttested: Bool, verification: Verification? = nil
    ) {
      self.name = name
      self.byteCount = byteCount
      self.sha256 = sha256
      self.createdAt = createdAt
      self.vaultID = vaultID
      self.label = label
      self.isAttested = isAttested
      self.verification = verification
    }
  }

  /// A check that a backup passed.
  public struct Verification: Equatable, Sendable {
    /// The time of the check.
    public let time: Timestamp
    /// How thorough the check was.
    public let kind: Kind

    /// Makes a passed check.
    public init(time: Timestamp, kind: Kind) {
      self.time = time
      self.kind = kind
    }

    /// How thorough a check was.
    public enum Kind: String, Sendable, CaseIterable {
      /// Without a key: the file has the recorded hash and is an age file.
      case framing
      /// With a key: every byte was authentic, and the files matched the list.
      case list
      /// With a key: every record was verified, too.
      case deep
      /// With a key, right after the backup was made: every file equalled that in the vault. The records were not
      /// verified.
      case proof
    }

    /// Whether a key was used. Then the backup is known to open, not only to be unchanged.
    var isProof: Bool { kind != .framing }
  }

  /// The maximum length of a label in bytes.
  public static let labelByteLimit = 256

  /// All entries, sorted by the bytes of their file names.
  public private(set) var entries: [Entry] = []

  /// Makes an empty catalog.
  public init() {}

  /// Makes a catalog; nil if two entries have one name.
  init?(_ entries: [Entry]) {
    self.entries = entries.sorted { $0.name.precedesInBytes($1.name) }
    guard Set(entries.map(\.name)).count == entries.count else { return nil }
  }

  /// The entry of a file; nil for an unrecorded file.
  public subscript(name: BackupName) -> Entry? { entries.first { $0.name == name } }

  /// Records a backup, and replaces any entry of the same name.
  public mutating func record(_ entry: Entry) {
    forget(entry.name)
    let index = entries.firstIndex { entry.name.precedesInBytes($0.name) } ?? entries.endIndex
    entries.insert(entry, at: index)
  }

  /// Notes that a backup passed a check. A weaker check than an earlier one changes only ``Entry/checkedAt``.
  ///
  /// The caller must have compared the file with the entry.
  ///
  /// - Returns: false if there is no entry of that name.
  @discardableResult
  public mutating func note(_ verification: Verification, of name: BackupName) -> Bool {
    guard let index = entries.firstIndex(where: { $0.name == name }) else { return false }
    let old = entries[index].verification
    entries[index].checkedAt = verification.time
    if (old?.kind.strength ?? 0) <= verification.kind.strength { entries[index].verification = verification }
    return true
  }

  /// Notes that all bytes of a file were read and had the recorded hash.
  mutating func noteReading(of name: BackupName, at time: Timestamp) {
    if let index = entries.firstIndex(where: { $0.name == name }) { entries[index].checkedAt = time }
  }

  /// Removes an entry.
  public mutating func forget(_ name: BackupName) { entries.removeAll { $0.name == name } }

  /// Notes which files a removal is about to delete. If the removal is interrupted, their absence is then explained.
  package mutating func markRemovals(of names: Set<BackupName>) {
    for index in entries.indices { entries[index].isBeingRemoved = names.contains(entries[index].name) }
  }
}

extension BackupCatalog.Verification.Kind {
  /// The order of checks. `deep` verifies records, and `proof` compares with the vault. Neither implies the other, so
  /// they are equal, and the later one counts.
  fileprivate var strength: Int {
    switch self {
    case .framing: 1
    case .list: 2
    case .deep, .proof: 3
    }
  }
}

extension BackupName {
  /// The order of names, which for one vault is the order of time.
  func precedesInBytes(_ other: BackupName) -> Bool {
    fileName.utf8.lexicographicallyPrecedes(other.fileName.utf8)
  }
}
