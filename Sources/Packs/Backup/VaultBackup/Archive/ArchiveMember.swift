internal import VaultDocument
internal import VaultFileStore
package import VaultStorage

/// A file that an archive may hold, and its path there (format 1, section 14.1, Archive).
///
/// Any other spelling of a path is refused. So there are no links, no `..`, no absolute paths, and no names that differ
/// only in case.
package enum ArchiveMember: Hashable {
  case document(StoreLocation)
  /// `.gitattributes` or `.gitignore`.
  case gitFile(String)
  /// The list of all other files.
  case list

  static let folder = "vault/"
  package static let listName = "backup.jsonl"

  var path: String {
    var bytes: [UInt8] = []
    appendPath(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The path below the vault's folder; for the list, its name.
  package var vaultPath: String {
    var bytes: [UInt8] = []
    appendVaultPath(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  func appendPath(to bytes: inout [UInt8]) {
    if self != .list { bytes.append("vault/") }
    appendVaultPath(to: &bytes)
  }

  /// Appends the bytes of ``vaultPath``. For records, of which there are many, this makes no string.
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

  /// The member with this path in the archive; nil for any other spelling.
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

  /// A record, as nearly all files: `vault/records/<xx>/<id>.json`, with the beginning of the id as the folder.
  private init?(recordPath path: ArraySlice<UInt8>) {
    let path = path.span
    guard path.count == 58, path.has("vault/records/", at: 0), path.has("/", at: 16), path.has(".json", at: 53),
      path[14] == path[17], path[15] == path[18], let id = RecordID(parsing: path.extracting(17..<53))
    else { return nil }
    self = .document(.record(id))
  }

  /// The member with this path below the vault's folder; nil for any other spelling.
  init?(vaultPath path: String) {
    if let place = StoreLocation(relativePath: path) {
      self = .document(place)
    } else if let name = DirectoryStore.gitFileNames.first(where: { $0.utf8.elementsEqual(path.utf8) }) {
      self = .gitFile(name)
    } else {
      return nil
    }
  }

  var byteLimit: Int {
    switch self {
    case .document(.slot): 4 << 10
    case .document(let place): place.byteLimit
    case .gitFile: DirectoryStore.gitFileByteLimit
    case .list: StoreLocation.checkpoint.byteLimit
    }
  }
}

extension ArchiveMember {
  /// The kinds of members in archive order. The header comes first, so that a reader can get the keys early. The list
  /// comes last.
  package enum Kind: Int, CaseIterable {
    case header, slot, checkpoint, record, trash, attachment, deposit, gitAttributes, gitIgnore, list
  }

  var kind: Kind {
    switch self {
    case .document(.header): .header
    case .document(.slot): .slot
    case .document(.checkpoint): .checkpoint
    case .document(.record): .record
    case .document(.trash): .trash
    case .document(.attachment): .attachment
    case .document(.inbox): .deposit
    case .gitFile(let name): name == DirectoryStore.gitFileNames[0] ? .gitAttributes : .gitIgnore
    case .list: .list
    }
  }

  /// The id within the kind; nil if the kind has only one member.
  var id: Identifier? {
    switch self {
    case .document(.slot(let id)), .document(.record(let id)), .document(.trash(let id)),
      .document(.attachment(let id)), .document(.inbox(let id)):
      id
    default: nil
    }
  }

  /// Whether the file is passed on in pieces, because it may not fit into memory.
  var isLarge: Bool {
    switch self {
    case .document(let place): place.isLarge
    case .list: true
    case .gitFile: false
    }
  }
}

extension ArchiveMember: Comparable {
  package static func < (left: ArchiveMember, right: ArchiveMember) -> Bool {
    let (first, second) = (left.kind.rawValue, right.kind.rawValue)
    guard first == second else { return first < second }
    guard let first = left.id, let second = right.id else { return false }
    return first < second
  }
}
