public import VaultDocument
internal import VaultFileStore
public import VaultKit
internal import VaultStorage

/// The files in a directory of backups, beside their entries.
public struct BackupListing: Sendable {
  /// One backup.
  public struct Row: Equatable, Sendable {
    /// The file name.
    public let name: BackupName
    /// The entry; nil for an unrecorded file.
    public let entry: BackupCatalog.Entry?
    /// The file size; nil if there is no regular file.
    public let byteCount: Int?
    /// Whether the content was read and does not have the recorded hash.
    public internal(set) var hasOtherContent = false

    /// The state of the backup.
    public var state: State {
      guard let entry else { return .unrecorded }
      guard let byteCount else { return .gone }
      return byteCount == entry.byteCount && !hasOtherContent ? .recorded : .changed
    }
  }

  /// The state of a backup, as far as it was checked.
  public enum State: String, Sendable {
    /// The file exists with the recorded size.
    case recorded
    /// The file differs from the recorded one.
    case changed
    /// The file is missing, and no prune has removed it.
    case gone
    /// The file has the name of a backup, but no entry.
    case unrecorded
  }

  /// Backups of one vault under one stem, which the rules of a prune treat together.
  public struct Group: Hashable, Sendable {
    /// The beginning of their names.
    public let stem: String
    /// The id of the vault; nil for unrecorded files.
    public let vaultID: VaultID?
  }

  /// All recorded or existing backups, sorted by the bytes of their names.
  public internal(set) var rows: [Row]

  /// The groups, in the order of their names.
  public var groups: [Group] {
    var groups: [Group] = []
    for row in rows where groups.last != row.group && !groups.contains(row.group) { groups.append(row.group) }
    return groups
  }
}

extension BackupListing {
  /// The newest backup of each vault, whatever its stem, sorted by names.
  ///
  /// An unrecorded file belongs to no vault. The newest such file of a stem is included if it is newer than every
  /// recorded backup of the stem, because a user should look at it.
  public func newest() -> [Row] {
    func newer(_ one: Row, _ other: Row) -> Row { one.name.time < other.name.time ? other : one }
    let recorded = rows.filter { $0.entry != nil }
    let ofVaults = Dictionary(recorded.map { ($0.entry?.vaultID, $0) }, uniquingKeysWith: newer)
    let ofNames = Dictionary(recorded.map { ($0.name.stem, $0) }, uniquingKeysWith: newer)
    let strange = Dictionary(
      rows.filter { $0.entry == nil }.map { ($0.name.stem, $0) }, uniquingKeysWith: newer
    ).values.filter { row in ofNames[row.name.stem].map { $0.name.time < row.name.time } ?? true }
    return (Array(ofVaults.values) + strange).sorted { $0.name.precedesInBytes($1.name) }
  }

  /// The recorded backups with a file. The one whose content was checked the longest ago comes first.
  public func leastRecentlyChecked() -> [Row] {
    let checked = rows.compactMap { row in
      row.byteCount == nil ? nil : row.entry.map { (row: row, time: $0.checkedAt ?? $0.createdAt) }
    }
    return checked.sorted { ($0.time, $0.row.name.time) < ($1.time, $1.row.name.time) }.map(\.row)
  }
}

extension BackupListing.Row {
  /// The group of the row.
  public var group: BackupListing.Group { BackupListing.Group(stem: name.stem, vaultID: entry?.vaultID) }
}

extension BackupDirectory {
  /// Reads the whole file of a backup and compares its SHA-256 with the recorded one. If they are equal and the
  /// directory is writable, the time is recorded.
  ///
  /// - Throws: `VaultError` `.damaged` if there is no regular file, `.permissionDenied`, `.ioFailed`.
  public func reading(_ row: BackupListing.Row) throws(VaultError) -> BackupListing.Row {
    guard let entry = row.entry, row.state == .recorded, let found = try contentHash(of: row.name) else { return row }
    var row = row
    row.hasOtherContent = found != (entry.byteCount, entry.sha256)
    guard !row.hasOtherContent else { return row }
    let now = Timestamp.now()
    try? update { catalog in
      if catalog[row.name]?.sha256 == entry.sha256 { catalog.noteReading(of: row.name, at: now) }
    }
    return row
  }

  /// Compares the directory with its catalog. Only `backups.json` is opened.
  ///
  /// - Throws: `VaultError` as ``catalog()``.
  public func listing() throws(VaultError) -> BackupListing { try listing(of: try catalog()) }

  /// The listing without entries whose file an interrupted prune has removed.
  func listing(of catalog: BackupCatalog) throws(VaultError) -> BackupListing {
    let files = try inBackups { () throws(StoreError) in try folder.entries() }
    var sizes: [BackupName: Int] = [:]
    for file in files { if let name = BackupName(fileName: file.name) { sizes[name] = file.byteCount } }
    var rows = catalog.entries.map { BackupListing.Row(name: $0.name, entry: $0, byteCount: sizes[$0.name]) }
    rows.removeAll { $0.byteCount == nil && $0.entry?.isBeingRemoved == true }
    let recorded = Set(rows.map(\.name))
    rows += sizes.filter { !recorded.contains($0.key) }
      .map { BackupListing.Row(name: $0.key, entry: nil, byteCount: $0.value) }
    return BackupListing(rows: rows.sorted { $0.name.precedesInBytes($1.name) })
  }
}
