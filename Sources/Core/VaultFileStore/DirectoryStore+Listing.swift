public import VaultDocument
public import VaultStorage
internal import VaultSystem

extension DirectoryStore {
  public func recordFolders() throws(StoreError) -> [UInt8] {
    let overlay = try overlay()
    var folders = Set(try entries(of: .records).compactMap { StoreDirectory.folder(named: $0)?.number })
    folders.formUnion(overlay?.recordFolders ?? [])
    return folders.sorted()
  }

  public func records(inFolder folder: UInt8) throws(StoreError) -> [RecordID] {
    try identifiers(in: .folder(folder), seeing: overlay())
  }

  public func trashed() throws(StoreError) -> [RecordID] {
    try identifiers(in: .trash, seeing: overlay())
  }

  public func slots() throws(StoreError) -> [SlotID] {
    try identifiers(in: .slots, seeing: nil)
  }

  /// Whether the name of a document in the vault's own directory exists.
  func isThere(_ place: StoreLocation) throws(StoreError) -> Bool {
    try files.callIfPresent(at: place.relativePath) { [root = root.descriptor] (system) throws(Errno) in
      try system.status(of: place.fileName, in: root, followingLink: false)
    } != nil
  }

  /// The ids of a directory's well-named entries, ascending, as they will be once `overlay` is in place.
  func identifiers(in directory: StoreDirectory, seeing overlay: Overlay?) throws(StoreError) -> [Identifier] {
    var ids = try entries(of: directory).compactMap { directory.identifier(of: $0) }
    if let overlay {
      let changes = overlay.changes(in: directory)
      let changed = Set(changes.map(\.id))
      ids.removeAll { changed.contains($0) }
      ids += changes.filter(\.isPresent).map(\.id)
    }
    ids.sort()
    return ids
  }

  /// The entries of a directory; empty if it is missing, as in a clone.
  func entries(of directory: StoreDirectory) throws(StoreError) -> [DirectoryEntry] {
    let entries = try withCurrentDirectory(directory) { (file) throws(StoreError) in
      try files.call(at: directory.path) { (system) throws(Errno) in try system.entries(of: file) }
    }
    return entries ?? []
  }

  public func strayEntries() throws(StoreError) -> [String] {
    var strays = try strayEntries(of: .trash) + strayEntries(of: .inbox) + strayAttachments()
    for entry in try entries(of: .records) where !entry.isHidden {
      guard let folder = StoreDirectory.folder(named: entry) else {
        strays.append(StoreDirectory.records.path(of: entry.printableName))
        continue
      }
      strays += try strayEntries(ofFolder: folder)
    }
    return strays.sorted()
  }

  /// The names that begin with a dot, in the folders of records and in the trash, as sorted paths.
  ///
  /// - Throws: like `read`.
  public func hiddenEntries() throws(StoreError) -> [String] {
    var hidden: [String] = []
    for directory in try [.records, .trash] + recordFolders().map(StoreDirectory.folder) {
      hidden += try entries(of: directory).filter(\.isHidden).map { directory.path(of: $0.printableName) }
    }
    return hidden.sorted()
  }

  /// Entries that do not belong in one of 256 folders; the folder itself if it is not a directory.
  func strayEntries(ofFolder folder: StoreDirectory) throws(StoreError) -> [String] {
    do throws(StoreError) {
      return try strayEntries(of: folder)
    } catch {
      guard error.code == .notADirectory || error.code == .symbolicLink else { throw error }
      return [folder.path]
    }
  }

  private func strayEntries(of directory: StoreDirectory) throws(StoreError) -> [String] {
    let entries = try entries(of: directory)
    let strays = try withDirectory(directory) { (file) throws(StoreError) in
      var strays: [String] = []
      for entry in entries where !entry.isHidden {
        if directory.identifier(of: entry) != nil, try isRegular(entry, in: file, of: directory) { continue }
        strays.append(directory.path(of: entry.printableName))
      }
      return strays
    }
    return strays ?? []
  }

  private func isRegular(
    _ entry: DirectoryEntry, in file: Int32, of directory: StoreDirectory
  ) throws(StoreError) -> Bool {
    if let kind = entry.kind { return kind == .regular }
    let status = try files.callIfPresent(at: directory.path(of: entry.name)) { (system) throws(Errno) in
      try system.status(of: entry.name, in: file, followingLink: false)
    }
    return status.map { $0.kind == .regular } ?? true
  }
}

extension StoreDirectory {
  /// The id of an entry of this directory; nil if the name does not belong here.
  func identifier(of entry: DirectoryEntry) -> Identifier? {
    guard entry.isExact, let id = Identifier(fileName: entry.name, suffix: suffix) else { return nil }
    switch self {
    case .folder(let number), .attachmentFolder(let number): return id.folder == number ? id : nil
    case .root, .slots, .records, .trash, .attachments, .inbox, .staging: return id
    }
  }

  /// The end of its documents' names.
  private var suffix: String {
    switch self {
    case .slots, .inbox: ".age"
    case .attachments, .attachmentFolder: ""
    case .root, .records, .folder, .trash, .staging: ".json"
    }
  }

  /// The record folder that an entry of `records/` names.
  static func folder(named entry: DirectoryEntry) -> StoreDirectory? {
    guard entry.isExact, let number = UInt8(entry.name, radix: 16) else { return nil }
    let folder = StoreDirectory.folder(number)
    // Only one spelling is a folder: two that differ in case would be the same on some systems.
    return folder.name == entry.name ? folder : nil
  }
}
