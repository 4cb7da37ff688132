#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open file, closed with its owner.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  let path: String

  deinit { close(descriptor) }

  private init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens a file to read it; a FIFO such as a shell's `<(…)` is taken too.
  static func reading(_ path: String) throws(SystemError) -> OpenFile {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw SystemError(number: errno, path: path, deed: "read") }
    let file = OpenFile(descriptor: descriptor, path: path)
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      throw SystemError(number: EISDIR, path: path, deed: "read")
    }
    return file
  }

  /// Opens a file that is to be where nobody else puts one: nil for a link, a FIFO, a folder, or whatever else is none.
  static func plain(_ path: String) throws(SystemError) -> OpenFile? {
    // A FIFO is not waited for.
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    if descriptor < 0, [ELOOP, ENXIO, ENODEV].contains(errno) { return nil }
    guard descriptor >= 0 else { throw SystemError(number: errno, path: path, deed: "read") }
    let file = OpenFile(descriptor: descriptor, path: path)
    guard System.byteCount(of: descriptor) != nil else { return nil }
    return file
  }

  /// Makes a file that must not exist, 0600.
  static func creating(_ path: String) throws(SystemError) -> OpenFile {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError(number: errno, path: path, deed: "made") }
    // The mode of open is cut by the umask, but never widened; a umask that takes the owner's rights is undone.
    _ = fchmod(descriptor, 0o600)
    return OpenFile(descriptor: descriptor, path: path)
  }

  /// The controlling terminal; nil when there is none, or when this process is in its background.
  static func terminal() -> OpenFile? {
    let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    let file = OpenFile(descriptor: descriptor, path: "/dev/tty")
    guard tcgetpgrp(descriptor) == getpgrp() else { return nil }
    return file
  }

  func write(_ bytes: RawSpan) throws(SystemError) { try System.writeAll(bytes, to: descriptor, path: path) }

  func write(_ bytes: [UInt8]) throws(SystemError) { try System.writeAll(bytes, to: descriptor, path: path) }

  func sync() throws(SystemError) {
    guard fsync(descriptor) == 0 else { throw SystemError(number: errno, path: path, deed: "written") }
  }
}

extension System {
  /// How long an open file is; nil for what has no length, such as a pipe.
  static func byteCount(of descriptor: Int32) -> Int? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// What changes with the content of an open file; nil for what is no regular file.
  static func state(of descriptor: Int32) -> FileState? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    #if canImport(Darwin)
      let modified = status.st_mtimespec
    #else
      let modified = status.st_mtim
    #endif
    return FileState(
      byteCount: Int(status.st_size), seconds: Int(modified.tv_sec), nanoseconds: Int(modified.tv_nsec))
  }

  /// At most so many bytes of an open file; none at its end.
  static func readPiece(
    _ count: Int, at offset: Int, from descriptor: Int32, path: String
  ) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      // Safe: pread(2) fills the start of the buffer, and says how much of it.
      let read = restarting { unsafe pread(descriptor, buffer.baseAddress, count, off_t(offset)) }
      if read < 0 { failure = SystemError(number: errno, path: path, deed: "read") }
      filled = max(read, 0)
    }
    if let failure { throw failure }
    return bytes
  }

  /// The place of the first line feed from `start` on.
  static func firstLineFeed(in bytes: [UInt8], from start: Int) -> Int? {
    unsafe bytes.withUnsafeBytes { buffer in
      guard start < buffer.count, let base = buffer.baseAddress else { return nil }
      // Safe: the range lies in the buffer.
      guard let found = unsafe memchr(base + start, 0x0A, buffer.count - start) else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }

  /// Removes a file; what is not there is no fault.
  static func remove(_ path: String) { unsafe unlink(path) }

  /// Removes a directory of this user's own with all that is in it; links are not followed.
  static func removeDirectory(_ path: String) {
    for name in names(in: path) {
      let entry = path + "/" + name
      // Not by what unlink refuses: in a directory that may not be written to that is a link, too.
      if isOwnDirectory(entry) { removeDirectory(entry) } else { remove(entry) }
    }
    unsafe rmdir(path)
  }

  /// Whether a path itself, and no link there, is a directory.
  private static func isOwnDirectory(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  static func names(in directory: String) -> [String] {
    guard let stream = unsafe opendir(directory) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  static func move(_ old: String, to new: String) throws(SystemError) {
    guard unsafe rename(old, new) == 0 else { throw SystemError(number: errno, path: new, deed: "written") }
  }

  static func syncDirectory(_ path: String) throws(SystemError) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(number: errno, path: path, deed: "written") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SystemError(number: errno, path: path, deed: "written") }
  }

  /// A new directory with a random name below `parent`, 0700.
  static func makeTemporaryDirectory(in parent: String) throws(SystemError) -> String {
    var template = Array("\(parent)/vault-XXXXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw SystemError(number: errno, path: parent, deed: "written") }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether files in a directory live in memory: the type of its mount, as `/proc/self/mountinfo` tells.
  static func isMemoryBacked(_ directory: String) -> Bool {
    var status = stat()
    guard unsafe stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, unsafe access(directory, W_OK) == 0,
      let file = try? OpenFile.reading("/proc/self/mountinfo"), let mounts = try? TextInput.text(of: file)
    else { return false }
    let device = "\(major(status)):\(minor(status))"
    // 36 35 98:0 /root /mount/point options optional… - type source options (proc_pid_mountinfo(5))
    return mounts.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      guard fields.count > 6, fields[2] == device, let dash = fields.firstIndex(of: "-") else { return false }
      return dash + 1 < fields.count && (fields[dash + 1] == "tmpfs" || fields[dash + 1] == "ramfs")
    }
  }

  // gnu_dev_major and gnu_dev_minor of glibc, written out because they are macros.
  private static func major(_ status: stat) -> UInt64 {
    let device = UInt64(truncatingIfNeeded: status.st_dev)
    return (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
  }

  private static func minor(_ status: stat) -> UInt64 {
    let device = UInt64(truncatingIfNeeded: status.st_dev)
    return device & 0xFF | (device >> 12) & ~0xFF
  }
}

/// What changes with the content of a file.
struct FileState: Equatable {
  let byteCount: Int
  /// When it was written last.
  let seconds: Int
  let nanoseconds: Int
}

/// Who owns a file, and who else may write it.
struct FileRights {
  let owner: UInt32
  let group: UInt32
  let isWritableByGroup: Bool
  let isWritableByAll: Bool
  /// Whether in a directory each may remove only what is theirs.
  let isSticky: Bool
}

extension System {
  static var userID: UInt32 { geteuid() }
  static var groupID: UInt32 { getegid() }

  /// The rights of what is at a path, of a link itself; nil when they cannot be had.
  static func rights(of path: String) -> FileRights? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    let mode = status.st_mode
    return FileRights(
      owner: status.st_uid, group: status.st_gid, isWritableByGroup: mode & 0o020 != 0,
      isWritableByAll: mode & 0o002 != 0, isSticky: mode & S_ISVTX != 0)
  }

  /// Whether the mode of a directory lets others than the owner in.
  static func isOpenToOthers(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & 0o077 != 0
  }
}
