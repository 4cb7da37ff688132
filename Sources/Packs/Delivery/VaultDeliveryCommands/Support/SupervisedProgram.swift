import Synchronization
import VaultSystem
import VaultTerminal

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Within `System` the names are those of its own members.
private func signalProcess(_ process: pid_t, _ number: Int32) { _ = kill(process, number) }

/// Output of a program that runs beside this process, which is passed on.
struct Relay {
  /// The pipe that the program writes to and this process reads from.
  let pipe: (reading: Int32, writing: Int32)
  let target: Int32
  /// Transforms a piece; nil is the end.
  var filter: ([UInt8]?) -> [UInt8]
  fileprivate var isOpen = true

  init(to target: Int32, _ filter: @escaping ([UInt8]?) -> [UInt8]) throws(SystemError) {
    (pipe, self.target, self.filter) = (try System.makePipe(), target, filter)
  }

  fileprivate mutating func pass() throws(SystemError) {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = System.restarting { unsafe read(pipe.reading, &bytes, bytes.count) }
    if count < 0 && errno == EAGAIN { return }
    if count <= 0 { finish() }
    do throws(SystemError) {
      try System.writeAll(filter(count > 0 ? Array(bytes[..<count]) : nil), to: target, path: "the program's output")
    } catch {
      finish()
      if error.number != EPIPE { throw error }
    }
  }

  fileprivate mutating func finish() {
    if isOpen { close(pipe.reading) }
    isOpen = false
  }
}

/// A program that runs beside this process, with this process as its stand-in.
///
/// The program is in the same process group, so signals of the terminal reach both and are not passed on. A signal that
/// a process sends to this one is passed on once. If the program stops, this process stops; if it ends, this process
/// ends in the same way.
struct SupervisedProgram {
  private let process: pid_t
  private var relays: [Relay]
  private let wake: (reading: Int32, writing: Int32)

  /// The passed signals, beside those that end a process.
  private static let passedSignals = [SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP]

  /// - Parameter start: starts the program, after the signal handlers are ready.
  init(_ relays: [Relay], start: () throws(SystemError) -> pid_t) throws(SystemError) {
    self.relays = relays
    let wake = try System.makePipe()
    self.wake = wake
    for end in [wake.reading, wake.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    wakeDescriptor.store(wake.writing, ordering: .sequentiallyConsistent)
    signal(SIGCHLD, noteChild)
    for number in Self.passedSignals where !System.isIgnored(number) { unsafe System.handle(number, passOn) }
    System.showTyping()
    process = try ExitCleanup.shared.withLock { pending throws(SystemError) in
      let process = try start()
      pending.program = process
      supervised.store(process, ordering: .sequentiallyConsistent)
      return process
    }
    for relay in relays { close(relay.pipe.writing) }
  }

  /// Waits for the program to end, and for all its output.
  ///
  /// Returns how the program ended, and an error of writing its output.
  ///
  /// - Parameter ended: is called when the program has ended. Its children may still write.
  mutating func wait(ended: () -> Void) -> (end: ChildEnd, failure: SystemError?) {
    var (end, failure): (ChildEnd?, SystemError?)
    while true {
      if end == nil {
        end = Self.ended(process)
        if end != nil {
          ExitCleanup.shared.withLock { $0.program = nil }
          supervised.store(0, ordering: .sequentiallyConsistent)
          ended()
        }
      }
      if let end, !relays.contains(where: \.isOpen) { return (end, failure) }
      for index in readable() {
        do throws(SystemError) { try relays[index].pass() } catch { failure = failure ?? error }
      }
    }
  }

  /// Waits until there is input or a child has changed, and returns the relays with input.
  private func readable() -> [Int] {
    let open = relays.indices.filter { relays[$0].isOpen }
    var polled = open.map { pollfd(fd: relays[$0].pipe.reading, events: Int16(POLLIN), revents: 0) }
    polled.append(pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0))
    guard unsafe poll(&polled, nfds_t(polled.count), -1) > 0 else { return [] }
    var byte = [UInt8](repeating: 0, count: 64)
    if polled[open.count].revents != 0 { _ = unsafe read(wake.reading, &byte, byte.count) }
    return open.indices.filter { polled[$0].revents != 0 }.map { open[$0] }
  }

  /// How the program has ended; nil while it runs. As the first process of a container, this one adopts orphans.
  private static func ended(_ program: pid_t) -> ChildEnd? {
    var (status, usage): (Int32, rusage) = (0, rusage())
    while true {
      let process = unsafe wait4(-1, &status, WNOHANG | WUNTRACED, &usage)
      if process < 0 && errno == EINTR { continue }
      guard process > 0 else { return nil }
      guard process == program else { continue }
      guard status & 0xFF == 0x7F else { return ChildEnd(status: status, peakByteCount: 0) }
      // The program has stopped, so this process stops too. The shell continues both. The signal goes to this thread,
      // so it stops the process before the next line.
      raise(SIGSTOP)
      signalProcess(program, SIGCONT)
    }
  }
}

extension ChildEnd {
  /// Ends this process as the child has ended: with its exit code, or by its signal.
  func imitate() -> Never {
    guard let signal else { _exit(exitCode) }
    System.die(of: signal)
  }
}

/// The program that receives signals; 0 for none. A signal handler may use only atomic values.
private let supervised = Atomic<pid_t>(0)
/// The descriptor for the end of a child; -1 for none.
private let wakeDescriptor = Atomic<Int32>(-1)

private func noteChild(_ number: Int32) {
  let before = errno
  var byte: UInt8 = 0
  _ = unsafe write(wakeDescriptor.load(ordering: .sequentiallyConsistent), &byte, 1)
  errno = before
}

private func passOn(_ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _: UnsafeMutableRawPointer?) {
  let before = errno
  let program = supervised.load(ordering: .sequentiallyConsistent)
  // Positive codes come from the kernel, which signals the whole group of a terminal (sigaction(2), si_code).
  if program > 0, let info = unsafe info, unsafe info.pointee.si_code <= 0 { signalProcess(program, number) }
  errno = before
}

extension System {
  fileprivate static func handle(
    _ number: Int32,
    _ handler: @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void
  ) {
    var action = sigaction()
    #if canImport(Darwin)
      unsafe action.__sigaction_u.__sa_sigaction = handler
    #else
      unsafe action.__sigaction_handler.sa_sigaction = handler
    #endif
    action.sa_flags = SA_SIGINFO | SA_RESTART
    unsafe sigaction(number, &action, nil)
  }
}
