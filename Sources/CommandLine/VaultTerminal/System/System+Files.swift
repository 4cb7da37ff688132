package import VaultSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// The files that the command opens itself; those of vaults are the stores'.
  package static let files = FileSystem<SystemError>()

  /// In place of a directory: paths of the command are those that somebody gave.
  package static var here: Int32 { OpenPurpose.noDirectory }

  /// What a path names; nil when there is nothing, or nothing can be said.
  package static func status(of path: String, followingLink: Bool = true) -> FileStatus? {
    try? files.call(at: path) { (system) throws(Errno) in
      try system.status(of: path, in: here, followingLink: followingLink)
    }
  }

  /// What an open file is; nil for what is no regular file, such as a pipe.
  package static func state(of descriptor: Int32) -> FileStatus? { try? files.regularStatus(of: descriptor, at: "") }

  /// How long an open file is; nil for what has no length, such as a pipe.
  package static func byteCount(of descriptor: Int32) -> Int? { state(of: descriptor)?.byteCount }
}

/// A file that was opened by its path, closed with its owner.
package struct NamedFile: ~Copyable {
  package let path: String
  private let file: OpenFile

  package var descriptor: Int32 { file.descriptor }

  private init(_ path: String, as purpose: OpenPurpose) throws(SystemError) {
    self.path = path
    file = try System.files.open(path, in: System.here, as: purpose, at: path)
  }

  /// Opens a file to read it; a FIFO such as a shell's `<(…)` is taken too.
  package static func reading(_ path: String) throws(SystemError) -> NamedFile {
    let file = try NamedFile(path, as: .readingStream)
    let descriptor = file.descriptor
    let status = try System.files.call(at: path) { (system) throws(Errno) in try system.status(of: descriptor) }
    guard status.kind != .directory else { throw SystemError(.system(.isDirectory), at: path) }
    return file
  }

  /// Opens a file that is to be where nobody else puts one: nil for a link, a FIFO, a folder, or whatever else is none.
  package static func plain(_ path: String) throws(SystemError) -> NamedFile? {
    do throws(SystemError) {
      // A FIFO is not waited for.
      let file = try NamedFile(path, as: .reading)
      guard System.byteCount(of: file.descriptor) != nil else { return nil }
      return file
    } catch {
      guard [.symbolicLink, .notARegularFile].contains(error.kind) else { throw error }
      return nil
    }
  }

  /// The controlling terminal; nil when there is none, or when this process is in its background.
  package static func terminal() -> NamedFile? {
    // A run without a process of its own has no terminal of its own.
    guard Invocation.current == nil, let file = try? NamedFile("/dev/tty", as: .terminal),
      System.isInForeground(file.descriptor)
    else {
      return nil
    }
    return file
  }
}

