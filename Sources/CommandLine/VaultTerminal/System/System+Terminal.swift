import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// Whether this process may use a terminal, rather than be in its background.
  package static func isInForeground(_ terminal: Int32) -> Bool { tcgetpgrp(terminal) == getpgrp() }

  /// Hides what is typed at a terminal: until a question whose answer is seen, the answer of the command, or the end of
  /// the process.
  ///
  /// Not only while a secret is asked for: people type the next one while a key is made of the first. That is then not
  /// shown, and is the next answer.
  static func hideTyping(on descriptor: Int32) throws(SystemError) {
    // In the background the system stops the process here, as it would below, where the lock is held: a signal that is
    // to end the process would wait for that for ever. Settings that are read in the background are another program's,
    // so that none are set.
    _ = tcdrain(descriptor)
    let hasFailed = ExitCleanup.shared.withLock { pending in
      guard pending.terminal == nil else { return false }
      var settings = termios()
      // The caller closes its own.
      let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
      guard own >= 0, unsafe tcgetattr(own, &settings) == 0 else { return true }
      pending.terminal = (own, settings)
      settings.hideTyping()
      // What was typed before the first question was seen, and answers nothing.
      let isFirst = !pending.hasHiddenTyping
      pending.hasHiddenTyping = true
      return unsafe tcsetattr(own, isFirst ? TCSAFLUSH : TCSANOW, &settings) != 0
    }
    if hasFailed { throw SystemError(number: errno, path: "/dev/tty", action: "read") }
  }

  /// Shows again what is typed.
  ///
  /// - Parameter droppingTyped: whether what was typed meanwhile is dropped: after a failure it would answer a question
  ///   that is never asked, and be shown by the shell.
  package static func showTyping(droppingTyped: Bool = false) {
    ExitCleanup.shared.withLock { $0.showTyping(droppingTyped: droppingTyped) }
  }

  /// How large the screen is that standard output shows on: 80 columns where nobody knows, and rows only where it is a
  /// terminal that does.
  package static var screen: (columns: Int, rows: Int?) {
    var size = winsize()
    _ = unsafe ioctl(standardOutput, UInt(TIOCGWINSZ), &size)
    let columns = size.ws_col > 0 ? Int(size.ws_col) : environment("COLUMNS").flatMap { Int($0) } ?? 80
    return (columns, size.ws_row > 0 ? Int(size.ws_row) : nil)
  }

  /// Drops what was typed and not read.
  static func dropTyped(at descriptor: Int32) { tcflush(descriptor, TCIFLUSH) }

  /// Whether a line was typed already, and not read.
  static func hasTyped(at descriptor: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&polled, 1, 0) > 0
  }

  /// The binary logarithm, for entropy.
  package static func binaryLogarithm(_ number: Double) -> Double { log2(number) }
}

extension ExitCleanup {
  /// Does the same to the terminal again when the process goes on after it was stopped: the shell has put it back.
  mutating func hideAgain() {
    defer { stopsByItself = false }
    if stopsByItself { return }
    // In the background it would be stopped once more.
    guard var terminal, System.isInForeground(terminal.descriptor) else { return }
    guard screen == nil else { return readKeysAgain() }
    terminal.settings.hideTyping()
    unsafe tcsetattr(terminal.descriptor, TCSANOW, &terminal.settings)
  }

  mutating func showTyping(droppingTyped: Bool) {
    guard var terminal else { return }
    let screen = self.screen
    (self.terminal, self.screen) = (nil, nil)
    if System.isInForeground(terminal.descriptor) {
      if let screen { try? System.writeAll(screen.end, to: terminal.descriptor) }
      unsafe tcsetattr(terminal.descriptor, droppingTyped ? TCSAFLUSH : TCSANOW, &terminal.settings)
    }
    close(terminal.descriptor)
  }
}

extension termios {
  /// Whole lines, of which only the end is shown.
  fileprivate mutating func hideTyping() {
    c_lflag &= ~tcflag_t(ECHO)
    c_lflag |= tcflag_t(ICANON | ECHONL)
  }
}
