#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A system call that failed: its number, the file, and what was to be done to it.
struct SystemError: Error {
  let number: Int32
  let path: String?
  /// What follows "cannot be", such as `read`.
  let deed: StaticString

  static func missing(_ path: String) -> SystemError { SystemError(number: ENOENT, path: path, deed: "read") }

  var isMissing: Bool { number == ENOENT || number == ENOTDIR }
  var isExisting: Bool { number == EEXIST }
  var isForbidden: Bool { number == EACCES || number == EPERM || number == EROFS }
  var isNoSpace: Bool { number == ENOSPC || number == EDQUOT }
  var isClosedPipe: Bool { number == EPIPE }
  var isDirectory: Bool { number == EISDIR }
}

/// System calls of the command line; together with the other files of this folder the only place that makes any.
enum System {
  static let standardInput: Int32 = 0
  static let standardOutput: Int32 = 1
  static let standardError: Int32 = 2

  /// A variable of the environment; nil when it is not set or empty.
  static func environment(_ name: String) -> String? {
    guard let value = variable(name), !value.isEmpty else { return nil }
    return value
  }

  /// A variable of the environment, also an empty one: for those whose absence allows more; nil when it is not set.
  static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// The directory the process was started in; nil when it is gone.
  static var workingDirectory: String? {
    guard let text = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Ends the process at once: buffers of the C library are never used here.
  static func exit(_ status: ExitStatus) -> Never {
    showTyping(droppingTyped: status != .done)
    _exit(status.rawValue)
  }

  /// Writes all bytes.
  static func writeAll(_ bytes: RawSpan, to descriptor: Int32, path: String? = nil) throws(SystemError) {
    var rest = bytes
    while rest.byteCount > 0 {
      let count = unsafe rest.withUnsafeBytes { buffer in
        restarting { unsafe write(descriptor, buffer.baseAddress, buffer.count) }
      }
      guard count >= 0 else { throw SystemError(number: errno, path: path, deed: "written") }
      rest = rest.extracting(droppingFirst: count)
    }
  }

  /// Writes all bytes.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String? = nil) throws(SystemError) {
    // Unsafe only in that padding could be read: bytes have none.
    try unsafe writeAll(bytes.span.bytes, to: descriptor, path: path)
  }

  /// Reads at most what fits behind `offset`; 0 at the end.
  static func readSome(
    into span: inout MutableRawSpan, at offset: Int, from descriptor: Int32, path: String? = nil
  ) throws(SystemError) -> Int {
    let count = unsafe span.withUnsafeMutableBytes { buffer in
      restarting { unsafe read(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset) }
    }
    guard count >= 0 else { throw SystemError(number: errno, path: path, deed: "read") }
    return count
  }

  static func restarting(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  /// What `path` names, links followed; nil when there is nothing.
  static func kind(of path: String) -> FileKind? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .directory
    default: return .other
    }
  }

  /// Whether anything has this name, be it a link that leads nowhere.
  static func isThere(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  enum FileKind {
    case file, directory, other
  }

  /// Makes a directory and those above it that are missing, all 0700.
  static func makeDirectories(_ path: String) throws(SystemError) {
    guard !path.isEmpty, kind(of: path) != .directory else { return }
    try makeDirectories(parent(of: path))
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw SystemError(number: errno, path: path, deed: "made")
    }
  }

  /// The directory that holds `path`: `.` for a plain name, empty for the root.
  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? (path.count > 1 ? "/" : "") : String(path[..<slash])
  }
}
