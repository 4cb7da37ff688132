internal import VaultStorage
internal import VaultSystem
internal import VaultFileStore

/// The target of a restore, and what is already there.
struct RestorePlace: Sendable {
  enum Occupant: Sendable {
    /// Nothing, or an empty directory.
    case nothing
    /// A vault and nothing else.
    case vault
    /// A vault or a git repository with other files; or a directory that cannot be exchanged because it is a mount
    /// point.
    case shared
    /// A directory with other files, or something that is not a directory.
    case foreign
  }

  let parent: NamedFolder
  let name: String
  let occupant: Occupant

  var path: String { parent.path(of: name) }

  /// Examines a path, whose last component may be missing.
  init(_ path: String, operations: any FileOperations = LiveFileOperations()) throws(StoreError) {
    // Its real parent: a link to a vault must not be exchanged for a vault.
    let (above, name) = NamedFolder.split(ProcessEnvironment.realPath(path) ?? path)
    parent = try NamedFolder(at: above, operations: operations)
    self.name = name
    occupant = try Self.occupant(of: name, in: parent)
  }

  private static func occupant(of name: String, in parent: NamedFolder) throws(StoreError) -> Occupant {
    guard let status = try parent.status(of: name) else { return .nothing }
    guard status.kind == .directory else { return .foreign }
    let directory = try NamedFolder(at: parent.path(of: name), operations: parent.files.operations)
    let names = try directory.names()
    let isMounted = try parent.status().device != status.device
    let isOurs = names.contains(StoreLocation.header.fileName) || names.contains(".git")
    if names.isEmpty || isMounted && names == ["lost+found"] { return isMounted ? .shared : .nothing }
    guard isOurs else { return .foreign }
    return !isMounted && names.allSatisfy(ownNames.contains) ? .vault : .shared
  }

  /// The names that may lie in a vault's own directory (format 1, section 3, Directory).
  private static let ownNames: Set<String> = Set(
    [StoreDirectory.records, .slots, .trash, .attachments, .inbox, .staging].map(\.name) + DirectoryStore.gitFileNames
      + [
        StoreLocation.header.fileName, StoreLocation.checkpoint.fileName, StoreDirectory.lockName,
        StoreDirectory.journalName,
      ])

  /// The paths by which a vault there is known; see `DirectoryStore.knownPaths`.
  func knownPaths(given: String) -> [String] { DirectoryStore.knownPaths(given: given, real: realPath) }

  private var realPath: String? {
    ProcessEnvironment.realPath(parent.path).map { $0 == "/" ? "/" + name : $0 + "/" + name }
  }
}
