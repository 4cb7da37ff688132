internal import VaultDocument
internal import VaultFileStore
internal import VaultStorage

/// A file that an archive may hold, and the place that it has there (format 1, section 14.1, Archive).
///
/// Nothing else is written or taken: a name that is not spelled exactly so is refused, and with it every link, `..`,
/// absolute path and twin that differs in case.
enum ArchiveMember: Hashable {
  case document(StoreLocation)
  /// `.gitattributes` or `.gitignore`.
  case gitFile(String)
  /// The list of all others.
  case list

  static let folder = "vault/"
  static let listName = "backup.json"

  /// The path in the archive.
  var path: String {
    var bytes: [UInt8] = []
    appendPath(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The path below the vault's folder; for the list, its name.
  var vaultPath: String {
    var bytes: [UInt8] = []
    appendVaultPath(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the bytes of ``path``.
  func appendPath(to bytes: inout [UInt8]) {
    if self != .list { bytes.append("vault/") }
    appendVaultPath(to: &bytes)
  }

  /// Appends the bytes of ``vaultPath``; those of records, which there are many of, without making a text first.
  func appendVaultPath(to bytes: inout [UInt8]) {
    switch self {
    case .document(.record(let id)):
      bytes.append("records/")
      bytes.append(addingCapacity: 3) { output in
        output.append(highest: 2, of: Hex.digits(of: UInt32(id.folder) << 24))
        output.append(UInt8(ascii: "/"))
      }
      id.appendText(to: &bytes)
      bytes.append(".json")
    case .document(let place): bytes += place.relativePath.utf8
    case .gitFile(let name): bytes += name.utf8
    case .list: bytes += Self.listName.utf8
    }
  }

  /// The size of ``vaultPath``, which for a record is known without making it.
  var vaultPathByteCount: Int {
    switch self {
    case .document(.record): "records/00/.json".utf8.count + 36
    case .document(.trash): "trash/.json".utf8.count + 36
    default: vaultPath.utf8.count
    }
  }

  /// The member with this path in the archive; nil when there is none that is spelled so.
  init?(path: ArraySlice<UInt8>) {
    if let record = Self(recordPath: path) {
      self = record
    } else if path.elementsEqual(Self.listName.utf8) {
      self = .list
    } else if path.starts(with: Self.folder.utf8),
      let rest = String(validating: path.dropFirst(Self.folder.utf8.count), as: UTF8.self)
    {
      self.init(vaultPath: rest)
    } else {
      return nil
    }
  }

  /// A record, which nearly all files are: `vault/records/<xx>/<id>.json`, the folder being the beginning of the id.
  private init?(recordPath path: ArraySlice<UInt8>) {
    let path = path.span
    guard path.count == 58, path.has("vault/", at: 0) else { return nil }
    self.init(recordAt: 6, of: path)
  }

  /// A record whose path below the vault's folder, 52 bytes, begins at `start`; nil for anything else.
  init?(recordAt start: Int, of text: Span<UInt8>) {
    guard start >= 0, start + 52 <= text.count, text.has("records/", at: start), text.has("/", at: start + 10),
      text.has(".json", at: start + 47), text[start + 8] == text[start + 11], text[start + 9] == text[start + 12],
      let id = RecordID(parsing: text.extracting(start + 11..<start + 47))
    else { return nil }
    self = .document(.record(id))
  }

  /// The member with this path below the vault's folder; nil when there is none that is spelled so.
  init?(vaultPath path: String) {
    if let place = StoreLocation(relativePath: path) {
      self = .document(place)
    } else if let name = DirectoryStore.gitFileNames.first(where: { $0.utf8.elementsEqual(path.utf8) }) {
      self = .gitFile(name)
    } else {
      return nil
    }
  }

  /// The most bytes that it may have.
  var byteLimit: Int {
    switch self {
    case .document(.slot): 4 << 10
    case .document(let place): place.byteLimit
    case .gitFile: DirectoryStore.gitFileByteLimit
    case .list: 512 << 20
    }
  }
}

extension ArchiveMember {
  /// The kinds of places in the order in which they stand in an archive: the header comes first, so that whoever reads
  /// on can have the keys, and the list last.
  enum Kind: Int, CaseIterable {
    case header, slot, checkpoint, record, trash, gitAttributes, gitIgnore, list

    /// The order of their paths, in which a list names them.
    static let listed: [Kind] = [.gitAttributes, .gitIgnore, .checkpoint, .record, .slot, .trash, .header]
  }

  var kind: Kind {
    switch self {
    case .document(.header): .header
    case .document(.slot): .slot
    case .document(.checkpoint): .checkpoint
    case .document(.record): .record
    case .document(.trash): .trash
    case .gitFile(let name): name == DirectoryStore.gitFileNames[0] ? .gitAttributes : .gitIgnore
    case .list: .list
    }
  }

  /// What tells it from others of its kind; nil where there is one only.
  var id: Identifier? {
    switch self {
    case .document(.slot(let id)), .document(.record(let id)), .document(.trash(let id)): id
    default: nil
    }
  }

  /// The member of a kind; the id counts where there are several.
  init(_ kind: Kind, _ id: Identifier) {
    self =
      switch kind {
      case .header: .document(.header)
      case .slot: .document(.slot(id))
      case .checkpoint: .document(.checkpoint)
      case .record: .document(.record(id))
      case .trash: .document(.trash(id))
      case .gitAttributes: .gitFile(DirectoryStore.gitFileNames[0])
      case .gitIgnore: .gitFile(DirectoryStore.gitFileNames[1])
      case .list: .list
      }
  }

  /// Whether it is handed on in pieces, since it grows with the vault.
  var isLarge: Bool { self == .list || self == .document(.checkpoint) }
}

extension ArchiveMember: Comparable {
  /// The order in an archive.
  static func < (left: ArchiveMember, right: ArchiveMember) -> Bool {
    let (first, second) = (left.kind.rawValue, right.kind.rawValue)
    guard first == second else { return first < second }
    guard let first = left.id, let second = right.id else { return false }
    return first < second
  }
}
