#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// An error that stops the harness itself, in one line; never a finding about a vault.
struct HarnessError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// How a process ended.
enum Exit: Equatable {
  case code(Int32)
  case signal(Int32)

  init(status: Int32) {
    // The layout behind WIFEXITED and WTERMSIG, which are macros.
    self = status & 0x7F == 0 ? .code((status >> 8) & 0xFF) : .signal(status & 0x7F)
  }

  static let killed = Exit.signal(SIGKILL)
}

/// A process that the harness started; signals go to its pid and to no other.
struct Child: Sendable {
  let pid: Int32

  /// Starts a program, this same one unless another is named; its output is appended to `output`.
  static func start(
    _ arguments: [String], of program: String = own, output: String, temporary: String, environment: [String] = []
  ) throws -> Child {
    let environment = ["TMPDIR=\(temporary)", "PATH=/usr/bin:/bin"] + environment
    // Safe: the copies live until posix_spawn has returned, and it keeps no pointer.
    var argv = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    var envp = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (argv + envp).forEach { unsafe free($0) } }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for descriptor: Int32 in [1, 2] {
      unsafe posix_spawn_file_actions_addopen(&actions, descriptor, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }
    var pid: pid_t = 0
    let failure = unsafe posix_spawn(&pid, program, &actions, nil, &argv, &envp)
    guard failure == 0 else { throw HarnessError("cannot start a process: error \(failure)") }
    return Child(pid: pid)
  }

  func send(_ signal: Int32) { _ = kill(pid, signal) }

  /// Waits for its end.
  func wait() -> Exit {
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0 {}
    return Exit(status: status)
  }

  /// How it ended; nil while it runs or is stopped.
  func poll() -> Exit? {
    var status: Int32 = 0
    return unsafe waitpid(pid, &status, WNOHANG) == pid ? Exit(status: status) : nil
  }

  /// The path of this program.
  private static let own: String = {
    // Safe: realpath allocates what it returns, and it is copied and freed here.
    guard let path = unsafe realpath("/proc/self/exe", nil) ?? realpath(CommandLine.arguments[0], nil) else {
      return CommandLine.arguments[0]
    }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }()
}

enum Signal {
  static let kill = SIGKILL
  static let stop = SIGSTOP
  static let goOn = SIGCONT
}

func sleep(_ duration: Duration) { usleep(UInt32(max(0, min(duration / .microseconds(1), 900_000)))) }

/// A file that only grows.
struct AppendingFile: Sendable {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw HarnessError("cannot write \(path)") }
  }

  /// Appends one line in one call; with `durably` it is on the disk afterwards.
  func append(_ line: String, durably: Bool) throws {
    let bytes = Array((line + "\n").utf8)
    // Safe: the array lives for the length of the call.
    let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw HarnessError("cannot write the log") }
    #if canImport(Darwin)
      guard !durably || fsync(descriptor) == 0 else { throw HarnessError("cannot sync the log") }
    #else
      guard !durably || fdatasync(descriptor) == 0 else { throw HarnessError("cannot sync the log") }
    #endif
  }
}

/// Whether `bytes` contain `part`, which is not empty.
func contains(_ part: [UInt8], in bytes: [UInt8]) -> Bool {
  var start = 0
  while bytes.count - start >= part.count {
    // Safe: the pointers stay inside the array, which lives for the length of the call. A debug build would take long
    // to compare byte by byte.
    let found: Int? = unsafe bytes.withUnsafeBytes { bytes in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
      guard let base = rest.baseAddress, let first = unsafe memchr(base, Int32(part[0]), rest.count) else {
        return nil
      }
      return unsafe start + (UnsafeRawPointer(first) - base)
    }
    guard let found else { return false }
    if bytes[found...].starts(with: part) { return true }
    start = found + 1
  }
  return false
}
