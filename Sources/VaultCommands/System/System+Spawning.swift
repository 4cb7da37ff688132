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

/// POSIX_SPAWN_SETSID, which the headers of glibc and musl show to programs in C only.
#if canImport(Darwin)
  private let ownSession = Int16(POSIX_SPAWN_SETSID)
#else
  private let ownSession: Int16 = 0x80
#endif

// Within `System` the name is that of its own.
private func signalProcess(_ process: pid_t, _ number: Int32) -> Int32 { kill(process, number) }

/// What the standard streams of a child become.
struct ChildStreams {
  /// Its standard input; nil is that of this process.
  var input: Int32?
  /// Its standard output; nil is that of this process.
  var output: Int32?
  /// Whether it reads nothing but ``input``, and what it says on stderr is dropped.
  var closesOthers = false
  /// Whether what it writes is dropped.
  var dropsOutput = false
  /// Whether what it says on stderr goes where ``output`` goes.
  var joinsErrors = false
  /// What it gets beside these, under the same numbers; nil is all that is not closed by itself.
  var kept: [Int32]?
  /// Whether it is in a session of its own, so that it has no terminal.
  var isAlone = false
}

/// How a child has ended.
struct ChildEnd {
  /// As wait(2) gives it.
  let status: Int32
  /// The most memory that it had at once.
  let peakByteCount: Int

  /// The signal that ended it; nil for none.
  var signal: Int32? { status & 0x7F == 0 ? nil : status & 0x7F }
  var exitCode: Int32 { (status >> 8) & 0xFF }
  /// Whether it was ended since its time was over.
  var isOutOfTime: Bool { signal == SIGXCPU }
  /// Whether it made a mistake, such as to take memory that there was not.
  var isCrash: Bool { [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV].contains(signal) }
}

extension System {
  /// Where the program of this process is.
  static var ownProgram: String {
    // The link itself, where there is one: the program is the same where its file was replaced meanwhile.
    isThere("/proc/self/exe") ? "/proc/self/exe" : CommandLine.arguments[0]
  }

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
    giveSignalsBack(&attributes, streams)
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
    guard result == 0 else { throw SystemError(number: result, path: program, action: "run") }
    return process
  }

  /// Waits for a child to end and gives its status.
  static func wait(for process: pid_t) -> Int32 { end(of: process).status }

  /// Waits for a child to end.
  static func end(of process: pid_t) -> ChildEnd {
    var status: Int32 = 0
    var usage = rusage()
    while unsafe wait4(process, &status, 0, &usage) < 0 && errno == EINTR {}
    #if canImport(Darwin)
      return ChildEnd(status: status, peakByteCount: Int(usage.ru_maxrss))
    #else
      return ChildEnd(status: status, peakByteCount: Int(usage.ru_maxrss) << 10)
    #endif
  }

  /// Ends a child at once.
  static func kill(_ process: pid_t) { _ = signalProcess(process, SIGKILL) }

  /// A pipe of which a child gets what it is given, and no more.
  static func makePipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw SystemError(number: errno, path: nil, action: "run") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Closes a descriptor that this process has made.
  static func closePipe(_ end: Int32) { close(end) }

  private static func arrange(_ streams: ChildStreams, in actions: inout SpawnActions) {
    if streams.closesOthers {
      if streams.input == nil {
        unsafe posix_spawn_file_actions_addopen(&actions, standardInput, "/dev/null", O_RDONLY, 0)
      }
      unsafe posix_spawn_file_actions_addopen(&actions, standardError, "/dev/null", O_WRONLY, 0)
    }
    if streams.dropsOutput {
      unsafe posix_spawn_file_actions_addopen(&actions, standardOutput, "/dev/null", O_WRONLY, 0)
    }
    if let input = streams.input { unsafe posix_spawn_file_actions_adddup2(&actions, input, standardInput) }
    if let output = streams.output { unsafe posix_spawn_file_actions_adddup2(&actions, output, standardOutput) }
    if streams.joinsErrors { unsafe posix_spawn_file_actions_adddup2(&actions, standardOutput, standardError) }
    if let kept = streams.kept { unsafe keep(kept, in: &actions) }
  }

  /// Closes all other descriptors that the child would get.
  private static func keep(_ kept: [Int32], in actions: inout SpawnActions) {
    #if canImport(Darwin)
      // The flag POSIX_SPAWN_CLOEXEC_DEFAULT closes what nothing is said of.
      for descriptor in kept { unsafe posix_spawn_file_actions_addinherit_np(&actions, descriptor) }
    #else
      let open = names(in: "/proc/self/fd").compactMap { Int32($0) }
      // It is no error here to close what is not open.
      for descriptor in open.isEmpty ? Array(standardError + 1..<256) : open
      where descriptor > standardError && !kept.contains(descriptor) {
        unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
      }
      // Onto itself: it is no longer closed when the program starts.
      for descriptor in kept { unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor) }
    #endif
  }

  /// Gives a child back what this process has blocked and ignored.
  private static func giveSignalsBack(_ attributes: inout SpawnAttributes, _ streams: ChildStreams) {
    var none = sigset_t()
    unsafe sigemptyset(&none)
    var defaults = none
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
    if streams.isAlone { flags |= ownSession }
    #if canImport(Darwin)
      if streams.kept != nil { flags |= Int16(POSIX_SPAWN_CLOEXEC_DEFAULT) }
    #endif
    unsafe posix_spawnattr_setflags(&attributes, flags)
  }
}
