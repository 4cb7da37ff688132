internal import VaultStorage

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The system's error number, as an error.
package struct Errno: Error, Hashable, Sendable {
  package let number: Int32

  package init(_ number: Int32) { self.number = number }

  static let none = Errno(0)
  static let interrupted = Errno(EINTR)
  static let wouldBlock = Errno(EWOULDBLOCK)
  static let missing = Errno(ENOENT)
  static let exists = Errno(EEXIST)
  static let notADirectory = Errno(ENOTDIR)
  static let notSupported = Errno(ENOSYS)
  static let otherFileSystem = Errno(EXDEV)

  /// What the last failed call of this thread left behind.
  static var current: Errno {
    #if canImport(Darwin)
      Errno(Darwin.errno)
    #elseif canImport(Musl)
      Errno(Musl.errno)
    #else
      Errno(Glibc.errno)
    #endif
  }

  static func clear() {
    #if canImport(Darwin)
      Darwin.errno = 0
    #elseif canImport(Musl)
      Musl.errno = 0
    #else
      Glibc.errno = 0
    #endif
  }
}

extension StoreError {
  /// The error of a failed system call on `path`.
  init(_ failure: Errno, at path: String) {
    let (code, reason) = Self.meaning(of: failure.number)
    self.init(code, reason: reason, path: path, errno: failure.number)
  }

  private static func meaning(of number: Int32) -> (Code, String) {
    switch number {
    case EEXIST, ENOTEMPTY: (.alreadyExists, "is there already")
    case ENOSPC: (.diskFull, "no space is left on the disk")
    case EDQUOT: (.diskFull, "the disk quota is used up")
    case EFBIG: (.diskFull, "the file size limit is reached")
    case EACCES, EPERM: (.permissionDenied, "permission denied")
    case EROFS: (.readOnly, "the file system is read-only")
    case ENOENT: (.missing, "no such file or directory")
    case ENOTDIR: (.notADirectory, "not a directory")
    case EISDIR, ENXIO, ENODEV: (.notARegularFile, "not a regular file")
    case ELOOP: (.symbolicLink, "a symbolic link, which is not followed")
    case EMFILE: (.ioFailed, "this process has too many open files")
    case ENFILE: (.ioFailed, "the system has too many open files")
    case EIO: (.ioFailed, "the disk failed to read or write")
    case ENOMEM: (.ioFailed, "the system is out of memory")
    case ENAMETOOLONG: (.ioFailed, "the path is too long")
    default: (.ioFailed, "the system call failed")
    }
  }
}
