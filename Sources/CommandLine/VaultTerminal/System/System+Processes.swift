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

/// What has to be put right when a signal ends the process.
package struct Pending: Sendable {
  /// How the terminal was before echo was switched off; nil while it is on.
  var terminal: (descriptor: Int32, settings: termios)?
  /// What takes the whole screen of that terminal, and what gives it back; nil while nothing has it.
  var screen: (start: [UInt8], end: [UInt8])?
  /// Whether it was not stopped from outside: it knows by itself what to do when it goes on.
  var stopsByItself = false
  var hasHiddenTyping = false
  /// The terminal at which a prompt stands without its answer; nil for none.
  var asksAt: Int32?
  /// A text that somebody edits.
  package var editedText: EditedText?
  /// While an editor or a pager runs, Ctrl-C is its business.
  var leavesInterruptsToChild = false
  /// Whether Ctrl-C was pressed meanwhile.
  var hasInterruptedChild = false
  /// The program that this process waits for, which gets what others send to this process.
  package var program: pid_t?
  /// Files in memory of that program.
  package var folder: String?

  package static let shared = Shared()

  /// A class, for the optimiser leaves what a static mutex of so large a struct holds undefined (Tests/Toolchain).
  package final class Shared: Sendable {
    private let pending = Mutex(Pending())

    package func withLock<Result: Sendable, Failure: Error>(
      _ body: (inout Pending) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try pending.withLock { pending throws(Failure) in try body(&pending) }
    }
  }
}

extension System {
  /// To be called before anything is opened: signals, and descriptors that a caller has closed.
  package static func prepareProcess() {
    signal(SIGPIPE, SIG_IGN)
    occupyStandardDescriptors()
    var signals = awaitedSignals()
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// A closed descriptor would be given to the next file that is opened, and output would go into that file.
  private static func occupyStandardDescriptors() {
    for descriptor in [standardInput, standardOutput, standardError] where fcntl(descriptor, F_GETFD) < 0 {
      // The wrong direction on purpose: reading and writing there fails, as it does on a closed descriptor.
      _ = unsafe open("/dev/null", descriptor == standardInput ? O_WRONLY : O_RDONLY)
    }
  }

  /// What ends the process from outside. A signal that the caller ignores, as `nohup` does, stays ignored.
  private static let handledSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].filter { !isIgnored($0) }

  package static func isIgnored(_ number: Int32) -> Bool {
    let before = signal(number, SIG_IGN)
    _ = signal(number, before)
    // Functions cannot be compared; their addresses can.
    return unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func awaitedSignals() -> sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in handledSignals { unsafe sigaddset(&signals, number) }
    unsafe sigaddset(&signals, SIGCONT)
    return signals
  }

  /// Ends the process on SIGTERM, SIGHUP and SIGQUIT, with 128 and the signal's number as its exit code, and on SIGINT
  /// by that signal: a shell ends its loop only if the program died of it.
  ///
  /// A write that is under way is undone or completed first. One that hangs is cut off as by a power failure, which the
  /// store is made for.
  ///
  /// - Parameter leavingWithReader: whether the process also ends when nobody reads its standard output any more.
  package static func waitForTermination(leavingWithReader: Bool = false) -> Never {
    while true {
      guard let (number, isSent) = nextSignal(leavingWithReader) else { continue }
      Pending.shared.withLock { pending in
        if let program = pending.program {
          // The program has from the terminal what the terminal sends.
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

  /// Runs an editor or a pager, whose business Ctrl-C is meanwhile.
  ///
  /// If Ctrl-C has ended the program, this process ends in the same way.
  ///
  /// - Parameter run: gives the exit code of the program, or 128 and the number of the signal that ended it.
  package static func leavingInterrupts(to run: () throws -> Int32) rethrows -> Int32 {
    Pending.shared.withLock { ($0.leavesInterruptsToChild, $0.hasInterruptedChild) = (true, false) }
    defer { Pending.shared.withLock { $0.leavesInterruptsToChild = false } }
    let status = try run()
    guard status != 0, Invocation.current == nil, !isIgnored(SIGINT) else { return status }
    Pending.shared.withLock { pending in
      if pending.hasInterruptedChild || status == 128 + SIGINT { pending.end(by: SIGINT) }
    }
    return status
  }

  /// Ends this process by a signal, as if nothing had handled it.
  package static func die(of number: Int32) -> Never {
    _ = signal(number, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    // To this thread: another one may await what is sent to the process.
    raise(number)
    // The first process of a container is not ended by a signal.
    _exit(128 + number)
  }

  /// The next signal, and whether a process sent it; the terminal sends to the whole group.
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

  /// Whether nobody can read what is written to a descriptor.
  private static func isLeftAlone(_ descriptor: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: 0, revents: 0)
    return unsafe poll(&polled, 1, 0) > 0
  }

  /// Waits until a descriptor has something to read, or its end.
  ///
  /// - Parameter seconds: for how long; nil for ever. Time in which this process is stopped does not count.
  /// - Returns: whether there is.
  package static func waitToRead(_ descriptor: Int32, seconds: Int?) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard var rest = seconds else { return true }
    while rest > 0 {
      if unsafe poll(&polled, 1, 1000) > 0 { return true }
      rest -= 1
    }
    return false
  }
}

extension Pending {
  fileprivate mutating func end(by number: Int32) -> Never {
    Vault.stopWriting(within: .seconds(5))
    putRight()
    if number == SIGINT { System.die(of: SIGINT) }
    _exit(128 + number)
  }

  private mutating func putRight() {
    // Whatever comes next begins on a line of its own.
    if let folder { System.removeDirectory(folder) }
    if let asksAt { try? System.writeAll([UInt8(ascii: "\n")], to: asksAt) }
    showTyping(droppingTyped: true)
    guard let kept = editedText?.keptOrDiscarded() else { return }
    try? System.writeAll(Array("note: \(kept)\n".utf8), to: System.standardError)
  }
}

extension System {
  /// Runs a command line of the shell and waits for it.
  ///
  /// - Returns: its exit code, or 128 and the number of the signal that ended it.
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

  /// Runs a command line of the shell and gives the writing end of its standard input to `body`.
  ///
  /// - Parameter variables: `NAME=VALUE`, its whole environment.
  /// - Returns: its exit code as ``runShell(_:arguments:variables:streams:whileRunning:)``.
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
      // A command that ends is noticed, and sees the end of what it reads before it is waited for.
      defer { closeEnd(1) }
      closeEnd(0)
      try body(ends[1])
    }
  }

  /// Runs a command line of the shell and gives the reading end of its standard output to `body`.
  ///
  /// - Parameter variables: `NAME=VALUE`, its whole environment; nil for the one of this process.
  /// - Returns: its exit code as ``runShell(_:arguments:variables:streams:whileRunning:)``.
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
      // Closed before the wait, so that a command which writes more than is read ends too.
      defer { closeEnd(0) }
      closeEnd(1)
      try body(ends[0])
    }
  }
}
