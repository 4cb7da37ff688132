internal import VaultStorage
internal import VaultSystem
internal import VaultFileStore

/// The directory as it was made.
private final class Made {
  /// Locked as long as it is filled: what a process that died left behind is not.
  let root: OpenFile
  let store: DirectoryStore

  init(_ name: String, in parent: NamedFolder) throws(StoreError) {
    let (files, directory, path) = (parent.files, parent.directory.descriptor, parent.path(of: name))
    let made = try files.open(name, in: directory, as: .directory, at: path)
    let descriptor = made.descriptor
    _ = try files.call(at: path) { (system) throws(Errno) in try system.tryLock(descriptor, isShared: false) }
    store = DirectoryStore(
      root: try files.open(".", in: descriptor, as: .directory, at: path), path: path, files: files)
    root = made
  }
}

/// A document on its way into the directory.
private final class UnpackedFile {
  private let folder: OpenFile
  private let file: AtomicFile<StoreError>
  private var written = ContentMark.Builder()

  init(_ place: StoreLocation, in store: DirectoryStore) throws(StoreError) {
    let folder = try store.openMade(place.directory, isSynced: false)
    file = try AtomicFile<StoreError>(place.fileName, in: folder.descriptor, store.files, at: place.relativePath)
    self.folder = folder
  }

  // Before its directory is closed; nothing where it is kept.
  deinit { file.discard() }

  func append(_ piece: [UInt8]) throws(StoreError) {
    try file.append(piece)
    written.append(piece)
  }

  func finish(isSynced: Bool) throws(StoreError) {
    if isSynced { try file.sync() }
    try file.requireContent(written.finish())
    file.keep()
  }
}

/// A vault's directory that is filled under a hidden name beside the one that it is to have, and then put there whole.
///
/// Nothing in it is durable before ``sync()``. A process that is asked to end takes it away first (`PendingWrites`).
final class StagedVault {
  /// The path that it is to have.
  let path: String
  let parent: NamedFolder
  let name: String
  private let directory: Made
  private let isWhole: Bool
  private var isEnded = false
  /// The large document that is being written.
  private var large: UnpackedFile?

  private var store: DirectoryStore { directory.store }

  var files: VaultSystem.FileSystem<StoreError> { parent.files }
  var hiddenName: String { Self.hiddenName(for: name) }

  static func hiddenName(for name: String) -> String { ".\(name).restoring" }

  /// Makes an empty directory for the vault `name` in `parent`; what an earlier process left there goes.
  init(_ name: String, in parent: NamedFolder) throws(StoreError) {
    (self.name, self.parent) = (name, parent)
    path = parent.path(of: name)
    PendingWrites.begin()
    do throws(StoreError) {
      directory = try Self.made(Self.hiddenName(for: name), in: parent)
    } catch {
      PendingWrites.end()
      throw error
    }
    isWhole = parent.files.operations.canSyncFileSystem(of: directory.root.descriptor)
    do throws(StoreError) {
      for directory in [StoreDirectory.records, .slots, .trash, .staging] {
        _ = try store.openMade(directory, isSynced: false)
      }
    } catch {
      discard()
      throw error
    }
  }

  deinit { discard() }

  private static func made(_ name: String, in parent: NamedFolder) throws(StoreError) -> Made {
    let (files, directory, path) = (parent.files, parent.directory.descriptor, parent.path(of: name))
    try removeLeftover(name, in: parent)
    try files.call(at: path) { (system) throws(Errno) in try system.makeDirectory(name, in: directory) }
    do throws(StoreError) {
      return try Made(name, in: parent)
    } catch {
      try? files.call(at: path) { (system) throws(Errno) in try system.removeDirectory(name, in: directory) }
      throw error
    }
  }

  private static func removeLeftover(_ name: String, in parent: NamedFolder) throws(StoreError) {
    let (files, directory, path) = (parent.files, parent.directory.descriptor, parent.path(of: name))
    guard let left = try files.openIfPresent(name, in: directory, as: .directory, at: path) else { return }
    guard let lock = try files.lock(left, at: path) else {
      throw StoreError(.locked, reason: "another process restores there", path: path)
    }
    // What cannot be removed is in the way of the new one, and told then.
    files.removeTree(DirectoryEntry(name: name, isExact: true, kind: .directory), in: directory)
    _ = consume lock
  }

  /// Writes a document and reads it back.
  func write(_ bytes: [UInt8], to place: StoreLocation) throws(StoreError) {
    let folder = try store.openMade(place.directory, isSynced: false)
    try files.stage(
      bytes, as: place.fileName, in: folder.descriptor, isSynced: !isWhole, at: place.relativePath)
  }

  /// Writes the next piece of a document that may be too large to be in memory, and after the last reads all of it
  /// back. The next one begins after the last piece of the one before it.
  func append(_ piece: [UInt8], to place: StoreLocation, isLast: Bool) throws(StoreError) {
    let file: UnpackedFile
    if let large { file = large } else { file = try UnpackedFile(place, in: store) }
    large = isLast ? nil : file
    try file.append(piece)
    if isLast { try file.finish(isSynced: !isWhole) }
  }

