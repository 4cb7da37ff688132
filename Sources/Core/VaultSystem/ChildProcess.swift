#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
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

// Within `ChildProcess` the name is that of its own.
private func signalProcess(_ process: pid_t, _ number: Int32) -> Int32 { kill(process, number) }

/// What the standard streams of a child become.
package struct ChildStreams {
  /// Its standard input; nil is that of this process.
  package var input: Int32?
  /// Its standard output; nil is that of this process.
  package var output: Int32?
  /// Its standard error; nil is that of this process.
  package var errors: Int32?
  /// Whether it reads nothing but ``input``, and what it says on stderr is dropped.
  package var closesOthers = false
  /// Whether what it writes is dropped.
  package var dropsOutput = false
  /// The descriptors that it gets beside these, under the same numbers; nil is all that do not close by themselves,
  /// which is for the program that a person asks to run.
  package var kept: [Int32]?
  /// Whether it is in a session of its own, so that it has no terminal.
  package var isAlone = false

  package init(
    input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil, closesOthers: Bool = false,
    dropsOutput: Bool = false, kept: [Int32]? = [], isAlone: Bool = false
  ) {
    (self.input, self.output, self.errors, self.kept) = (input, output, errors, kept)
    (self.closesOthers, self.dropsOutput, self.isAlone) = (closesOthers, dropsOutput, isAlone)
  }

  /// With the streams of the run in place of those of the process.
  fileprivate func completed() -> ChildStreams {
    guard let run = Invocation.current else { return self }
    var streams = self
    if !closesOthers { (streams.input, streams.errors) = (input ?? run.input, errors ?? run.errors) }
    if !dropsOutput { streams.output = output ?? run.output }
    return streams
  }
}

/// How a child has ended.
package struct ChildEnd: Sendable {
  /// As wait(2) gives it.
  package let status: Int32
  /// The most memory that it had at once.
  package let peakByteCount: Int

  /// The signal that ended it; nil for none.
  package var signal: Int32? { status & 0x7F == 0 ? nil : status & 0x7F }
  package var exitCode: Int32 { (status >> 8) & 0xFF }
  /// Its exit code, or 128 and the number of the signal that ended it, as shells tell it.
  package var shellStatus: Int32 { signal.map { 128 + $0 } ?? exitCode }
  /// Whether it was ended since its time was over.
  package var isOutOfTime: Bool { signal == SIGXCPU }
  /// Whether it made a mistake, such as to take memory that there was not.
  package var isCrash: Bool { [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV].contains(signal) }

  package init(status: Int32, peakByteCount: Int) { (self.status, self.peakByteCount) = (status, peakByteCount) }
}

/// Programs that this process starts and waits for.
package enum ChildProcess {
  private static let (standardInput, standardOutput, standardError): (Int32, Int32, Int32) = (0, 1, 2)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: a path, or a name that is looked for in the PATH.
  ///   - words: its arguments, from its own name on.
  ///   - variables: `NAME=VALUE`, its whole environment; nil is that of this process.
  package static func start(
    _ program: String, _ words: [String], variables: [String]? = nil, streams: ChildStreams
  ) throws(Errno) -> Int32 {
    let run = Invocation.current
    let variables = variables ?? run?.variables
    guard let command = run == nil ? [program] + words : run?.command(program, words) else { throw .missing }
    let program = command[0]
    var words = unsafe command.dropFirst().map { unsafe strdup($0) } + [nil]
    var own = unsafe (variables ?? []).map { unsafe strdup($0) } + [nil]
    defer { unsafe (words + own).forEach { unsafe free($0) } }
    var process: pid_t = 0
    let result = unsafe withSettings(of: streams) { actions, attributes in
      if variables == nil {
        unsafe posix_spawnp(&process, program, &actions, &attributes, &words, environ)
      } else {
        unsafe posix_spawnp(&process, program, &actions, &attributes, &words, &own)
      }
    }
    guard result == 0 else { throw Errno(result) }
    return process
  }

  /// Starts a file as a program, which is no longer looked for.
  ///
  /// - Returns: the number of the error; 0 for none.
  package static func start(
    file: UnsafePointer<CChar>, _ words: [UnsafeMutablePointer<CChar>?], environment: [UnsafeMutablePointer<CChar>?],
    streams: ChildStreams, process: inout Int32
  ) -> Int32 {
    unsafe withSettings(of: streams) { actions, attributes in
      unsafe posix_spawn(&process, file, &actions, &attributes, words, environment)
    }
  }

  /// Lends what a child is started with.
  private static func withSettings(
    of streams: ChildStreams, _ body: (inout SpawnActions, inout SpawnAttributes) -> Int32
  ) -> Int32 {
    #if canImport(Darwin)
      var actions: SpawnActions
      var attributes: SpawnAttributes
    #else
      var actions = unsafe SpawnActions()
      var attributes = SpawnAttributes()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe arrange(streams.completed(), in: &actions)
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    giveSignalsBack(&attributes, streams)
    return unsafe body(&actions, &attributes)
  }

  /// Waits for a child to end.
  package static func end(of process: Int32) -> ChildEnd {
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
  package static func kill(_ process: Int32) { _ = signalProcess(process, SIGKILL) }

  /// Asks a child to end.
  package static func terminate(_ process: Int32) { _ = signalProcess(process, SIGTERM) }

  /// Waits for a child to end, and leaves its end to be asked for: its number is not given to another one meanwhile.
  package static func awaitEnd(of process: Int32) {
    var information = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
  }

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
    if let errors = streams.errors { unsafe posix_spawn_file_actions_adddup2(&actions, errors, standardError) }
    if let kept = streams.kept { unsafe keep(kept, in: &actions) }
  }

  /// Closes all other descriptors that the child would get.
  private static func keep(_ kept: [Int32], in actions: inout SpawnActions) {
    #if canImport(Darwin)
      // The flag POSIX_SPAWN_CLOEXEC_DEFAULT closes what nothing is said of.
      for descriptor in kept { unsafe posix_spawn_file_actions_addinherit_np(&actions, descriptor) }
    #else
      let open = openDescriptors()
      // It is no error here to close what is not open.
      for descriptor in open.isEmpty ? Array(standardError + 1..<256) : open
      where descriptor > standardError && !kept.contains(descriptor) {
        unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
      }
      // Onto itself: it is no longer closed when the program starts.
      for descriptor in kept { unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor) }
    #endif
  }

  /// The descriptors of this process, one that has read them among them; none where the system does not tell.
  private static func openDescriptors() -> [Int32] {
    let folder = unsafe open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return [] }
    defer { close(folder) }
    return ((try? LiveFileOperations().entries(of: folder)) ?? []).compactMap { Int32($0.name) }
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
