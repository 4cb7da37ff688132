public import VaultDocument

/// What is recorded of the backups in a directory: the content of its `backups.json`.
///
/// Whoever can write there can change it. So it counts for what is kept, and for whether a file has been proved to be a
/// good backup; what a backup holds is never believed because of it.
public struct BackupCatalog: Equatable, Sendable {
  /// One backup.
  public struct Entry: Equatable, Sendable {
    /// The name of its file.
    public let name: BackupName
    /// The size of its file.
    public let byteCount: Int
    /// The SHA-256 of its file, 32 bytes.
    public let sha256: [UInt8]
    /// When it was made.
    public let createdAt: Timestamp
    /// The vault that it is of.
    public let vaultID: VaultID
    /// What somebody called it, at most ``BackupCatalog/labelByteLimit`` bytes of UTF-8.
    public let label: String?
    /// Whether it holds the authentic list of its files.
    public let isAttested: Bool
    /// The strongest check that it passed, the latest of these; nil when it was never checked.
    public internal(set) var verification: Verification?
    /// When all bytes of the file were last read and had the recorded hash; nil if that was never since it was made.
    public internal(set) var checkedAt: Timestamp?
    /// Whether somebody set out to remove its file, and may have done so.
    package var isBeingRemoved = false

    /// What is recorded of a backup that lies in the directory.
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
    /// When.
    public let time: Timestamp
    /// How thorough it was.
    public let kind: Kind

    /// A check of this thoroughness that was passed at this time.
    public init(time: Timestamp, kind: Kind) {
      self.time = time
      self.kind = kind
    }

    /// How thorough a check was.
    public enum Kind: String, Sendable, CaseIterable {
      /// Without a key: the file has the recorded hash and the form of an age file.
      case framing
      /// With a key: every byte was authentic, and the files were the listed ones.
      case list
      /// With a key: every record was verified, too.
      case deep
      /// With a key, right after it was made: every file in it had the bytes that were read from the vault. Whether
      /// these verify was not looked at.
      case proof
    }

    /// Whether a key was used: then it is known to open, not only to be unchanged.
    var isProof: Bool { kind != .framing }
  }

  /// How long a label may be.
  public static let labelByteLimit = 256

  /// All entries, sorted by the bytes of their file names.
  public private(set) var entries: [Entry] = []

  /// Nothing recorded yet.
  public init() {}

  /// Takes entries; nil when two have one name.
  init?(_ entries: [Entry]) {
    self.entries = entries.sorted { $0.name.precedesInBytes($1.name) }
    guard Set(entries.map(\.name)).count == entries.count else { return nil }
  }

  /// What is recorded of a file; nil when nothing is.
  public subscript(name: BackupName) -> Entry? { entries.first { $0.name == name } }

  /// Records a backup, in place of what was recorded under its name.
  public mutating func record(_ entry: Entry) {
    forget(entry.name)
    let index = entries.firstIndex { entry.name.precedesInBytes($0.name) } ?? entries.endIndex
    entries.insert(entry, at: index)
  }

  /// Notes that a backup passed a check. A weaker check than an earlier one changes only ``Entry/checkedAt``.
  ///
  /// The caller has made sure that the file is the recorded one.
  ///
  /// - Returns: false when nothing is recorded under that name.
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

  /// Takes an entry out.
  public mutating func forget(_ name: BackupName) { entries.removeAll { $0.name == name } }

  /// Notes of which files the removal begins, and of no others: it is known then why they are gone, should it be cut
  /// off.
  package mutating func markRemovals(of names: Set<BackupName>) {
    for index in entries.indices { entries[index].isBeingRemoved = names.contains(entries[index].name) }
  }
}

extension BackupCatalog.Verification.Kind {
  /// What counts as more. `deep` looks at records, and `proof` at the vault that they came from: neither says what the
  /// other does, so the two are equal, and the later one counts.
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