  /// Reads a document that may be too large to be in memory; nil when there is none.
  func reader(of place: StoreLocation) throws(StoreError) -> (any StoreReader)? { try store.reader(of: place) }

  /// Writes one of `DirectoryStore.gitFileNames`.
  func writeGitFile(_ bytes: [UInt8], to name: String) throws(StoreError) {
    try files.stage(bytes, as: name, in: directory.root.descriptor, isSynced: !isWhole, at: name)
  }

  /// The bytes of a document in it; nil when there is none.
  func read(_ place: StoreLocation) throws(StoreError) -> [UInt8]? { try store.readInPlace(place) }

  /// Where documents lie in it.
  func places() throws(StoreError) -> [StoreLocation] { try store.places() }

  /// Makes everything in it durable.
  func sync() throws(StoreError) {
    let descriptor = directory.root.descriptor
    guard !isWhole else {
      return try files.call(at: path) { (system) throws(Errno) in try system.syncFileSystem(of: descriptor) }
    }
    for number in UInt8.min...UInt8.max {
      for directory in [StoreDirectory.folder(number), .attachmentFolder(number)] { try syncDirectory(directory) }
    }
    for directory in [StoreDirectory.records, .slots, .trash, .attachments, .staging, .root] {
      try syncDirectory(directory)
    }
  }

  private func syncDirectory(_ directory: StoreDirectory) throws(StoreError) {
    _ = try store.withDirectory(directory) { (file) throws(StoreError) in try files.sync(file, at: directory.path) }
  }

  /// Gives the directory its name, where there is nothing or an empty directory, and ends it.
  func putInPlace() throws(StoreError) {
    do throws(StoreError) {
      try files.call(at: path) { [hiddenName, name, parent = parent.directory.descriptor] (system) throws(Errno) in
        // A directory replaces an empty one, and fails over any other.
        try system.rename(hiddenName, in: parent, to: name, in: parent)
      }
    } catch {
      discard()
      throw error
    }
    end()
    try files.sync(parent.directory.descriptor, at: parent.path)
  }

  /// Takes the place of the vault that is there, and ends it; the other gets the name `oldName`, which must be free.
  ///
  /// In one step where the system can: whoever looks sees the one vault or the other. First it gets the name of the
  /// other itself, so that a process that dies in between leaves both whole, each under a name that is told.
  ///
  /// - Returns: false where the file system does not move the other: nothing has changed then.
  func replace(keeping oldName: String) throws(StoreError) -> Bool {
    do throws(StoreError) {
      try rename(hiddenName, to: oldName)
      do throws(StoreError) {
        try exchange(oldName)
      } catch {
        try rename(oldName, to: hiddenName)
        guard error.errno == Errno.notSupported.number else { throw error }
        try replaceInTwoSteps(keeping: oldName)
      }
    } catch {
      guard error.errno != Errno.otherFileSystem.number else { return false }
      discard()
      throw error
    }
    end()
    try files.sync(parent.directory.descriptor, at: parent.path)
    return true
  }

  private func exchange(_ oldName: String) throws(StoreError) {
    try files.sync(parent.directory.descriptor, at: parent.path)
    try files.call(at: path) { [name, parent = parent.directory.descriptor] (system) throws(Errno) in
      try system.exchange(oldName, in: parent, with: name, in: parent)
    }
  }

  /// For a moment there is no vault in the place: who dies in it leaves the old one under `oldName`.
  private func replaceInTwoSteps(keeping oldName: String) throws(StoreError) {
    try rename(name, to: oldName)
    do throws(StoreError) {
      try rename(hiddenName, to: name)
    } catch {
      try rename(oldName, to: name)
      throw error
    }
  }

  /// Never over anything.
  private func rename(_ old: String, to new: String) throws(StoreError) {
    let place = parent.path(of: new)
    do throws(StoreError) {
      try files.call(at: place) { [parent = parent.directory.descriptor] (system) throws(Errno) in
        try system.renameExclusively(old, in: parent, to: new, in: parent)
      }
    } catch {
      guard error.errno == Errno.notSupported.number else { throw error }
      guard try parent.status(of: new) == nil else {
        throw StoreError(.alreadyExists, reason: "is there already", path: place)
      }
      try files.call(at: place) { [parent = parent.directory.descriptor] (system) throws(Errno) in
        try system.rename(old, in: parent, to: new, in: parent)
      }
    }
  }

  /// Takes the directory away, unless it was put in place; a second call does nothing.
  func discard() {
    guard !isEnded else { return }
    let entry = DirectoryEntry(name: hiddenName, isExact: true, kind: .directory)
    files.removeTree(entry, in: parent.directory.descriptor)
    end()
  }

  func end() {
    guard !isEnded else { return }
    isEnded = true
    // Before its directory is closed.
    large = nil
    // On a vault's own directory this lock would say that a writer waits.
    files.operations.unlock(directory.root.descriptor)
    PendingWrites.end()
  }
}
