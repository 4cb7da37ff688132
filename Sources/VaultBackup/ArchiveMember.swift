internal import VaultDocument
internal import VaultFileStore
internal import VaultStorage

/// A file that an archive may hold, and the place that it has there (format 1, section 14.1).
///
/// Nothing else is written or taken: a name that is not spelled exactly so is refused, and with it every link, `..`, absolute
/// path and twin that differs in case.
enum ArchiveMember: Hashable {
  case document(StoreLocation)
  /// `.gitattributes` or `.gitignore`.
  case gitFile(String)
  /// The list of all others.
  case list

  static let folder = "vault/"
  static let listName = "backup.json"

  /// The path in the archive.
  var path: String { String(decoding: pathBytes, as: UTF8.self) }

  /// The path below the vault's folder; for the list, its name.
  var vaultPath: String {
    var bytes: [UInt8] = []
    appendVaultPath(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes of ``path``.
  var pathBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    if self != .list { bytes += Self.folder.utf8 }
    appendVaultPath(to: &bytes)
    return bytes
  }

  /// Appends the bytes of ``vaultPath``; those of records, which there are many of, without making a text first.
  func appendVaultPath(to bytes: inout [UInt8]) {
    switch self {
    case .document(.record(let id)):
      bytes += "records/".utf8
      bytes += id.folderName.utf8
      bytes.append(UInt8(ascii: "/"))
      id.appendText(to: &bytes)
      bytes += ".json".utf8
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
    guard path.count == 58, path.has("vault/records/", at: 0), path.has("/", at: 16), path.has(".json", at: 53),
      path[14] == path[17], path[15] == path[18], let id = RecordID(parsing: path.extracting(17..<53))
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

extension ArchiveMember: Comparable {
  /// The order in an archive: the header comes first, so that whoever reads on can have the keys, and the list last.
  static func < (left: ArchiveMember, right: ArchiveMember) -> Bool {
    let (left, right) = (left.rank, right.rank)
    if left.group != right.group { return left.group < right.group }
    guard let first = left.id, let second = right.id else { return false }
    return first < second
  }

  private var rank: (group: Int, id: Identifier?) {
    switch self {
    case .document(.header): (0, nil)
    case .document(.slot(let id)): (1, id)
    case .document(.checkpoint): (2, nil)
    case .document(.record(let id)): (3, id)
    case .document(.trash(let id)): (4, id)
    case .gitFile(let name): (name == DirectoryStore.gitFileNames[0] ? 5 : 6, nil)
    case .list: (7, nil)
    }
  }
}
