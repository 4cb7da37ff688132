#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension LiveFileOperations {
  package func renameExclusively(
    _ name: String, in source: Int32, to newName: String, in target: Int32
  ) throws(Errno) {
    try FlaggedRename.exclusive.call(name, in: source, to: newName, in: target)
  }

  package func exchange(_ name: String, in source: Int32, with other: String, in target: Int32) throws(Errno) {
    try FlaggedRename.exchange.call(name, in: source, to: other, in: target)
  }

  package func canMove(_ name: String, in directory: Int32, over full: String) -> Bool {
    guard isOverlay(directory) else { return true }
    do throws(Errno) {
      // No file system replaces a directory that is not empty; overlayfs checks the layers first.
      try rename(name, in: directory, to: full, in: directory)
      try rename(full, in: directory, to: name, in: directory)
      return false
    } catch {
      return error != .otherFileSystem
    }
  }
}

/// `rename` with a condition: `renameat2` of Linux, `renameatx_np` of Darwin.
///
/// The function is looked up by name, because Swift's module of glibc does not declare it. The call fails with
/// `Errno.notSupported` if the function is missing or the file system does not know the flag.
private struct FlaggedRename {
  private let flags: UInt32

  #if canImport(Darwin)
    static let exclusive = FlaggedRename(flags: 4)  // RENAME_EXCL
    static let exchange = FlaggedRename(flags: 2)  // RENAME_SWAP
    private static let name = "renameatx_np"
  #else
    static let exclusive = FlaggedRename(flags: 1)  // RENAME_NOREPLACE
    static let exchange = FlaggedRename(flags: 2)  // RENAME_EXCHANGE
    private static let name = "renameat2"
  #endif

  private typealias Call =
    @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

  private static let call: Call? = {
    guard let symbol = unsafe dlsym(nil, name) else { return nil }
    // Safe: the signature of renameat2(2) and of renameatx_np(2).
    return unsafe unsafeBitCast(symbol, to: Call.self)
  }()

  func call(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno) {
    guard let call = unsafe Self.call else { throw .notSupported }
    do throws(Errno) {
      // Safe: both names live, NUL-terminated, for the length of the call.
      _ = try checked(unsafe call(source, name, target, newName, flags))
    } catch {
      throw error == Errno(EINVAL) || error == Errno(ENOTSUP) ? .notSupported : error
    }
  }
}