extension System {
  /// The place of the first line feed from `start` on.
  package static func firstLineFeed(in bytes: [UInt8], from start: Int) -> Int? {
    unsafe bytes.withUnsafeBytes { buffer in
      guard start < buffer.count, let base = buffer.baseAddress else { return nil }
      // Safe: the range lies in the buffer.
      guard let found = unsafe memchr(base + start, 0x0A, buffer.count - start) else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }

  /// Removes a file; what is not there is no fault.
  package static func remove(_ path: String) { files.removeQuietly(path, in: here) }

  /// Removes a directory of this user's own with all that is in it; links are not followed.
  package static func removeDirectory(_ path: String) {
    files.removeTree(DirectoryEntry(name: path, isExact: true, kind: .directory), in: here)
  }

  package static func names(in directory: String) -> [String] { (try? entries(in: directory))?.map(\.name) ?? [] }

  /// What lies in a directory; a link to one is none.
  package static func entries(in directory: String) throws(SystemError) -> [DirectoryEntry] {
    let folder = try files.open(directory, in: here, as: .vaultDirectory, at: directory)
    let descriptor = folder.descriptor
    return try files.call(at: directory) { (system) throws(Errno) in try system.entries(of: descriptor) }
  }

  /// A new directory below `parent`, 0700, whose name has a beginning and is random behind it.
  package static func makeTemporaryDirectory(
    in parent: String, named beginning: String = "vault-"
  ) throws(SystemError) -> String {
    var template = Array("\(parent)/\(beginning)XXXXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw SystemError(number: errno, path: parent, action: "written") }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// A folder for files that are not to reach a disk; nil for none.
  package static var memoryBackedFolder: String? {
    [environment("XDG_RUNTIME_DIR"), "/dev/shm"].compactMap(\.self).first { $0.hasPrefix("/") && isMemoryBacked($0) }
  }

  /// Where opened texts may lie.
  package static var foldersForTexts: [String] {
    [environment("XDG_RUNTIME_DIR"), "/dev/shm", ProcessEnvironment.temporaryDirectory].compactMap(\.self)
      .filter { $0.hasPrefix("/") }
  }

  /// A new directory, 0700.
  package static func makeDirectory(_ path: String) throws(SystemError) {
    guard unsafe mkdirat(here, path, 0o700) == 0 else { throw SystemError(number: errno, path: path, action: "made") }
  }

  /// A new symbolic link.
  package static func link(_ path: String, to target: String) throws(SystemError) {
    guard unsafe symlinkat(target, here, path) == 0 else {
      throw SystemError(number: errno, path: path, action: "made")
    }
  }

  /// Lets the owner of a file only read it.
  package static func forbidWriting(_ path: String) throws(SystemError) {
    guard unsafe fchmodat(here, path, 0o400, 0) == 0 else {
      throw SystemError(number: errno, path: path, action: "written")
    }
  }

  /// Lets everybody run and read a file, and its owner write it.
  package static func letRun(_ path: String) throws(SystemError) {
    guard unsafe fchmodat(here, path, 0o755, 0) == 0 else {
      throw SystemError(number: errno, path: path, action: "written")
    }
  }

  /// Whether a file may be run here.
  package static func mayRun(_ path: String) -> Bool { unsafe faccessat(here, path, X_OK, 0) == 0 }

  /// Whether two descriptors are of one file.
  package static func isSameFile(_ one: Int32, _ other: Int32) -> Bool {
    var (first, second) = (stat(), stat())
    guard unsafe fstat(one, &first) == 0, unsafe fstat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// Whether what is written to a descriptor is seen by nobody.
  package static func isNull(_ descriptor: Int32) -> Bool {
    var (own, null) = (stat(), stat())
    guard unsafe fstat(descriptor, &own) == 0, unsafe stat("/dev/null", &null) == 0 else { return false }
    return own.st_dev == null.st_dev && own.st_ino == null.st_ino
  }

  /// Whether files in a directory live in memory: the type of its mount, as `/proc/self/mountinfo` tells.
  static func isMemoryBacked(_ directory: String) -> Bool {
    guard let status = status(of: directory), status.kind == .directory, unsafe faccessat(here, directory, W_OK, 0) == 0
    else {
      return false
    }
    return ["tmpfs", "ramfs"].contains(mountType(of: directory))
  }

  /// The type of the mount that holds what is at a path, such as `ext4` or `fuse.sshfs`; nil if the system does not
  /// tell.
  package static func mountType(of path: String) -> String? {
    guard let status = status(of: path), let file = try? NamedFile.reading("/proc/self/mountinfo"),
      let mounts = try? TextInput.text(of: file)
    else { return nil }
    let device = "\(major(status.device)):\(minor(status.device))"
    // 36 35 98:0 /root /mount/point options optional… - type source options (proc_pid_mountinfo(5))
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 6, fields[2] == device, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else {
        continue
      }
      return String(fields[dash + 1])
    }
    return nil
  }

  /// Whether the file system refuses every lock on a file.
  package static func lacksLocks(at path: String) -> Bool {
    let files = FileSystem<SystemError>()
    do throws(SystemError) {
      let file = try files.open(path, in: OpenPurpose.noDirectory, as: .reading, at: path)
      _ = try files.tryLock(file.descriptor, isShared: true, at: path)
      return false
    } catch {
      return Errno(error.number).meansNoLocks
    }
  }

  // gnu_dev_major and gnu_dev_minor of glibc, written out because they are macros.
  private static func major(_ device: UInt64) -> UInt64 { (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF }
  private static func minor(_ device: UInt64) -> UInt64 { device & 0xFF | (device >> 12) & ~0xFF }
}

extension System {
  package static var userID: UInt32 { geteuid() }

  /// What the system calls this user; empty where it has no name.
  package static var userName: String {
    if let name = environment("LOGNAME") ?? environment("USER"), !name.isEmpty { return name }
    // Safe: the entry is the C library's, NUL-terminated, and copied before anything else can ask for one.
    guard let entry = unsafe getpwuid(geteuid()), let name = unsafe entry.pointee.pw_name else { return "" }
    return unsafe String(cString: name)
  }
  package static var groupID: UInt32 { getegid() }

  /// Whether a path names a folder that is this user's alone; a link to one is not.
  static func isOwnFolder(_ path: String) -> Bool {
    guard let status = status(of: path, followingLink: false) else { return false }
    return status.kind == .directory && status.owner == userID && !status.isOpenToOthers
  }

  /// Whether the mode of what is at a path lets others than the owner in.
  package static func isOpenToOthers(_ path: String) -> Bool { status(of: path)?.isOpenToOthers == true }
}
