#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension LiveFileOperations {
  package func sync(_ file: Int32) throws(Errno) {
    #if canImport(Darwin)
      // fsync there leaves the data in the drive's cache. Not every file system knows F_FULLFSYNC.
      guard fcntl(file, F_FULLFSYNC) != 0 else { return }
    #endif
    _ = try checked(fsync(file))
  }

  package func beginWriteback(of file: Int32, from position: Int, count: Int) {
    #if os(Linux)
      // SYNC_FILE_RANGE_WRITE. The result is ignored, because durable data is synced anyway.
      _ = Writeback.begin?(file, Int64(position), Int64(count), 2)
    #endif
  }

  package func syncFileSystem(of file: Int32) throws(Errno) {
    guard let call = WholeSync.sync else { throw .notSupported }
    _ = try checked(call(file))
  }

  package func canSyncFileSystem(of file: Int32) -> Bool {
    WholeSync.sync != nil && WholeSync.fileSystemType(of: file).map(WholeSync.trustedTypes.contains) == true
  }

  /// Whether a directory lies on overlayfs, which cannot rename directories of its lower layers.
  func isOverlay(_ directory: Int32) -> Bool { WholeSync.fileSystemType(of: directory) == WholeSync.overlayType }

  package func entries(of directory: Int32) throws(Errno) -> [DirectoryEntry] {
    // A second descriptor, because reading moves the position and `closedir` closes it.
    let file = try open(".", in: directory, as: .directory)
    guard let stream = unsafe fdopendir(file) else {
      let failure = Errno.current
      close(file)
      throw failure
    }
    defer { unsafe _ = closedir(stream) }
    var entries: [DirectoryEntry] = []
    while true {
      // A null result means the end only if the error number did not change.
      Errno.clear()
      guard let entry = unsafe readdir(stream) else { break }
      if let entry = unsafe DirectoryEntry(entry) { entries.append(entry) }
    }
    guard Errno.current == .none else { throw .current }
    return entries
  }
}

extension DirectoryEntry {
  /// A copy of the entry that `readdir` points to; nil for `.` and `..`.
  fileprivate init?(_ entry: UnsafeMutablePointer<dirent>) {
    // Safe: the entry stays valid until the next `readdir`, and the system ends its name with NUL.
    let kind = FileStatus.Kind(entryType: unsafe entry.pointee.d_type)
    let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    let name = unsafe (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
    guard let exact = unsafe String(validatingCString: name) else {
      self.init(name: unsafe String(cString: name), isExact: false, kind: kind)
      return
    }
    if exact == "." || exact == ".." { return nil }
    self.init(name: exact, isExact: true, kind: kind)
  }
}

extension FileStatus.Kind {
  fileprivate init?(entryType: UInt8) {
    switch Int(entryType) {
    case Int(DT_UNKNOWN): return nil
    case Int(DT_REG): self = .regular
    case Int(DT_DIR): self = .directory
    case Int(DT_LNK): self = .symbolicLink
    default: self = .other
    }
  }
}

#if os(Linux)
  /// `sync_file_range`, which Swift's module of glibc does not declare. A fully static program does not find it.
  private enum Writeback {
    static let begin: (@convention(c) (Int32, Int64, Int64, UInt32) -> Int32)? = {
      guard let symbol = unsafe dlsym(nil, "sync_file_range") else { return nil }
      // Safe: the signature of sync_file_range(2), whose offsets have 64 bits where Swift runs.
      return unsafe unsafeBitCast(symbol, to: (@convention(c) (Int32, Int64, Int64, UInt32) -> Int32).self)
    }()
  }
#endif

/// `syncfs`, which makes ten thousand new files durable at the price of one.
///
/// Both functions are looked up by name, because Swift's module of glibc declares neither. A fully static program, and
/// macOS, do not find them and sync file by file. Linux reports failed writes through `syncfs` since 5.8.
private enum WholeSync {
  static let sync: (@convention(c) (Int32) -> Int32)? = {
    guard let symbol = unsafe dlsym(nil, "syncfs") else { return nil }
    // Safe: the signature of syncfs(2).
    return unsafe unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
  }()

  private static let status: (@convention(c) (Int32, UnsafeMutableRawPointer) -> Int32)? = {
    #if os(Linux) && _pointerBitWidth(_64)
      guard let symbol = unsafe dlsym(nil, "fstatfs") else { return nil }
      // Safe: the signature of fstatfs(2), with the structure passed as memory.
      return unsafe unsafeBitCast(symbol, to: (@convention(c) (Int32, UnsafeMutableRawPointer) -> Int32).self)
    #else
      return nil
    #endif
  }()

  /// The magic number of the file system: `f_type`, the first word of `struct statfs` (120 bytes on 64-bit Linux).
  static func fileSystemType(of file: Int32) -> UInt32? {
    guard let status = unsafe status else { return nil }
    var words = [UInt64](repeating: 0, count: 32)
    let result = unsafe words.withUnsafeMutableBytes { words in
      // Safe: an array of 256 bytes is not empty, so it has an address, and is larger than the structure.
      unsafe words.baseAddress.map { unsafe status(file, $0) } ?? -1
    }
    return result == 0 ? UInt32(truncatingIfNeeded: words[0]) : nil
  }

  /// Local file systems whose `syncfs` waits for the disk: ext2 to ext4, XFS, Btrfs, F2FS, bcachefs, ZFS, tmpfs,
  /// overlayfs (magic numbers of statfs(2)). Network and FUSE file systems may return before their server has written.
  static let trustedTypes: Set<UInt32> = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0xCA45_1A4E, 0x2FC1_2FC1, 0x0102_1994, overlayType,
  ]

  static let overlayType: UInt32 = 0x794C_7630
}
