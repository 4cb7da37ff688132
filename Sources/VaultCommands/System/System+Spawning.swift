#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

#if canImport(Darwin)
  private typealias SpawnAttributes = posix_spawnattr_t?
  private typealias SpawnActions = posix_spawn_file_actions_t?
#else
  private typealias SpawnAttributes = posix_spawnattr_t
  private typealias SpawnActions = posix_spawn_file_actions_t
#endif

/// What the standard streams of a child become.
struct ChildStreams {
  /// Its standard input; nil is that of this process.
  var input: Int32?
  /// Its standard output; nil is that of this process.
  var output: Int32?
  /// Whether it reads nothing, and what it says on stderr is dropped.
  var closesOthers = false
}

extension System {
  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: a path, or a name that is looked for in the PATH.
  ///   - words: its arguments, from its own name on.
  ///   - variables: `NAME=VALUE`, its whole environment; nil is that of this process.
  static func spawn(
    _ program: String, _ words: [String], variables: [String]? = nil, streams: ChildStreams
  ) throws(SystemError) -> pid_t {
    #if canImport(Darwin)
      var actions: SpawnActions
      var attributes: SpawnAttributes
    #else
      var actions = unsafe SpawnActions()
      var attributes = SpawnAttributes()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe arrange(streams, in: &actions)
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    giveSignalsBack(&attributes)
    var words = unsafe words.map { unsafe strdup($0) } + [nil]
    var own = unsafe (variables ?? []).map { unsafe strdup($0) } + [nil]
    defer { unsafe (words + own).forEach { unsafe free($0) } }
    var process: pid_t = 0
    let result: Int32
    if variables == nil {
      result = unsafe posix_spawnp(&process, program, &actions, &attributes, &words, environ)
    } else {
      result = unsafe posix_spawnp(&process, program, &actions, &attributes, &words, &own)
    }
    guard result == 0 else { throw SystemError(number: result, path: program, deed: "run") }
    return process
  }

  /// Waits for a child to end and gives its status.
  static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status
  }

  private static func arrange(_ streams: ChildStreams, in actions: inout SpawnActions) {
    if streams.closesOthers {
      unsafe posix_spawn_file_actions_addopen(&actions, standardInput, "/dev/null", O_RDONLY, 0)
      unsafe posix_spawn_file_actions_addopen(&actions, standardError, "/dev/null", O_WRONLY, 0)
    }
    if let input = streams.input { unsafe posix_spawn_file_actions_adddup2(&actions, input, standardInput) }
    if let output = streams.output { unsafe posix_spawn_file_actions_adddup2(&actions, output, standardOutput) }
  }

  /// Gives a child back what this process has blocked and ignored.
  private static func giveSignalsBack(_ attributes: inout SpawnAttributes) {
    var none = sigset_t()
    unsafe sigemptyset(&none)
    var defaults = none
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
  }
}
