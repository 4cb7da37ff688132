#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The results of a process.
package struct ProcessOutcome: Sendable {
  package var stdout: [UInt8] = []
  package var stderr: [UInt8] = []
  /// The content of its terminal.
  package var screen: [UInt8] = []
  /// The exit code; minus the signal's number when it did not exit.
  package var code: Int32 = -1
  /// Whether it had to be killed because it did not end.
  package var hung = false

  package var output: String { String(decoding: stdout, as: UTF8.self) }
  package var errors: String { String(decoding: stderr, as: UTF8.self) }
  package var shown: String { String(decoding: screen, as: UTF8.self) }
  /// The lines of stderr.
  package var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
}

extension ProcessOutcome: CustomDebugStringConvertible, CustomReflectable {
  /// For failing expectations: the beginning of its output, and not each byte as a value.
  package var debugDescription: String {
    "exit \(code)\(hung ? ", killed: it did not end" : "")\n"
      + [output, errors, shown].map { String($0.prefix(4_000)) }.joined(separator: "\n")
  }

  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Does the work of a process within this one, with the descriptors in place of 0, 1 and 2, and gives its exit code.
package typealias StandIn = @Sendable (_ streams: [Int32]) async -> Int32

/// A process to run in a session of its own: it sees a terminal only when it is given one.
package struct ProcessRun {
  package var path: String
  package var arguments: [String] = []
  package var environment: [String: String] = [:]
  package var directory: String?
  /// Given on standard input, which then ends.
  package var input: [UInt8] = []
  /// Gives it a terminal, and types each reply once the screen has shown its prompt.
  package var terminal: [(prompt: String, reply: String)]?
  /// The text to type for a reply of "\0", computed from the screen.
  package var reply: (@Sendable (_ shown: String) -> String)?
  /// How large the terminal's screen is; 0 is what nobody knows.
  package var screen: (columns: UInt16, rows: UInt16) = (0, 0)
  /// Whether its output goes to the terminal too.
  package var outputOnTerminal = false
  /// Whether its notes do.
  package var errorsOnTerminal = false
  /// Sent once the screen or stderr shows the text.
  package var signal: (after: String, number: Int32)?
  package var timeoutSeconds = 60
  /// Does the work of the process within this one; nil starts the process.
  package var standIn: StandIn?

  package init(
    path: String, arguments: [String] = [], environment: [String: String] = [:], directory: String? = nil,
    input: [UInt8] = []
  ) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.input = input
  }

  package func run() -> ProcessOutcome {
    var session = ProcessSession(self)
    return session.run()
  }
}

/// One run, with its pipes.
private struct ProcessSession {
  private let plan: ProcessRun
  private var outcome = ProcessOutcome()
  private var input = Pipe()
  private var output = Pipe()
  private var errors = Pipe()
  private var master: Int32 = -1
  private var slavePath = ""
  private var process: pid_t = 0
  private var written = 0
  private var answers: [(prompt: String, reply: String)]
  private var seenCount = 0
  private var signal: (after: String, number: Int32)?

  init(_ plan: ProcessRun) {
    self.plan = plan
    answers = plan.terminal ?? []
    signal = plan.signal
  }

  private mutating func openTerminal() -> Bool {
    var slave: Int32 = -1
    var size = winsize(ws_row: plan.screen.rows, ws_col: plan.screen.columns, ws_xpixel: 0, ws_ypixel: 0)
    guard unsafe openpty(&master, &slave, nil, nil, &size) == 0 else { return false }
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    // Tests run beside each other: `ttyname` would give all of them one buffer.
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe ttyname_r(slave, &name, name.count) == 0 else { return false }
    slavePath = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    closeDescriptor(slave)
    return true
  }

  mutating func run() -> ProcessOutcome {
    // A run that is not possible fails only its own test.
    if let standIn = plan.standIn { return run(by: standIn) }
    if plan.terminal != nil, !openTerminal() { return failed("there is no terminal for it") }
    let problem = start()
    guard problem == 0 else { return failed(unsafe String(cString: strerror(problem))) }
    input.close(\.reading)
    output.close(\.writing)
    errors.close(\.writing)
    exchange()
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
    outcome.code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    if master >= 0 { close(master) }
    return outcome
  }

  /// The same within this process.
  private mutating func run(by standIn: @escaping StandIn) -> ProcessOutcome {
    signalDisposition(SIGPIPE, SIG_IGN)
    let streams = [input.reading, output.writing, errors.writing]
    (input.reading, output.writing, errors.writing) = (-1, -1, -1)
    let code = OwnThread.begin {
      let code = await standIn(streams)
      streams.forEach(closeDescriptor)
      return code
    }
    exchange()
    precondition(!outcome.hung, "hangs: \(plan.arguments)")
    outcome.code = code()
    return outcome
  }

  private mutating func failed(_ reason: String) -> ProcessOutcome {
    closePipes()
    if master >= 0 { close(master) }
    outcome.stderr = Array("\(plan.path) does not start: \(reason)\n".utf8)
    return outcome
  }

  private mutating func closePipes() {
    for end in [\Pipe.reading, \Pipe.writing] {
      input.close(end)
      output.close(end)
      errors.close(end)
    }
  }

