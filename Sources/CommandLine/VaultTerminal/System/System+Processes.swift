import Synchronization
import VaultKit
package import VaultSystem

#if canImport(Darwin)
  package import Darwin
#elseif canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#endif

/// State that a signal must restore before the process ends.
package struct ExitCleanup: Sendable {
  /// The terminal settings before echo was switched off; nil while echo is on.
  package var terminal: (descriptor: Int32, settings: termios)?
  /// The sequence that gives the whole screen back, and what takes it again; nil if the screen is not taken.
  package var screen: (end: [UInt8], takeAgain: @Sendable (_ terminal: Int32, termios) -> Void)?
  /// Whether the process stopped itself, and so knows what to do when it continues.
  package var stopsByItself = false
  var hasHiddenTyping = false
  /// The terminal with a prompt that waits for its answer; nil for none.
  var asksAt: Int32?
  package var editedText: EditedText?
  /// While an editor or a pager runs, Ctrl-C belongs to it.
  var leavesInterruptsToChild = false
  var hasInterruptedChild = false
  /// The program that this process waits for. It receives the signals that are sent to this process.
  package var program: pid_t?
  /// The age plugins that run now. They have no terminal, so its signals do not reach them.
  var plugins: [pid_t] = []
  /// The folder of that program's files in memory.
  package var folder: String?

  package static let shared = Shared()

  /// A class, because the optimiser leaves the value of a static mutex of such a large struct undefined
  /// (Tests/Toolchain).
  package final class Shared: Sendable {
    private let pending = Mutex(ExitCleanup())

    package func withLock<Result: Sendable, Failure: Error>(
      _ body: (inout ExitCleanup) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try pending.withLock { pending throws(Failure) in try body(&pending) }
    }
  }
}

extension System {
  /// Does the work of the program on the calling thread while another thread waits for signals. Then ends the process.
  ///
  /// Call it after `prepareProcess()`, before there are other threads.
  package static func run(leavingWithReader: Bool, _ work: @escaping @Sendable () async -> ExitStatus) -> Never {
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let failure =
      leavingWithReader
      ? unsafe pthread_create(&thread, nil, { _ in System.waitForTermination(leavingWithReader: true) }, nil)
      : unsafe pthread_create(&thread, nil, { _ in System.waitForTermination(leavingWithReader: false) }, nil)
    if failure != 0 {
      // Signals then end the process at once.
      var signals = awaitedSignals()
      unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
    workingAlone { exit(await work()) }
  }

  /// Blocks signals, and occupies descriptors that the caller has closed. Call it before anything is opened.
  package static func prepareProcess() {
    signal(SIGPIPE, SIG_IGN)
    occupyStandardDescriptors()
    var signals = awaitedSignals()
    // A write beyond the size limit of files then fails, and does not end the process.
    unsafe sigaddset(&signals, SIGXFSZ)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Occupies closed descriptors. Otherwise the next opened file would get one, and output would go into that file.
  private static func occupyStandardDescriptors() {
    for descriptor in [standardInput, standardOutput, standardError] where fcntl(descriptor, F_GETFD) < 0 {
      // The wrong direction is intended: reading and writing fail, as on a closed descriptor.
      _ = unsafe open("/dev/null", descriptor == standardInput ? O_WRONLY : O_RDONLY)
    }
  }

  /// The signals that end the process. A signal that the caller ignores, as `nohup` does, stays ignored.
  private static let handledSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].filter { !isIgnored($0) }

  package static func isIgnored(_ number: Int32) -> Bool {
    let before = signal(number, SIG_IGN)
    _ = signal(number, before)
    // Functions cannot be compared, but their addresses can.
    return unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func awaitedSignals() -> sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in handledSignals { unsafe sigaddset(&signals, number) }
    unsafe sigaddset(&signals, SIGCONT)
    return signals
  }

  /// Ends the process by signals. SIGTERM, SIGHUP and SIGQUIT give 128 and the signal's number as the exit code. SIGINT
  /// kills the process, because a shell ends its loop only then.
  ///
  /// A running write is undone or completed first. A write that hangs is cut off as by a power failure, which the store
  /// survives.
  ///
  /// - Parameter leavingWithReader: whether the process also ends when nobody reads its standard output any more.
  private static func waitForTermination(leavingWithReader: Bool) -> Never {
    while true {
      guard let (number, isSent) = nextSignal(leavingWithReader) else { continue }
      ExitCleanup.shared.withLock { pending in
        if let program = pending.program {
          // The terminal sends its own signals to the program as well.
          if isSent || number != SIGINT && number != SIGQUIT { _ = kill(program, number) }
          return
        }
        if number == SIGCONT { return pending.hideAgain() }
        if number == SIGINT || number == SIGQUIT, pending.leavesInterruptsToChild {
          if number == SIGINT { pending.hasInterruptedChild = true }
          return
        }
        pending.end(by: number)
      }
    }
  }

  /// Runs an editor or a pager, which handles Ctrl-C meanwhile.
  ///
  /// If Ctrl-C has ended the program, this process ends in the same way.
  ///
  /// - Parameter run: returns the exit code of the program, or 128 and the number of the signal that ended it.
  package static func leavingInterrupts(to run: () throws -> Int32) rethrows -> Int32 {
    ExitCleanup.shared.withLock { ($0.leavesInterruptsToChild, $0.hasInterruptedChild) = (true, false) }
    defer { ExitCleanup.shared.withLock { $0.leavesInterruptsToChild = false } }
    let status = try run()
    guard status != 0, Invocation.current == nil, !isIgnored(SIGINT) else { return status }
    ExitCleanup.shared.withLock { pending in
      if pending.hasInterruptedChild || status == 128 + SIGINT { pending.end(by: SIGINT) }
    }
    return status
  }

  /// Ends this process by a signal with the default handling.
  package static func die(of number: Int32) -> Never {
    _ = signal(number, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    // The signal goes to this thread, because another thread may wait for signals to the process.
    raise(number)
    // The first process of a container is not ended by a signal.
    _exit(128 + number)
  }

  /// The next signal, and whether a process sent it. A terminal sends to the whole group.
  private static func nextSignal(_ leavesWithReader: Bool) -> (number: Int32, isSent: Bool)? {
    var signals = awaitedSignals()
    #if canImport(Darwin)
      var number: Int32 = 0
      return unsafe sigwait(&signals, &number) == 0 ? (number, number != SIGINT && number != SIGQUIT) : nil
    #else
      var (info, second) = unsafe (siginfo_t(), timespec(tv_sec: 1, tv_nsec: 0))
      let number =
        leavesWithReader ? unsafe sigtimedwait(&signals, &info, &second) : unsafe sigwaitinfo(&signals, &info)
      if number < 0, leavesWithReader, isLeftAlone(standardOutput) { exit(.done) }
      return unsafe number < 0 ? nil : (number, info.si_code <= 0)
    #endif
  }

  /// Whether nobody can read the output of a descriptor.
  private static func isLeftAlone(_ descriptor: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: 0, revents: 0)
    return unsafe poll(&polled, 1, 0) > 0
  }
}

extension ExitCleanup {
  /// Runs under the lock of `shared`, which is never released again.
  fileprivate mutating func end(by number: Int32) -> Never {
    Vault.stopWriting(within: .seconds(5))
    putRight()
    if number == SIGINT { System.die(of: SIGINT) }
    _exit(128 + number)
  }

