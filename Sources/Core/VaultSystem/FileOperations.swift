/// Every system call of the stores, and of whoever else writes what must last, so that in tests the n-th can fail or
/// the process can "die" there.
///
/// Each method is one attempt: `Errno.interrupted` and short counts are dealt with above this seam, once for all, in
/// `FileSystem`. Names are single components below an open directory, but for the vault's own path.
package protocol FileOperations: Sendable {
  /// Opens `name` below `directory`; the result is closed on exec.
  func open(_ name: String, in directory: Int32, as purpose: OpenPurpose) throws(Errno) -> Int32
  func close(_ file: Int32)
  func status(of file: Int32) throws(Errno) -> FileStatus
  /// The status of `name` itself: a link is not followed, unless asked to.
  func status(of name: String, in directory: Int32, followingLink: Bool) throws(Errno) -> FileStatus
  /// Reads bytes from `position` of a file on into `buffer` from `start` on, at most to its end; 0 at the end of the
  /// file.
  func read(_ file: Int32, from position: Int, into buffer: inout [UInt8], at start: Int) throws(Errno) -> Int
  /// Writes at least one and at most all of the bytes to `position` of a file.
  func write(_ bytes: RawSpan, to file: Int32, from position: Int) throws(Errno) -> Int
  func truncate(_ file: Int32) throws(Errno)
  /// Makes a file's content, or a directory's entries, durable.
  func sync(_ file: Int32) throws(Errno)
  /// Asks the system to begin to write a part of a file to the disk, so that `sync` finds little left to do; nothing is
  /// promised, and where it cannot be asked for nothing happens.
  func beginWriteback(of file: Int32, from position: Int, count: Int)
  /// Makes everything on the file system that holds `file` durable.
  func syncFileSystem(of file: Int32) throws(Errno)
  /// Whether `syncFileSystem` is as good as `sync` of each file there.
  func canSyncFileSystem(of file: Int32) -> Bool
  func rename(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno)
  /// As `rename`, and fails where something has the new name; `Errno.notSupported` where that cannot be asked for.
  func renameExclusively(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno)
  /// Two entries change their names in one step; `Errno.notSupported` where that cannot be asked for.
  func exchange(_ name: String, in source: Int32, with other: String, in target: Int32) throws(Errno)
  /// Whether a directory can get another name: overlayfs moves none of its lower layers, such as a container's image.
  ///
  /// - Parameter full: a directory beside it that is not empty.
  func canMove(_ name: String, in directory: Int32, over full: String) -> Bool
  func link(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno)
  func removeFile(_ name: String, in directory: Int32) throws(Errno)
  func removeDirectory(_ name: String, in directory: Int32) throws(Errno)
  func makeDirectory(_ name: String, in directory: Int32) throws(Errno)
  /// All entries of an open directory but `.` and `..`, in no order.
  func entries(of directory: Int32) throws(Errno) -> [DirectoryEntry]
  /// Takes the lock on an open file if that is possible at once.
  func tryLock(_ file: Int32, isShared: Bool) throws(Errno) -> Bool
  /// Gives the lock back; closing the file does so only where no child holds a copy of it between fork and exec.
  func unlock(_ file: Int32)
  /// A clock that only goes forward.
  func now() -> Duration
  func sleep(_ duration: Duration)
  var processIdentifier: Int32 { get }
}

extension FileOperations {
  package func canMove(_ name: String, in directory: Int32, over full: String) -> Bool { true }
  package func beginWriteback(of file: Int32, from position: Int, count: Int) {}
}

/// What a file is opened for, which fixes the flags: nothing inside the vault follows a link or blocks on a FIFO.
package enum OpenPurpose: Sendable {
  /// The vault's own directory; the path to it may lead over links.
  case vaultDirectory
  /// A directory inside the vault.
  case directory
  case reading
  /// A file that somebody named; the path to it may lead over links.
  case readingNamed
  /// What somebody named, be it a FIFO such as a shell's `<(…)`, whose writer is waited for.
  case readingStream
  case terminal
  /// A new file, 0600, for writing and reading back; fails if the name exists.
  case creating
  /// The lock file, made when it is missing.
  case locking
}

/// What the system tells about a file.
package struct FileStatus: Sendable {
  package enum Kind: Sendable { case regular, directory, symbolicLink, other }

  package var kind: Kind
  package var byteCount: Int
  package var device: UInt64
  package var inode: UInt64
  /// When the content changed last, in nanoseconds since 1970.
  package var modified: Int64
  /// When the content, the mode or a name of it changed last, in the same way; nobody but the system can set it.
  package var changed: Int64
  /// How many names the file has.
  package var linkCount: Int
  /// Who owns it.
  package var owner: UInt32
  package var group: UInt32
  /// Its permissions.
  package var mode: UInt32

  /// Whether its mode lets others than the owner do anything.
  package var isOpenToOthers: Bool { mode & 0o077 != 0 }
  /// Whether its mode lets others than the owner write.
  package var isWritableByOthers: Bool { mode & 0o022 != 0 }

  /// Whether its mode lets everybody write; that of a link says nothing.
  package var isWritableByAll: Bool { mode & 0o002 != 0 && kind != .symbolicLink }

  /// Whether both are the same file.
  package func isSameFile(as other: FileStatus) -> Bool { inode == other.inode && device == other.device }
}

extension OpenPurpose {
  /// In place of a directory, for the vault's own path: relative to the folder that the program runs in.
  package static var noDirectory: Int32 { LiveFileOperations.workingDirectory }
}
