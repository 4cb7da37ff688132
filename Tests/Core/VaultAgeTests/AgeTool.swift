#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs the commands of the reference implementation, in a folder of its own that is removed afterwards.
final class AgeTool {
  /// A command that could not be started, or a file that could not be written.
  struct Failure: Error {
    let number: Int32
  }

  let folder: String
  private var names: Set<String> = []

  init() throws {
    var template = [CChar]("/tmp/vault-age-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Failure(number: errno) }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { unsafe unlink(path(name)) }
    unsafe rmdir(folder)
  }

  /// Whether a command of this name is installed.
  static func isInstalled(_ command: String) -> Bool { find(command) != nil }

  private static func find(_ command: String) -> String? {
    guard let path = unsafe getenv("PATH") else { return nil }
    return unsafe String(cString: path).split(separator: ":").map { "\($0)/\(command)" }
      .first { unsafe access($0, X_OK) == 0 }
  }

  /// The path of a file in the folder.
  func path(_ name: String) -> String {
    "\(folder)/\(name)"
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    names.insert(name)
    let descriptor = unsafe open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(number: errno) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in unsafe writeBytes(descriptor, bytes.baseAddress, bytes.count) }
      guard count > 0 else { throw Failure(number: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// The bytes of a file that a command wrote, which is removed. A missing file means no bytes: age makes none for
  /// empty output.
  func take(_ name: String) throws -> [UInt8] {
    names.insert(name)
    guard unsafe access(path(name), F_OK) == 0 else { return [] }
    defer { unsafe unlink(path(name)) }
    let descriptor = unsafe open(path(name), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(number: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw Failure(number: errno) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Runs a command with its output thrown away; gives the exit code.
  func run(_ command: String, _ arguments: [String]) throws -> Int32 {
    guard let executable = Self.find(command) else { throw Failure(number: ENOENT) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0...2 {
      unsafe posix_spawn_file_actions_addopen(&actions, Int32(descriptor), "/dev/null", O_RDWR, 0)
    }
    var words = unsafe ([executable] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let failure = unsafe posix_spawn(&child, executable, &actions, nil, &words, environ)
    guard failure == 0 else { throw Failure(number: failure) }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
  }

  /// Runs a command on a terminal of its own and types `passphrase` whenever it asks for one.
  func runOnTerminal(_ command: String, _ arguments: [String], passphrase: String) throws -> Int32 {
    try write(Array(Self.terminal.utf8), to: "terminal.py")
    return try run("python3", [path("terminal.py"), passphrase, command] + arguments)
  }

  // age reads passphrases from its controlling terminal only.
  private static let terminal = """
    import os, pty, sys
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(sys.argv[2], sys.argv[2:])
    seen = b""
    while True:
        try:
            data = os.read(terminal, 1024)
        except OSError:
            break
        if not data:
            break
        seen += data
        if b"passphrase" in seen and seen.rstrip(b" ").endswith(b":"):
            seen = b""
            os.write(terminal, sys.argv[1].encode() + b"\\n")
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
}

// `write` of the C library, whose name the method above hides.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
