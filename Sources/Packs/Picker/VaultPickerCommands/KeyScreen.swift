import Synchronization
import VaultTerminal

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A terminal in full-screen mode that returns every key at once.
///
/// However the process ends or stops, its terminal is as before: `ExitCleanup` knows what has to be put back.
final class KeyScreen {
  enum Event {
    case bytes([UInt8])
    /// Nothing arrived during the time that a key sequence can take.
    case rest
    /// The size has changed, or another program had the terminal.
    case redraw
    case end
  }

  /// Switches to the alternate screen without line wrapping, with marks around pasted text.
  private static let start = Array("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J".utf8)
  /// Restores the screen. A terminal without an alternate screen is cleared.
  private static let end = Array("\u{1B}[0m\u{1B}[H\u{1B}[2J\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8)
  /// The longest gap between the bytes of one key, over a slow line.
  private static let restMilliseconds: Int32 = 100

  private static let maximumStopCount = 100

  private let descriptor: Int32
  private let wake: (reading: Int32, writing: Int32)
  private let isStoppable: Bool

  init(_ descriptor: Int32) throws(SystemError) {
    self.descriptor = descriptor
    wake = try System.makePipe()
    for end in [wake.reading, wake.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    isStoppable = !System.isIgnored(SIGTSTP)
    wakeDescriptor.store(wake.writing, ordering: .sequentiallyConsistent)
    try enter()
  }

  deinit { leave() }

  private func enter() throws(SystemError) {
    System.showTyping()
    signal(SIGWINCH, noteSignal)
    if isStoppable { signal(SIGTSTP, noteSignal) }
    let hasFailed = ExitCleanup.shared.withLock { [descriptor] pending in
      var settings = termios()
      let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
      guard own >= 0, unsafe tcgetattr(own, &settings) == 0 else { return true }
      pending.terminal = (own, settings)
      pending.screen = (
        Self.end,
        { terminal, settings in
          guard Self.readKeys(at: terminal, settings) else { return }
          noteSignal(SIGCONT)
        }
      )
      return !Self.readKeys(at: own, settings)
    }
    if hasFailed { throw SystemError(number: errno, path: "/dev/tty", action: "read") }
  }

  /// Switches the terminal to single keys, on a screen of its own.
  private static func readKeys(at terminal: Int32, _ settings: termios) -> Bool {
    var settings = settings
    settings.readKeys()
    return unsafe tcsetattr(terminal, TCSANOW, &settings) == 0 && (try? System.writeAll(start, to: terminal)) != nil
  }

  func leave() {
    signal(SIGWINCH, SIG_DFL)
    if isStoppable { signal(SIGTSTP, SIG_DFL) }
    System.showTyping()
    guard wakeDescriptor.exchange(-1, ordering: .sequentiallyConsistent) >= 0 else { return }
    close(wake.writing)
    close(wake.reading)
  }

  func show(_ bytes: [UInt8]) throws(SystemError) {
    try ExitCleanup.shared.withLock { [descriptor] pending throws(SystemError) in
      guard pending.screen != nil else { return }
      try System.writeAll(bytes, to: descriptor, path: "/dev/tty")
    }
  }

  /// The next event.
  ///
  /// - Parameter isUndecided: whether a pause without input is an event too.
  func next(isUndecided: Bool) throws(SystemError) -> Event {
    var polled = [
      pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let count = unsafe poll(&polled, nfds_t(polled.count), isUndecided ? Self.restMilliseconds : -1)
    if count == 0 { return .rest }
    if count < 0 || polled[0].revents != 0 {
      if signals().contains(UInt8(SIGTSTP)) { try stop() }
      return .redraw
    }
    guard let bytes = System.bytesAtOnce(from: descriptor), !bytes.isEmpty else { return .end }
    return .bytes(bytes)
  }

  private func signals() -> [UInt8] { System.bytesAtOnce(from: wake.reading) ?? [] }

  /// Stops like a program without a handler, and continues when it has the terminal again.
  private func stop() throws(SystemError) {
    System.showTyping()
    signal(SIGTSTP, SIG_DFL)
    ExitCleanup.shared.withLock { $0.stopsByItself = true }
    // A process that continues in the background stops again. The system does not stop a process that nobody could
    // continue.
    for _ in 0..<Self.maximumStopCount {
      Self.stopHere()
      if System.isInForeground(descriptor) { return try enter() }
    }
    throw SystemError(number: EIO, path: "/dev/tty", action: "read")
  }

  /// Stops the process before the next line. Only a signal to this thread does that, and pool threads block signals.
  private static func stopHere() {
    var (stop, before) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&stop)
    unsafe sigaddset(&stop, SIGTSTP)
    unsafe pthread_sigmask(SIG_UNBLOCK, &stop, &before)
    raise(SIGTSTP)
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}

/// The descriptor for signals; -1 for none. A signal handler may use only atomic values.
private let wakeDescriptor = Atomic<Int32>(-1)

private func noteSignal(_ number: Int32) {
  let before = errno
  var byte = UInt8(number)
  _ = unsafe write(wakeDescriptor.load(ordering: .sequentiallyConsistent), &byte, 1)
  errno = before
}

extension System {
  /// The available bytes, at most 4096; empty at the end, nil if nothing can be read now.
  fileprivate static func bytesAtOnce(from descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = restarting { unsafe read(descriptor, &bytes, bytes.count) }
    return count < 0 ? nil : Array(bytes[..<count])
  }
}

extension termios {
  /// Reads bytes at once and without echo. The keys that end or stop a process still work.
  fileprivate mutating func readKeys() {
    c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP)
    c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    unsafe withUnsafeMutableBytes(of: &c_cc) { bytes in
      unsafe bytes[Int(VMIN)] = 1
      unsafe bytes[Int(VTIME)] = 0
    }
  }
}