  /// Undoes the changes that would outlive the process. It must not use `shared`, because its caller holds the lock.
  private mutating func putRight() {
    for plugin in plugins { ChildProcess.killGroup(plugin) }
    // The next output begins on a line of its own.
    if let folder { System.removeDirectory(folder) }
    if let asksAt { try? System.writeAll([UInt8(ascii: "\n")], to: asksAt) }
    showTyping(droppingTyped: true)
    guard let kept = editedText?.keptOrDiscarded() else { return }
    try? System.writeAll(Array("note: \(kept)\n".utf8), to: System.standardError)
  }
}

extension System {
  /// Runs a shell command line and waits for it, even if `whileRunning` throws. Returns its exit code, or 128 and the
  /// number of the signal that ended it.
  package static func runShell(
    _ script: String, arguments: [String] = [], variables: [String]? = nil, streams: ChildStreams = ChildStreams(),
    whileRunning: () throws -> Void = {}
  ) throws -> Int32 {
    showTyping()
    let process = try spawn(
      "/bin/sh", ["sh", "-c", script, "sh"] + arguments, variables: variables, streams: streams)
    let outcome = Result { try whileRunning() }
    let end = ChildProcess.end(of: process)
    try outcome.get()
    return end.shellStatus
  }

  /// Runs a shell command line, and passes the writing end of its standard input to `body`.
  ///
  /// Returns the exit code as ``runShell(_:arguments:variables:streams:whileRunning:)``.
  ///
  /// - Parameter variables: the whole environment, as `NAME=VALUE`.
  static func writeShell(
    _ script: String, variables: [String], _ body: (Int32) throws -> Void
  ) throws -> Int32 {
    let pipe = try makePipe()
    var ends = [pipe.reading, pipe.writing]
    func closeEnd(_ index: Int) {
      if ends[index] >= 0 { close(ends[index]) }
      ends[index] = -1
    }
    defer { for index in ends.indices { closeEnd(index) } }
    return try runShell(script, variables: variables, streams: ChildStreams(input: ends[0])) {
      // Writing to a command that has ended fails. The command sees the end of its input before the wait.
      defer { closeEnd(1) }
      closeEnd(0)
      try body(ends[1])
    }
  }

  /// Runs a shell command line, and passes the reading end of its standard output to `body`.
  ///
  /// Returns the exit code as ``runShell(_:arguments:variables:streams:whileRunning:)``.
  ///
  /// - Parameter variables: the whole environment, as `NAME=VALUE`; nil for that of this process.
  package static func readShell(
    _ script: String, variables: [String]? = nil, _ body: (Int32) throws -> Void
  ) throws -> Int32 {
    let pipe = try makePipe()
    var ends = [pipe.reading, pipe.writing]
    func closeEnd(_ index: Int) {
      if ends[index] >= 0 { close(ends[index]) }
      ends[index] = -1
    }
    defer { closeEnd(1) }
    return try runShell(script, variables: variables, streams: ChildStreams(output: ends[1])) {
      // Closed before the wait, so that a command that writes more than is read ends too.
      defer { closeEnd(0) }
      closeEnd(1)
      try body(ends[0])
    }
  }
}
