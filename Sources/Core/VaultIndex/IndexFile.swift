internal import VaultDocument

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// An open file of an index, read or written from beginning to end as the memory of numbers.
struct IndexFile: ~Copyable {
  /// How many seconds writing a file can take: a writer that takes longer has died.
  private static let patience = 10

  private let descriptor: Int32
  private(set) var offset = 0

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  /// Opens a file in a directory for reading; nil if it is missing or belongs to others, too.
  static func opened(_ name: String, in directory: Int32) -> IndexFile? {
    // Without waiting, for example for a pipe without a writer.
    let descriptor = unsafe openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    return descriptor >= 0 ? IndexFile(descriptor) : nil
  }

  /// Creates a file in a directory for writing. A file that is older than ten seconds is from a dead writer, and is
  /// replaced.
  ///
  /// - Returns: nil while another process writes it.
  static func made(_ name: String, in directory: Int32) throws(TextFault) -> IndexFile? {
    for _ in 0..<2 {
      let descriptor = unsafe openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if descriptor >= 0 { return IndexFile(descriptor) }
      guard errno == EEXIST else { throw TextFault("the index cannot be written") }
      var status = stat()
      guard unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      guard abs(time(nil) - status.modifiedSecond) > patience else { return nil }
      remove(name, in: directory)
    }
    return nil
  }

  static func remove(_ name: String, in directory: Int32) { unsafe _ = unlinkat(directory, name, 0) }

  static func rename(_ name: String, to newName: String, in directory: Int32) -> Bool {
    unsafe renameat(directory, name, directory, newName) == 0
  }

  /// The size in bytes; nil if it is not a file that belongs only to its owner.
  var ownByteCount: Int? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0, status.st_nlink == 1
    else { return nil }
    return Int(status.st_size)
  }

  /// The next numbers; nil if there are fewer than `count`.
  mutating func next<Element: BitwiseCopyable>(_ count: Int, of type: Element.Type) -> [Element]? {
    var isWhole = false
    let elements = unsafe [Element](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      var done = 0
      while done < count * MemoryLayout<Element>.stride {
        // Safe: rebasing stays inside the buffer, whose elements count only if all of their bytes were read.
        let rest = unsafe UnsafeMutableRawBufferPointer(
          rebasing: bytes[done..<count * MemoryLayout<Element>.stride])
        let result = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
        if result < 0, errno == EINTR { continue }
        guard result > 0 else { return }
        done += result
      }
      offset += done
      (isWhole, initializedCount) = (true, count)
    }
    return isWhole ? elements : nil
  }

  /// Appends numbers; false on failure.
  mutating func append<Element: BitwiseCopyable>(_ elements: [Element]) -> Bool {
    unsafe elements.withUnsafeBytes { bytes in
      var rest = unsafe bytes[...]
      while unsafe !rest.isEmpty {
        let piece = unsafe UnsafeRawBufferPointer(rebasing: rest)
        let result = unsafe pwrite(descriptor, piece.baseAddress, piece.count, off_t(offset))
        if result < 0, errno == EINTR { continue }
        guard result > 0 else { return false }
        offset += result
        unsafe rest = rest.dropFirst(result)
      }
      return true
    }
  }
}

extension stat {
  fileprivate var modifiedSecond: Int {
    #if canImport(Darwin)
      st_mtimespec.tv_sec
    #else
      st_mtim.tv_sec
    #endif
  }
}
