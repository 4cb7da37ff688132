#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The system's own calls.
package struct LiveFileOperations: FileOperations {
  package init() {}

  package func open(_ name: String, in directory: Int32, as purpose: OpenPurpose) throws(Errno) -> Int32 {
    // Safe here and below: the name lives, NUL-terminated, for the length of the call, which keeps no pointer.
    let file = try checked(unsafe openat(directory, name, purpose.flags | O_CLOEXEC | O_NOCTTY, 0o600))
    // The umask reduces the mode of open and never widens it. A umask that removes the owner's rights is undone.
    if purpose == .creating { _ = fchmod(file, 0o600) }
    return file
  }

  package func close(_ file: Int32) {
    // The result is ignored: durable data was synced before, and on Linux the descriptor is gone after
    // EINTR.
    #if canImport(Darwin)
      _ = Darwin.close(file)
    #elseif canImport(Musl)
      _ = Musl.close(file)
    #else
      _ = Glibc.close(file)
    #endif
  }

  package func status(of file: Int32) throws(Errno) -> FileStatus {
    var status = stat()
    _ = try checked(unsafe fstat(file, &status))
    return FileStatus(status)
  }

  package func status(
    of name: String, in directory: Int32, followingLink: Bool
  ) throws(Errno) -> FileStatus {
    var status = stat()
    _ = try checked(unsafe fstatat(directory, name, &status, followingLink ? 0 : AT_SYMLINK_NOFOLLOW))
    return FileStatus(status)
  }

  package func read(
    _ file: Int32, from position: Int, into buffer: inout [UInt8], at start: Int
  ) throws(Errno) -> Int {
    try checked(
      unsafe buffer.withUnsafeMutableBytes { buffer in
        // Safe: rebasing checks that the start is inside the array.
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
        return unsafe pread(file, rest.baseAddress, rest.count, off_t(position))
      })
  }

  package func write(_ bytes: RawSpan, to file: Int32, from position: Int) throws(Errno) -> Int {
    try checked(
      unsafe bytes.withUnsafeBytes { bytes in unsafe pwrite(file, bytes.baseAddress, bytes.count, off_t(position)) })
  }

  package func truncate(_ file: Int32) throws(Errno) { _ = try checked(ftruncate(file, 0)) }

  package func rename(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno) {
    _ = try checked(unsafe renameat(source, name, target, newName))
  }

  package func link(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno) {
    _ = try checked(unsafe linkat(source, name, target, newName, 0))
  }

  package func removeFile(_ name: String, in directory: Int32) throws(Errno) {
    _ = try checked(unsafe unlinkat(directory, name, 0))
  }

  package func removeDirectory(_ name: String, in directory: Int32) throws(Errno) {
    _ = try checked(unsafe unlinkat(directory, name, AT_REMOVEDIR))
  }

  package func makeDirectory(_ name: String, in directory: Int32) throws(Errno) {
    _ = try checked(unsafe mkdirat(directory, name, 0o700))
  }

  package func tryLock(_ file: Int32, isShared: Bool) throws(Errno) -> Bool {
    guard flock(file, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 else { return true }
    let failure = Errno.current
    guard failure == .wouldBlock else { throw failure }
    return false
  }

  package func unlock(_ file: Int32) { _ = flock(file, LOCK_UN) }

  package func now() -> Duration {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  package func sleep(_ duration: Duration) {
    // An interruption only makes the next attempt come sooner.
    usleep(UInt32(max(0, min(duration / .microseconds(1), 1_000_000))))
  }

  package var processIdentifier: Int32 { getpid() }
}

extension OpenPurpose {
  fileprivate var flags: Int32 {
    switch self {
    case .vaultDirectory: O_RDONLY | O_DIRECTORY
    case .directory: O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    case .reading: O_RDONLY | O_NOFOLLOW | O_NONBLOCK
    case .readingNamed: O_RDONLY | O_NONBLOCK
    case .readingStream: O_RDONLY
    case .terminal: O_RDWR
    case .creating: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK
    case .locking: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
    }
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    self.init(
      kind: Kind(mode: mode_t(status.st_mode)), byteCount: Int(status.st_size), device: UInt64(status.st_dev),
      inode: UInt64(status.st_ino), modified: modified.nanoseconds, changed: changed.nanoseconds,
      linkCount: Int(status.st_nlink), owner: status.st_uid, group: status.st_gid, mode: UInt32(status.st_mode) & 0o7777
    )
  }
}

extension timespec {
  /// Nanoseconds since 1970. Times beyond 64 bits, as a hostile file system may report them, wrap around.
  fileprivate var nanoseconds: Int64 { Int64(tv_sec) &* 1_000_000_000 &+ Int64(tv_nsec) }
}

extension FileStatus.Kind {
  fileprivate init(mode: mode_t) {
    self =
      switch mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      default: .other
      }
  }
}

/// Turns a negative result into the error that the call left behind.
func checked<Result: SignedInteger>(_ result: Result) throws(Errno) -> Result {
  guard result >= 0 else { throw .current }
  return result
}

extension LiveFileOperations {
  static var workingDirectory: Int32 { Invocation.current?.folderDescriptor ?? AT_FDCWD }
}

func starts(_ bytes: [UInt8], with start: [UInt8]) -> Bool {
  guard bytes.count >= start.count else { return false }
  return unsafe bytes.withUnsafeBytes { bytes in
    unsafe start.withUnsafeBytes { start in
      // Safe: both have at least as many bytes as are compared; memcmp(3) wants addresses even for zero bytes.
      guard let left = bytes.baseAddress, let right = start.baseAddress else { return true }
      return unsafe memcmp(left, right, start.count) == 0
    }
  }
}