  /// Gives the error number of a program that cannot be run, else 0.
  private mutating func start() -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    if plan.terminal != nil {
      // The first terminal that the leader of a new session opens becomes its controlling terminal.
      unsafe posix_spawn_file_actions_addopen(&actions, 0, slavePath, O_RDWR, 0)
      if plan.outputOnTerminal { unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1) }
      if plan.errorsOnTerminal { unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2) }
    }
    if plan.terminal == nil || !plan.input.isEmpty {
      unsafe posix_spawn_file_actions_adddup2(&actions, input.reading, 0)
    }
    if !plan.outputOnTerminal { unsafe posix_spawn_file_actions_adddup2(&actions, output.writing, 1) }
    if !plan.errorsOnTerminal { unsafe posix_spawn_file_actions_adddup2(&actions, errors.writing, 2) }
    #if os(Linux)
      // Tests run beside each other, so a pipe of another test would stay open in this process. Closing an unused
      // descriptor is fine.
      for descriptor in Int32(3)..<256 { unsafe posix_spawn_file_actions_addclose(&actions, descriptor) }
    #endif
    setSignals(of: &attributes)
    // `env` changes to the directory and then becomes the program.
    let inDirectory = plan.directory.map { ["/usr/bin/env", "-C", $0] } ?? []
    let command = inDirectory + [plan.path] + plan.arguments
    var words = unsafe command.map { unsafe strdup($0) } + [nil]
    var variables = unsafe plan.environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    return unsafe posix_spawn(&process, command[0], &actions, &attributes, &words, &variables)
  }

  private func setSignals(of attributes: inout posix_spawnattr_t) {
    // A process that does not read its input must not end the tests; it itself gets the signal back.
    signalDisposition(SIGPIPE, SIG_IGN)
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    // A script that runs the tests in the background, and `nohup`, ignore signals; a child would ignore them, too.
    for number in [SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE] { unsafe sigaddset(&defaults, number) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    // Threads of the tests block every signal; a shell that never hears of its children would wait for ever.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    let newSession: Int16 = 0x80  // POSIX_SPAWN_SETSID, which glibc hides
    unsafe posix_spawnattr_setflags(
      &attributes, newSession | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
  }

  /// Reads all its output while it runs, writes its input, and answers its questions.
  private mutating func exchange() {
    let end = time(nil) + plan.timeoutSeconds
    if plan.input.isEmpty { input.close(\.writing) }
    while output.reading >= 0 || errors.reading >= 0 || plan.outputOnTerminal && plan.errorsOnTerminal && !hasEnded {
      guard time(nil) < end else {
        outcome.hung = true
        if process > 0 { kill(process, SIGKILL) }
        break
      }
      step()
      react()
    }
    // One reading gives 4 KiB at most, of whatever is left.
    while master >= 0, Self.take(from: master, into: &outcome.screen, isTerminal: true) {}
    closePipes()
  }

  /// Whether the process has ended, which no pipe tells where both of its streams are the terminal.
  private var hasEnded: Bool {
    var state = unsafe siginfo_t()
    let result = unsafe waitid(P_PID, id_t(process), &state, WEXITED | WNOHANG | WNOWAIT)
    return unsafe result != 0 || state.si_signo == SIGCHLD
  }

  private mutating func step() {
    var polled = [
      pollfd(fd: output.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input.writing, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: master, events: Int16(POLLIN), revents: 0),
    ]
    unsafe poll(&polled, nfds_t(polled.count), 50)
    if polled[0].revents != 0, !Self.take(from: output.reading, into: &outcome.stdout) { output.close(\.reading) }
    if polled[1].revents != 0, !Self.take(from: errors.reading, into: &outcome.stderr) { errors.close(\.reading) }
    if polled[2].revents != 0 { writeInput() }
    if polled[3].revents & Int16(POLLIN) != 0 { _ = Self.take(from: master, into: &outcome.screen, isTerminal: true) }
  }

  private mutating func writeInput() {
    // A pipe that is ready takes at least this much without blocking.
    let piece = Array(plan.input[written...].prefix(4096))
    let count = unsafe write(input.writing, piece, piece.count)
    if count > 0 { written += count }
    if count < 0 || written == plan.input.count { input.close(\.writing) }
  }

  private mutating func react() {
    if let next = answers.first, String(decoding: outcome.screen[seenCount...], as: UTF8.self).contains(next.prompt) {
      seenCount = outcome.screen.count
      answers.removeFirst()
      let bytes = Array((next.reply == "\0" ? plan.reply?(outcome.shown) ?? "" : next.reply).utf8)
      unsafe precondition(write(master, bytes, bytes.count) == bytes.count)
    }
    if let wanted = signal, outcome.shown.contains(wanted.after) || outcome.errors.contains(wanted.after) {
      signal = nil
      kill(process, wanted.number)
    }
  }

  /// Whether there may be more.
  private static func take(from descriptor: Int32, into bytes: inout [UInt8], isTerminal: Bool = false) -> Bool {
    if isTerminal {
      var polled = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
      guard unsafe poll(&polled, 1, 0) > 0, polled[0].revents & Int16(POLLIN) != 0 else { return false }
    }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe read(descriptor, &chunk, chunk.count)
    guard count > 0 else { return false }
    bytes += chunk[..<count]
    return true
  }
}

/// Two ends, -1 once they are closed.
private struct Pipe {
  var reading: Int32
  var writing: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    unsafe precondition(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  mutating func close(_ end: WritableKeyPath<Pipe, Int32>) {
    if self[keyPath: end] >= 0 { closeDescriptor(self[keyPath: end]) }
    self[keyPath: end] = -1
  }
}

private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

private func signalDisposition(_ number: Int32, _ disposition: @escaping @convention(c) (Int32) -> Void) {
  signal(number, disposition)
}
