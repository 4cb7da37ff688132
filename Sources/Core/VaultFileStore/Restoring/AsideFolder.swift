package import VaultStorage
package import VaultSystem

/// A new folder, only for its owner, that receives what a repair moves out of a vault, so that nothing is lost.
package final class AsideFolder: Sendable {
  package let path: String
  private let files: FileSystem
  private let folder: OpenFile

  /// Makes the folder, which must not exist, in an existing directory. Git is told to ignore its content.
  package convenience init(creatingAt path: String) throws(StoreError) {
    try self.init(creatingAt: path, operations: LiveFileOperations())
  }

  /// Makes the folder, and missing folders above it.
  package convenience init(creatingWithParentsAt path: String) throws(StoreError) {
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    try FileSystem(LiveFileOperations()).makeFolders(parent)
    try self.init(creatingAt: path)
  }

  /// Like `init(creatingAt:)`, with other system calls.
  package init(creatingAt path: String, operations: any FileOperations) throws(StoreError) {
    self.path = path
    files = FileSystem(operations)
    do throws(StoreError) {
      try files.call(at: path) { (system) throws(Errno) in
        try system.makeDirectory(path, in: OpenPurpose.noDirectory)
      }
    } catch {
      guard error.errno == Errno.exists.number else { throw error }
      throw StoreError(
        .alreadyExists, reason: "a file or folder of this name already exists", path: path, errno: error.errno)
    }
    folder = try files.open(path, in: OpenPurpose.noDirectory, as: .directory, at: path)
    let parent = try files.open("..", in: folder.descriptor, as: .directory, at: path)
    try files.sync(parent.descriptor, at: path)
    try write(Array("*\n".utf8), to: ".gitignore")
  }

  /// Writes a new file of mode 0600, durably; the name must not exist.
  package func write(_ bytes: [UInt8], to name: String) throws(StoreError) {
    try files.stage(bytes, as: name, in: folder.descriptor, isSynced: true, at: path + "/" + name)
    try files.sync(folder.descriptor, at: path)
  }

  /// Moves an entry out of a directory, or copies it if the folder is on another file system. Only a regular file of
  /// at most 16 MiB can be copied, and a missing one is ignored then.
  func take(_ name: String, from directory: Int32, as newName: String, at place: String) throws(StoreError) {
    do throws(StoreError) {
      try files.call(at: place) { (system) throws(Errno) in
        try system.rename(name, in: directory, to: newName, in: folder.descriptor)
      }
      try files.sync(folder.descriptor, at: path)
    } catch {
      guard error.errno == Errno.otherFileSystem.number else { throw error }
      guard let bytes = try files.contents(of: name, in: directory, limit: Journal.byteLimit, at: place) else { return }
      try write(bytes, to: newName)
      try files.call(at: place) { (system) throws(Errno) in try system.removeFile(name, in: directory) }
    }
  }
}
