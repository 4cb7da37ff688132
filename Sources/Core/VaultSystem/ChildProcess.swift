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

/// POSIX_SPAWN_SETSID, which the headers of glibc and musl show only to C programs.
#if canImport(Darwin)
  private let ownSession = Int16(POSIX_SPAWN_SETSID)
#else
  private let ownSession: Int16 = 0x80
#endif

// Within `ChildProcess`, `kill` is its own function.
private func signalProcess(_ process: pid_t, _ number: Int32) -> Int32 { kill(process, number) }

/// The descriptors and the session that a child gets.
package struct ChildStreams {
  /// Its standard input; nil means that of this process.
  package var input: Int32?
  /// Its standard output; nil means that of this process.
  package var output: Int32?
  /// Its standard error; nil means that of this process.
  package var errors: Int32?
  /// Whether the child gets only ``input`` and its standard error is dropped.
  package var closesOthers = false
  package var dropsOutput = false
  /// More descriptors for the child, under the same numbers. Nil means all that do not close on exec, which is for a
  /// program that a person asks to run.
  package var kept: [Int32]?
  /// Whether the child runs in a new session, without a terminal.
  package var isAlone = false

  package init(
    input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil, closesOthers: Bool = false,
    dropsOutput: Bool = false, kept: [Int32]? = [], isAlone: Bool = false
  ) {
    (self.input, self.output, self.errors, self.kept) = (input, output, errors, kept)
    (self.closesOthers, self.dropsOutput, self.isAlone) = (closesOthers, dropsOutput, isAlone)
  }

  fileprivate func completed() -> ChildStreams {
    guard let run = Invocation.current else { return self }
    var streams = self
    if !closesOthers { (streams.input, streams.errors) = (input ?? run.input, errors ?? run.errors) }
    if !dropsOutput { streams.output = output ?? run.output }
    return streams
  }
}

/// How a child ended.
package struct ChildEnd: Sendable {
  /// The status that wait(2) gives.
  package let status: Int32
  /// The peak memory of the child in bytes.
  package let peakByteCount: Int

  /// The signal that ended it; nil if it exited.
  package var signal: Int32? { status & 0x7F == 0 ? nil : status & 0x7F }
  package var exitCode: Int32 { (status >> 8) & 0xFF }
  /// The exit code, or 128 plus the number of the signal, as shells report it.
  package var shellStatus: Int32 { signal.map { 128 + $0 } ?? exitCode }
  package var isOutOfTime: Bool { signal == SIGXCPU }
  /// Whether the child crashed, for example because it ran out of memory.
  package var isCrash: Bool { [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV].contains(signal) }

  package init(status: Int32, peakByteCount: Int) { (self.status, self.peakByteCount) = (status, peakByteCount) }
}

/// Programs that this process starts and waits for.
package enum ChildProcess {
  private static let (standardInput, standardOutput, standardError): (Int32, Int32, Int32) = (0, 1, 2)

  /// Starts a program and returns its process number. The caller must collect it with ``end(of:)``.
  ///
  /// - Parameters:
  ///   - program: a path, or a name to find in the PATH.
  ///   - words: its arguments, beginning with its own name.
  ///   - variables: its whole environment as `NAME=VALUE`; nil means that of this process.
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

  /// Starts the program at a path, without a search in the PATH. Returns an error number, or 0.
  package static func start(
    file: UnsafePointer<CChar>, _ words: [UnsafeMutablePointer<CChar>?], environment: [UnsafeMutablePointer<CChar>?],
    streams: ChildStreams, process: inout Int32
  ) -> Int32 {
    unsafe withSettings(of: streams) { actions, attributes in
      unsafe posix_spawn(&process, file, &actions, &attributes, words, environment)
    }
  }

  /// Lends the spawn actions and attributes for these streams.
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

  /// Waits until a child ends, and collects its status. After that its number may belong to another process.
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

  package static func kill(_ process: Int32) { _ = signalProcess(process, SIGKILL) }

  /// Kills a child that runs alone, and all processes of its group. Call it before the child is collected.
  package static func killGroup(_ process: Int32) { _ = signalProcess(-process, SIGKILL) }

  package static func terminate(_ process: Int32) { _ = signalProcess(process, SIGTERM) }

  /// Waits until a child ends but does not collect its status, so that its number is not given to another process.
  package static func awaitEnd(of process: Int32) {
    var information = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
  }

  /// Whether a child has ended. It is not collected.
  package static func hasEnded(_ process: Int32) -> Bool {
    var information = unsafe siginfo_t()
    // The call gives 0 also if the child still runs, and then fills in no signal.
    let result = unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG)
    return unsafe result != 0 || information.si_signo != 0
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

  /// Closes all other descriptors that the child would inherit.
  private static func keep(_ kept: [Int32], in actions: inout SpawnActions) {
    #if canImport(Darwin)
      // POSIX_SPAWN_CLOEXEC_DEFAULT closes every descriptor that has no action.
      for descriptor in kept { unsafe posix_spawn_file_actions_addinherit_np(&actions, descriptor) }
    #else
      let open = openDescriptors()
      // Closing an unused descriptor is fine.
      for descriptor in open.isEmpty ? Array(standardError + 1..<256) : open
      where descriptor > standardError && !kept.contains(descriptor) {
        unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
      }
      // Duplicating a descriptor onto itself clears its close-on-exec flag.
      for descriptor in kept { unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor) }
    #endif
  }

  /// The open descriptors of this process, including the one that lists them; empty if the system does not list them.
  private static func openDescriptors() -> [Int32] {
    let folder = unsafe open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return [] }
    defer { close(folder) }
    return ((try? LiveFileOperations().entries(of: folder)) ?? []).compactMap { Int32($0.name) }
  }

  /// Gives the child the default signal mask and handlers, because this process changed its own. It also sets all
  /// flags of the attributes, those for the session and for descriptors among them.
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
