import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A terminal whose whole screen is ours and that gives every key at once, until it is left.
///
/// However the process ends or stops, its terminal is as before: `ExitCleanup` knows what has to be put back.
package final class KeyScreen {
  package enum Event {
    case bytes([UInt8])
    /// Nothing came for as long as a sequence of a key takes.
    case rest
    /// Another size, or another program had the terminal.
    case redraw
    case end
  }

  /// The alternate screen, whose lines do not wrap, and marks around what is pasted.
  private static let start = Array("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J".utf8)
  /// A terminal without another screen is left with an empty one.
  private static let end = Array("\u{1B}[0m\u{1B}[H\u{1B}[2J\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8)
  /// How long the bytes of one key may be apart, over a slow line.
  private static let restMilliseconds: Int32 = 100

  private static let maximumStopCount = 100

  private let descriptor: Int32
  private let wake: (reading: Int32, writing: Int32)
  private let isStoppable: Bool

  package init(_ descriptor: Int32) throws(SystemError) {
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
      pending.screen = (Self.start, Self.end)
      return !pending.readKeys()
    }
    if hasFailed { throw SystemError(number: errno, path: "/dev/tty", action: "read") }
  }

  /// Puts the terminal back.
  package func leave() {
    signal(SIGWINCH, SIG_DFL)
    if isStoppable { signal(SIGTSTP, SIG_DFL) }
    System.showTyping()
    guard wakeDescriptor.exchange(-1, ordering: .sequentiallyConsistent) >= 0 else { return }
    close(wake.writing)
    close(wake.reading)
  }

  /// Writes to the screen, while it is ours.
  package func show(_ bytes: [UInt8]) throws(SystemError) {
    try ExitCleanup.shared.withLock { [descriptor] pending throws(SystemError) in
      guard pending.screen != nil else { return }
      try System.writeAll(bytes, to: descriptor, path: "/dev/tty")
    }
  }

  /// What happens next.
  ///
  /// - Parameter isUndecided: whether it also matters that nothing does.
  package func next(isUndecided: Bool) throws(SystemError) -> Event {
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

  /// Stops as a program that knows nothing of the signal, and goes on where it was once it has the terminal again.
  private func stop() throws(SystemError) {
    System.showTyping()
    signal(SIGTSTP, SIG_DFL)
    ExitCleanup.shared.withLock { $0.stopsByItself = true }
    // Who goes on in the background stops again. Where nobody could let it go on, the system does not stop it.
    for _ in 0..<Self.maximumStopCount {
      Self.stopHere()
      if System.isInForeground(descriptor) { return try enter() }
    }
    throw SystemError(number: EIO, path: "/dev/tty", action: "read")
  }

  /// Stops the process before the next line: only a signal to this very thread does, and threads of a pool block them.
  private static func stopHere() {
    var (stop, before) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&stop)
    unsafe sigaddset(&stop, SIGTSTP)
    unsafe pthread_sigmask(SIG_UNBLOCK, &stop, &before)
    raise(SIGTSTP)
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}

/// Where signals are noted; -1 for nowhere. A handler may use nothing but what is atomic.
private let wakeDescriptor = Atomic<Int32>(-1)

private func noteSignal(_ number: Int32) {
  let before = errno
  var byte = UInt8(number)
  _ = unsafe write(wakeDescriptor.load(ordering: .sequentiallyConsistent), &byte, 1)
  errno = before
}

extension System {
  /// What a descriptor has, at most 4096 bytes; empty at its end, nil when it cannot be read now.
  fileprivate static func bytesAtOnce(from descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = restarting { unsafe read(descriptor, &bytes, bytes.count) }
    return count < 0 ? nil : Array(bytes[..<count])
  }
}

extension ExitCleanup {
  /// Lets the terminal give keys one by one, on a screen of its own.
  fileprivate mutating func readKeys() -> Bool {
    guard var terminal, let screen else { return false }
    terminal.settings.readKeys()
    return unsafe tcsetattr(terminal.descriptor, TCSANOW, &terminal.settings) == 0
      && (try? System.writeAll(screen.start, to: terminal.descriptor)) != nil
  }

  /// The same after the process was stopped.
  mutating func readKeysAgain() {
    guard readKeys() else { return }
    noteSignal(SIGCONT)
  }
}

extension termios {
  /// Bytes as they come, unseen; the keys that end or stop a process still do.
  fileprivate mutating func readKeys() {
    c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP)
    c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    unsafe withUnsafeMutableBytes(of: &c_cc) { bytes in
      unsafe bytes[Int(VMIN)] = 1
      unsafe bytes[Int(VTIME)] = 0
    }
  }
}
