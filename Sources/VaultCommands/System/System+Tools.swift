#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// Runs a program of the PATH, without a shell, and gives what it writes to standard output.
  ///
  /// It reads nothing and what it says on stderr is dropped.
  ///
  /// - Parameters:
  ///   - variables: `NAME=VALUE`, the whole environment of the program.
  ///   - limit: the most bytes that are taken.
  /// - Returns: nil when there is no such program, when it fails, or when it writes more.
  static func outputOfTool(
    _ name: String, _ arguments: [String], variables: [String], limit: Int
  ) -> [UInt8]? {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process = spawnTool(name, arguments, variables: variables, output: ends[1])
    close(ends[1])
    let output = process == nil ? nil : bytes(from: ends[0], limit: limit)
    // Closed before the wait, so that a program which writes more than is taken ends too.
    close(ends[0])
    guard let process else { return nil }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status == 0 ? output : nil
  }

  private static func bytes(from descriptor: Int32, limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var span = chunk.mutableSpan
      // Unsafe only in that any bytes can be stored: a UInt8 may be any byte.
      var raw = unsafe span.mutableBytes
      guard let count = try? readSome(into: &raw, at: 0, from: descriptor) else { return nil }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else { return nil }
      bytes += chunk[..<count]
    }
  }

  private static func spawnTool(
    _ name: String, _ arguments: [String], variables: [String], output: Int32
  ) -> pid_t? {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, standardInput, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, standardOutput)
    unsafe posix_spawn_file_actions_addopen(&actions, standardError, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    giveSignalsBack(&attributes)
    var words = unsafe ([name] + arguments).map { unsafe strdup($0) } + [nil]
    var variables = unsafe variables.map { unsafe strdup($0) } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    var process: pid_t = 0
    return unsafe posix_spawnp(&process, name, &actions, &attributes, &words, &variables) == 0 ? process : nil
  }

  /// The whole environment, `NAME=VALUE` each.
  static func allVariables() -> [String] {
    var variables: [String] = []
    var next = unsafe environ
    while let text = unsafe next.pointee {
      unsafe variables.append(String(cString: text))
      unsafe next += 1
    }
    return variables
  }

  /// A path without links and dots; nil when nothing is there.
  static func realPath(_ path: String) -> String? {
    guard let text = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}
