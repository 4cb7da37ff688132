internal import VaultStorage
internal import VaultSystem
internal import VaultFileStore

private final class Made {
  /// Locked while it is filled, so that leftovers of a crashed process can be told from it.
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

/// A document that is being written into the directory.
private final class UnpackedFile {
  private let folder: OpenFile
  private let file: AtomicFile<StoreError>
  private var written = ContentMark.Builder()

  init(_ place: StoreLocation, in store: DirectoryStore) throws(StoreError) {
    let folder = try store.openMade(place.directory, isSynced: false)
    file = try AtomicFile<StoreError>(place.fileName, in: folder.descriptor, store.files, at: place.relativePath)
    self.folder = folder
  }

  // Before its directory is closed; does nothing if the file is kept.
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

/// A vault's directory that is filled under a hidden name beside its final place, and then put there whole.
///
/// Nothing in it is durable before ``sync()``. A process that is asked to end removes it first (`PendingWrites`).
final class StagedVault {
  /// The final path.
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

  /// Makes an empty directory for the vault `name` in `parent`, and removes one that an earlier process left there.
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
      throw StoreError(.locked, reason: "another process is restoring there", path: path)
    }
    // If it cannot be removed, making the new one fails and reports it.
    files.removeTree(DirectoryEntry(name: name, isExact: true, kind: .directory), in: directory)
    _ = consume lock
  }

  /// Writes a document and reads it back.
  func write(_ bytes: [UInt8], to place: StoreLocation) throws(StoreError) {
    let folder = try store.openMade(place.directory, isSynced: false)
    try files.stage(
      bytes, as: place.fileName, in: folder.descriptor, isSynced: !isWhole, at: place.relativePath)
  }

  /// Writes the next piece of a document that may be too large for memory, and after the last piece reads all of it
  /// back. Documents are written one after the other.
  func append(_ piece: [UInt8], to place: StoreLocation, isLast: Bool) throws(StoreError) {
    let file: UnpackedFile
    if let large { file = large } else { file = try UnpackedFile(place, in: store) }
    large = isLast ? nil : file
    try file.append(piece)
    if isLast { try file.finish(isSynced: !isWhole) }
  }

  /// Reads a document that may be too large for memory; nil if it is missing.
  func reader(of place: StoreLocation) throws(StoreError) -> (any StoreReader)? { try store.reader(of: place) }

  /// Writes one of `DirectoryStore.gitFileNames`.
  func writeGitFile(_ bytes: [UInt8], to name: String) throws(StoreError) {
    try files.stage(bytes, as: name, in: directory.root.descriptor, isSynced: !isWhole, at: name)
  }

  /// The bytes of a document in it; nil if it is missing.
  func read(_ place: StoreLocation) throws(StoreError) -> [UInt8]? { try store.readInPlace(place) }

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
    for directory in [StoreDirectory.records, .slots, .trash, .attachments, .inbox, .staging, .root] {
      try syncDirectory(directory)
    }
  }

  private func syncDirectory(_ directory: StoreDirectory) throws(StoreError) {
    _ = try store.withDirectory(directory) { (file) throws(StoreError) in try files.sync(file, at: directory.path) }
  }

  /// Gives the directory its name, if the name is free or an empty directory, and ends the staging.
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

  /// Takes the place of the present vault, which is renamed to `oldName`, and ends the staging. `oldName` must be free.
  ///
  /// The exchange is one step if the system can do it, so that everybody sees one vault or the other. The new vault
  /// first gets the name `oldName` itself: a process that dies in between then leaves both whole, under names that were
  /// reported.
  ///
  /// - Returns: false if the file system cannot move the old vault; nothing has changed then.
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

  /// For a moment the place is empty: a process that dies then leaves the old vault under `oldName`.
  private func replaceInTwoSteps(keeping oldName: String) throws(StoreError) {
    try rename(name, to: oldName)
    do throws(StoreError) {
      try rename(hiddenName, to: name)
    } catch {
      try rename(oldName, to: name)
      throw error
    }
  }

  /// Never replaces anything.
  private func rename(_ old: String, to new: String) throws(StoreError) {
    let place = parent.path(of: new)
    do throws(StoreError) {
      try files.call(at: place) { [parent = parent.directory.descriptor] (system) throws(Errno) in
        try system.renameExclusively(old, in: parent, to: new, in: parent)
      }
    } catch {
      guard error.errno == Errno.notSupported.number else { throw error }
      guard try parent.status(of: new) == nil else {
        throw StoreError(.alreadyExists, reason: "already exists", path: place)
      }
      try files.call(at: place) { [parent = parent.directory.descriptor] (system) throws(Errno) in
        try system.rename(old, in: parent, to: new, in: parent)
      }
    }
  }

  /// Removes the directory, unless it was put in place; a second call does nothing.
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
    // On a vault's own directory this lock would mean that a writer waits.
    files.operations.unlock(directory.root.descriptor)
    PendingWrites.end()
  }
}
