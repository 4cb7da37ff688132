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

  package static let none = Errno(0)
  package static let interrupted = Errno(EINTR)
  package static let wouldBlock = Errno(EWOULDBLOCK)
  package static let missing = Errno(ENOENT)
  package static let badDescriptor = Errno(EBADF)
  package static let exists = Errno(EEXIST)
  package static let notADirectory = Errno(ENOTDIR)
  package static let isDirectory = Errno(EISDIR)
  package static let notSupported = Errno(ENOSYS)
  package static let otherFileSystem = Errno(EXDEV)
  static let isLink = Errno(ELOOP)
  static let failed = Errno(EIO)
  package static let closedPipe = Errno(EPIPE)

  /// The error of the last failed call of this thread.
  package static var current: Errno {
    #if canImport(Darwin)
      Errno(Darwin.errno)
    #elseif canImport(Musl)
      Errno(Musl.errno)
    #else
      Errno(Glibc.errno)
    #endif
  }

  /// Whether a failed lock call means that the file system has no locks. The numbers are from flock(2) and from FUSE
  /// and network file systems.
  package var meansNoLocks: Bool { [ENOLCK, ENOSYS, EOPNOTSUPP, ENOTSUP, EINVAL].contains(number) }

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

extension Errno {
  /// The meaning of an error number for the person who named a file.
  package enum Kind: Sendable {
    case exists, noSpace, fileSizeLimit, forbidden, readOnly, missing, notADirectory, notARegularFile, symbolicLink
    case failed
  }

  /// The kind of failure, and the text that follows the file name in a message.
  package var meaning: (kind: Kind, reason: String) {
    switch number {
    case EEXIST, ENOTEMPTY: (.exists, "a file or folder of this name already exists")
    case ENOSPC: (.noSpace, "no space is left on the disk")
    case EDQUOT: (.noSpace, "the disk quota is used up")
    case EFBIG: (.fileSizeLimit, "the file size limit is reached")
    case EACCES, EPERM: (.forbidden, "the system denies access")
    case EROFS: (.readOnly, "the file system is read-only")
    case ENOENT: (.missing, "does not exist")
    case ENOTDIR: (.notADirectory, "is not a folder")
    case EISDIR, ENXIO, ENODEV: (.notARegularFile, "is not a regular file")
    case ELOOP: (.symbolicLink, "is a symbolic link, which is not followed")
    case EMFILE: (.failed, "this process has too many open files")
    case ENFILE: (.failed, "the system has too many open files")
    case EIO: (.failed, "the disk failed to read or write")
    case ENOMEM: (.failed, "the system is out of memory")
    case ENAMETOOLONG: (.failed, "the path is too long")
    default: (.failed, "the system call failed")
    }
  }
}
