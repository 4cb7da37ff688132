package import VaultSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// The files that the command itself opens. The stores open those of vaults.
  package static let files = FileSystem<SystemError>()

  /// The value instead of a directory, because users give paths of their own.
  package static var here: Int32 { OpenPurpose.noDirectory }

  /// The status of a path; nil if there is no file, or the status is unknown.
  package static func status(of path: String, followingLink: Bool = true) -> FileStatus? {
    try? files.call(at: path) { (system) throws(Errno) in
      try system.status(of: path, in: here, followingLink: followingLink)
    }
  }

  /// The status of an open file; nil if it is not a regular file, such as a pipe.
  package static func state(of descriptor: Int32) -> FileStatus? { try? files.regularStatus(of: descriptor, at: "") }

  /// The size of an open file; nil if it has no size, such as a pipe.
  package static func byteCount(of descriptor: Int32) -> Int? { state(of: descriptor)?.byteCount }
}

/// A file that was opened by its path. Its owner closes it.
package struct NamedFile: ~Copyable {
  package let path: String
  private let file: OpenFile

  package var descriptor: Int32 { file.descriptor }

  private init(_ path: String, as purpose: OpenPurpose) throws(SystemError) {
    self.path = path
    file = try System.files.open(path, in: System.here, as: purpose, at: path)
  }

  /// Opens a file for reading, including a FIFO such as the shell's `<(…)`.
  package static func reading(_ path: String) throws(SystemError) -> NamedFile {
    let file = try NamedFile(path, as: .readingStream)
    let descriptor = file.descriptor
    let status = try System.files.call(at: path) { (system) throws(Errno) in try system.status(of: descriptor) }
    guard status.kind != .directory else { throw SystemError(.system(.isDirectory), at: path) }
    return file
  }

  /// Opens a file of this user for reading; nil for a link, a FIFO, a folder, or any other special file.
  package static func plain(_ path: String) throws(SystemError) -> NamedFile? {
    do throws(SystemError) {
      // Opening does not wait for a FIFO.
      let file = try NamedFile(path, as: .reading)
      guard System.byteCount(of: file.descriptor) != nil else { return nil }
      return file
    } catch {
      guard [.symbolicLink, .notARegularFile].contains(error.kind) else { throw error }
      return nil
    }
  }

  /// The controlling terminal; nil without a terminal, or if this process is in its background.
  package static func terminal() -> NamedFile? {
    // A run inside another process has no terminal.
    guard Invocation.current == nil, let file = try? NamedFile("/dev/tty", as: .terminal),
      System.isInForeground(file.descriptor)
    else {
      return nil
    }
    return file
  }
}

extension System {
  /// Removes a file, if it exists.
  package static func remove(_ path: String) { files.removeQuietly(path, in: here) }

  /// Removes a directory of this user with its content. Links are not followed.
  package static func removeDirectory(_ path: String) {
    files.removeTree(DirectoryEntry(name: path, isExact: true, kind: .directory), in: here)
  }

  package static func names(in directory: String) -> [String] { (try? entries(in: directory))?.map(\.name) ?? [] }

  /// The entries of a directory. A link is not followed.
  package static func entries(in directory: String) throws(SystemError) -> [DirectoryEntry] {
    let folder = try files.open(directory, in: here, as: .vaultDirectory, at: directory)
    let descriptor = folder.descriptor
    return try files.call(at: directory) { (system) throws(Errno) in try system.entries(of: descriptor) }
  }

  /// A new directory below `parent`, 0700, with a random end of its name.
  package static func makeTemporaryDirectory(
    in parent: String, named beginning: String = "vault-"
  ) throws(SystemError) -> String {
    var template = Array("\(parent)/\(beginning)XXXXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw SystemError(number: errno, path: parent, action: "written") }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// A folder for files that must not reach a disk; nil for none.
  package static var memoryBackedFolder: String? {
    [environment("XDG_RUNTIME_DIR"), "/dev/shm"].compactMap(\.self).first { $0.hasPrefix("/") && isMemoryBacked($0) }
  }

  /// Folders where opened texts may be.
  package static var foldersForTexts: [String] {
    [environment("XDG_RUNTIME_DIR"), "/dev/shm", ProcessEnvironment.temporaryDirectory].compactMap(\.self)
      .filter { $0.hasPrefix("/") }
  }

  /// A new directory, 0700.
  package static func makeDirectory(_ path: String) throws(SystemError) {
    guard unsafe mkdirat(here, path, 0o700) == 0 else { throw SystemError(number: errno, path: path, action: "made") }
  }

  package static func link(_ path: String, to target: String) throws(SystemError) {
    guard unsafe symlinkat(target, here, path) == 0 else {
      throw SystemError(number: errno, path: path, action: "made")
    }
  }

  package static func setMode(_ mode: UInt16, of path: String) throws(SystemError) {
    guard unsafe fchmodat(here, path, mode_t(mode), 0) == 0 else {
      throw SystemError(number: errno, path: path, action: "written")
    }
  }

  package static func mayRun(_ path: String) -> Bool { unsafe faccessat(here, path, X_OK, 0) == 0 }

  package static func isSameFile(_ one: Int32, _ other: Int32) -> Bool {
    var (first, second) = (stat(), stat())
    guard unsafe fstat(one, &first) == 0, unsafe fstat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  package static func isNull(_ descriptor: Int32) -> Bool {
    var (own, null) = (stat(), stat())
    guard unsafe fstat(descriptor, &own) == 0, unsafe stat("/dev/null", &null) == 0 else { return false }
    return own.st_dev == null.st_dev && own.st_ino == null.st_ino
  }

  /// Whether files in a directory are in memory, by the mount type in `/proc/self/mountinfo`.
  static func isMemoryBacked(_ directory: String) -> Bool {
    guard let status = status(of: directory), status.kind == .directory, unsafe faccessat(here, directory, W_OK, 0) == 0
    else {
      return false
    }
    return ["tmpfs", "ramfs"].contains(mountType(of: directory))
  }

  /// The type of the mount that holds a path, such as `ext4` or `fuse.sshfs`; nil if it is unknown.
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

  // gnu_dev_major and gnu_dev_minor of glibc, written out because they are macros.
  private static func major(_ device: UInt64) -> UInt64 { (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF }
  private static func minor(_ device: UInt64) -> UInt64 { device & 0xFF | (device >> 12) & ~0xFF }
}

extension System {
  package static var userID: UInt32 { geteuid() }

  /// The name of this user; empty if the user has no name.
  package static var userName: String {
    if let name = environment("LOGNAME") ?? environment("USER"), !name.isEmpty { return name }
    // Safe: the entry is the C library's, NUL-terminated, and copied before the next call.
    guard let entry = unsafe getpwuid(geteuid()), let name = unsafe entry.pointee.pw_name else { return "" }
    return unsafe String(cString: name)
  }
  package static var groupID: UInt32 { getegid() }

  /// Whether a path is a folder that only this user can access. A link does not count.
  static func isOwnFolder(_ path: String) -> Bool {
    guard let status = status(of: path, followingLink: false) else { return false }
    return status.kind == .directory && status.owner == userID && !status.isOpenToOthers
  }

  package static func isOpenToOthers(_ path: String) -> Bool { status(of: path)?.isOpenToOthers == true }
}
