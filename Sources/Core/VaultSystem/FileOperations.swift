/// Every system call for files that must last, so that tests can fail the n-th call or "die" there.
///
/// Each method is one attempt. `FileSystem` handles `Errno.interrupted` and short counts. Names are single components
/// below an open directory, except for the vault's own path.
package protocol FileOperations: Sendable {
  /// Opens `name` below `directory`; the descriptor closes on exec.
  func open(_ name: String, in directory: Int32, as purpose: OpenPurpose) throws(Errno) -> Int32
  func close(_ file: Int32)
  func status(of file: Int32) throws(Errno) -> FileStatus
  /// The status of `name`. A link is followed only if asked.
  func status(of name: String, in directory: Int32, followingLink: Bool) throws(Errno) -> FileStatus
  /// Reads from `position` of the file into `buffer`, from `start` at most to its end; returns 0 at the end of the
  /// file.
  func read(_ file: Int32, from position: Int, into buffer: inout [UInt8], at start: Int) throws(Errno) -> Int
  /// Writes at least one and at most all of the bytes at `position`.
  func write(_ bytes: RawSpan, to file: Int32, from position: Int) throws(Errno) -> Int
  func truncate(_ file: Int32) throws(Errno)
  /// Makes a file's content, or a directory's entries, durable.
  func sync(_ file: Int32) throws(Errno)
  /// Asks the system to start writing a part of a file to the disk, so that `sync` has less to do. This is a hint:
  /// systems without such a call do nothing.
  func beginWriteback(of file: Int32, from position: Int, count: Int)
  /// Makes everything on the file system that holds `file` durable.
  func syncFileSystem(of file: Int32) throws(Errno)
  /// Whether `syncFileSystem` is as good as `sync` of each file there.
  func canSyncFileSystem(of file: Int32) -> Bool
  func rename(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno)
  /// Like `rename`, but fails if the new name exists. Throws `Errno.notSupported` if the system has no such call.
  func renameExclusively(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno)
  /// Exchanges the names of two entries in one step. Throws `Errno.notSupported` if the system has no such call.
  func exchange(_ name: String, in source: Int32, with other: String, in target: Int32) throws(Errno)
  /// Whether a directory can be renamed. Overlayfs cannot rename a directory of its lower layers, such as a container's
  /// image.
  ///
  /// - Parameter full: a directory beside it that is not empty.
  func canMove(_ name: String, in directory: Int32, over full: String) -> Bool
  func link(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno)
  func removeFile(_ name: String, in directory: Int32) throws(Errno)
  func removeDirectory(_ name: String, in directory: Int32) throws(Errno)
  func makeDirectory(_ name: String, in directory: Int32) throws(Errno)
  /// All entries of an open directory except `.` and `..`, in no particular order.
  func entries(of directory: Int32) throws(Errno) -> [DirectoryEntry]
  /// Takes the lock on an open file if it is free.
  func tryLock(_ file: Int32, isShared: Bool) throws(Errno) -> Bool
  /// Releases the lock. Closing the file is not enough while a child holds a copy of it between fork and exec.
  func unlock(_ file: Int32)
  /// A monotonic clock.
  func now() -> Duration
  func sleep(_ duration: Duration)
  var processIdentifier: Int32 { get }
}

extension FileOperations {
  package func canMove(_ name: String, in directory: Int32, over full: String) -> Bool { true }
  package func beginWriteback(of file: Int32, from position: Int, count: Int) {}
}

/// The purpose of opening a file, which fixes the flags. Nothing inside the vault follows a link or blocks on a FIFO.
package enum OpenPurpose: Sendable {
  /// The vault's own directory; the path to it may contain links.
  case vaultDirectory
  /// A directory inside the vault.
  case directory
  case reading
  /// A file that a person named; the path to it may contain links.
  case readingNamed
  /// A file that a person named, which may be a FIFO such as a shell's `<(…)`. Opening it waits for a writer.
  case readingStream
  case terminal
  /// A new file of mode 0600, for writing and reading back. Opening it fails if the name exists.
  case creating
  /// The lock file, created if missing.
  case locking
}

package struct FileStatus: Sendable {
  package enum Kind: Sendable { case regular, directory, symbolicLink, other }

  package var kind: Kind
  package var byteCount: Int
  package var device: UInt64
  package var inode: UInt64
  /// The last change of the content, in nanoseconds since 1970.
  package var modified: Int64
  /// The last change of content, mode or names, in nanoseconds since 1970. Only the system can set it.
  package var changed: Int64
  package var linkCount: Int
  package var owner: UInt32
  package var group: UInt32
  package var mode: UInt32

  /// Whether the mode gives anybody but the owner any permission.
  package var isOpenToOthers: Bool { mode & 0o077 != 0 }
  /// Whether the mode lets anybody but the owner write.
  package var isWritableByOthers: Bool { mode & 0o022 != 0 }

  /// Whether the mode lets everybody write. The mode of a link means nothing.
  package var isWritableByAll: Bool { mode & 0o002 != 0 && kind != .symbolicLink }

  package func isSameFile(as other: FileStatus) -> Bool { inode == other.inode && device == other.device }
}

extension OpenPurpose {
  /// Stands for a directory when the path is the vault's own: it is relative to the folder of the run.
  package static var noDirectory: Int32 { LiveFileOperations.workingDirectory }
}
