package import VaultSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A failed system call of the command line.
package struct SystemError: FileFailure {
  package let number: Int32
  let path: String?
  /// The verb after "cannot be", such as `read`.
  let action: StaticString

  package init(number: Int32, path: String?, action: StaticString) {
    (self.number, self.path, self.action) = (number, path, action)
  }

  package init(_ fault: FileFault, at path: String) {
    self.init(number: fault.errno.number, path: path, action: "read")
  }

  package static func missing(_ path: String) -> SystemError { SystemError(.system(.missing), at: path) }

  package var errno: Int32? { number }
  var kind: Errno.Kind { Errno(number).meaning.kind }

  package var isMissing: Bool { kind == .missing || kind == .notADirectory }
  var isForbidden: Bool { kind == .forbidden || kind == .readOnly }
  var isClosedPipe: Bool { number == Errno.closedPipe.number }
  /// Whether a descriptor of the user is not open.
  var isClosed: Bool { number == Errno.badDescriptor.number }
  /// Whether a new file failed, which can only lack its folder.
  var isOfNewFile: Bool { "\(action)" == "made" }
  var isDirectory: Bool { number == Errno.isDirectory.number }

  /// Runs `body`, and sets the action of its errors, which is "read" by default.
  static func of<Result: ~Copyable>(
    _ action: StaticString, _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw SystemError(number: error.number, path: error.path, action: action)
    }
  }
}

/// System calls of the command line. Only the files of this folder make any.
package enum System {
  package static var standardInput: Int32 { Invocation.current?.input ?? 0 }
  package static var standardOutput: Int32 { Invocation.current?.output ?? 1 }
  package static var standardError: Int32 { Invocation.current?.errors ?? 2 }

  /// A variable of the environment; nil if it is not set or empty.
  package static func environment(_ name: String) -> String? {
    guard let value = variable(name), !value.isEmpty else { return nil }
    return value
  }

  /// A variable of the environment, which may be empty; nil if it is not set. For variables whose absence allows more.
  package static func variable(_ name: String) -> String? {
    ProcessEnvironment.variable(name)
  }

  /// The mapped address space of this process in bytes; nil if it is unknown (proc_pid_statm(5)).
  package static var addressSpaceByteCount: Int? {
    guard let file = try? NamedFile.reading("/proc/self/statm"), let text = try? TextInput.text(of: file) else {
      return nil
    }
    return text.split(separator: " ").first.flatMap { Int($0) }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
  }

  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Ends the process at once. Buffers of the C library are never used.
  package static func exit(_ status: ExitStatus) -> Never {
    showTyping(droppingTyped: status != .done)
    _exit(status.rawValue)
  }

  /// After an error, a part of the bytes may have been written.
  package static func writeAll(_ bytes: RawSpan, to descriptor: Int32, path: String? = nil) throws(SystemError) {
    var rest = bytes
    while rest.byteCount > 0 {
      let count = unsafe rest.withUnsafeBytes { buffer in
        restarting { unsafe write(descriptor, buffer.baseAddress, buffer.count) }
      }
      guard count >= 0 else { throw SystemError(number: errno, path: path, action: "written") }
      rest = rest.extracting(droppingFirst: count)
    }
  }

  package static func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String? = nil) throws(SystemError) {
    // Unsafe because padding could be read; bytes have no padding.
    try unsafe writeAll(bytes.span.bytes, to: descriptor, path: path)
  }

  /// Reads as many bytes as fit after `offset`; 0 at the end.
  package static func readSome(
    into span: inout MutableRawSpan, at offset: Int, from descriptor: Int32, path: String? = nil
  ) throws(SystemError) -> Int {
    let count = unsafe span.withUnsafeMutableBytes { buffer in
      restarting { unsafe read(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset) }
    }
    guard count >= 0 else { throw SystemError(number: errno, path: path, action: "read") }
    return count
  }

  package static func restarting(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  /// The kind of the file at `path` after following links; nil if nothing is there.
  package static func kind(of path: String) -> FileStatus.Kind? { status(of: path)?.kind }

  /// Whether there is a file or a link of this name. The link may be broken.
  package static func isThere(_ path: String) -> Bool { status(of: path, followingLink: false) != nil }

  /// Creates a directory and its missing parents, all 0700.
  package static func makeDirectories(_ path: String) throws(SystemError) {
    guard !path.isEmpty else { return }
    try SystemError.of("made") { () throws(SystemError) in try files.makeFolders(path) }
  }

  /// A path without slashes at its end, so that it ends with its name.
  package static func withoutLastSlashes(_ path: String) -> String {
    String(path.reversed().drop { $0 == "/" }.reversed())
  }

  /// The directory of `path`: `.` for a plain name, empty for the root.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? (path.count > 1 ? "/" : "") : String(path[..<slash])
  }
}
