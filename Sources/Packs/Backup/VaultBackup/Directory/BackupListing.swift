public import VaultDocument
internal import VaultFileStore
public import VaultKit
internal import VaultStorage

/// What lies in a directory of backups, beside what is recorded of it.
public struct BackupListing: Sendable {
  /// One backup.
  public struct Row: Equatable, Sendable {
    /// The name of its file.
    public let name: BackupName
    /// What is recorded; nil for a file that is not.
    public let entry: BackupCatalog.Entry?
    /// The size of its file; nil when it is not there, or no regular file is.
    public let byteCount: Int?
    /// Whether its content was looked at and is not the recorded one.
    public internal(set) var hasOtherContent = false

    /// What is to be thought of it.
    public var state: State {
      guard let entry else { return .unrecorded }
      guard let byteCount else { return .gone }
      return byteCount == entry.byteCount && !hasOtherContent ? .recorded : .changed
    }
  }

  /// What is to be thought of a backup, as far as it was looked at.
  public enum State: String, Sendable {
    /// Its file is there, with the recorded size.
    case recorded
    /// Its file is not the recorded one.
    case changed
    /// Its file is not there, and no prune has removed it.
    case gone
    /// Its file has the name of a backup, and nothing is recorded of it.
    case unrecorded
  }

  /// Backups of one vault under one name: what the rules of a prune look at together.
  public struct Group: Hashable, Sendable {
    /// What their names begin with.
    public let stem: String
    /// The vault; nil for files that are not recorded.
    public let vaultID: VaultID?
  }

  /// All backups, recorded or there, sorted by the bytes of their names.
  public internal(set) var rows: [Row]

  /// Which of them belong together, in the order of their names.
  public var groups: [Group] {
    var groups: [Group] = []
    for row in rows where groups.last != row.group && !groups.contains(row.group) { groups.append(row.group) }
    return groups
  }
}

extension BackupListing {
  /// The newest backup of each vault, whatever its name, sorted by names.
  ///
  /// A file that is not recorded belongs to no vault. The newest such file of a name is in the result if it is newer
  /// than every recorded backup of that name: somebody should look at it.
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

  /// The recorded backups whose files are there, those first whose content was checked the longest ago.
  public func leastRecentlyChecked() -> [Row] {
    let checked = rows.compactMap { row in
      row.byteCount == nil ? nil : row.entry.map { (row: row, time: $0.checkedAt ?? $0.createdAt) }
    }
    return checked.sorted { ($0.time, $0.row.name.time) < ($1.time, $1.row.name.time) }.map(\.row)
  }
}

extension BackupListing.Row {
  /// What it belongs to.
  public var group: BackupListing.Group { BackupListing.Group(stem: name.stem, vaultID: entry?.vaultID) }
}

extension BackupDirectory {
  /// Reads the whole file of a backup, compares its SHA-256 with the recorded one, and records when that was if it is
  /// the same and the directory can be written to.
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

  /// Looks at what is there and what is recorded. No file is opened but `backups.json`.
  ///
  /// - Throws: `VaultError` as ``catalog()``.
  public func listing() throws(VaultError) -> BackupListing { try listing(of: try catalog()) }

  /// An entry whose file was about to be removed, and is gone, is left out: a prune was interrupted.
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
