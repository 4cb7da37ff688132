import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  package static func isInForeground(_ terminal: Int32) -> Bool { tcgetpgrp(terminal) == getpgrp() }

  /// Hides typing at a terminal until a visible question, the answer of the command, or the end of the process.
  ///
  /// Users type the next secret while a key is derived from the first one. That typing stays hidden, and is the next
  /// answer.
  static func hideTyping(on descriptor: Int32) throws(SystemError) {
    // In the background, the system stops the process here rather than below, where the lock is held and a signal would
    // wait forever. In the background the settings belong to another program, so none are changed.
    _ = tcdrain(descriptor)
    let hasFailed = ExitCleanup.shared.withLock { pending in
      guard pending.terminal == nil else { return false }
      var settings = termios()
      // The caller closes its own descriptor.
      let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
      guard own >= 0, unsafe tcgetattr(own, &settings) == 0 else { return true }
      pending.terminal = (own, settings)
      settings.hideTyping()
      // Typing before the first question answers nothing.
      let isFirst = !pending.hasHiddenTyping
      pending.hasHiddenTyping = true
      return unsafe tcsetattr(own, isFirst ? TCSAFLUSH : TCSANOW, &settings) != 0
    }
    if hasFailed { throw SystemError(number: errno, path: "/dev/tty", action: "read") }
  }

  /// Shows typing again.
  ///
  /// - Parameter droppingTyped: whether to drop earlier typing. After a failure it would answer a question that is
  ///   never asked, and the shell would show it.
  package static func showTyping(droppingTyped: Bool = false) {
    ExitCleanup.shared.withLock { $0.showTyping(droppingTyped: droppingTyped) }
  }

  /// The size of the screen of standard output. Without a known size it has 80 columns, and no number of rows.
  package static var screen: (columns: Int, rows: Int?) {
    var size = winsize()
    _ = unsafe ioctl(standardOutput, UInt(TIOCGWINSZ), &size)
    let columns = size.ws_col > 0 ? Int(size.ws_col) : environment("COLUMNS").flatMap { Int($0) } ?? 80
    return (columns, size.ws_row > 0 ? Int(size.ws_row) : nil)
  }

  static func dropTyped(at descriptor: Int32) { tcflush(descriptor, TCIFLUSH) }

  static func hasTyped(at descriptor: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&polled, 1, 0) > 0
  }

  package static func binaryLogarithm(_ number: Double) -> Double { log2(number) }
}

extension ExitCleanup {
  /// Hides typing again after the process was stopped, because the shell has restored the terminal.
  mutating func hideAgain() {
    defer { stopsByItself = false }
    if stopsByItself { return }
    // In the background the process would be stopped again.
    guard var terminal, System.isInForeground(terminal.descriptor) else { return }
    if let screen { return screen.takeAgain(terminal.descriptor, terminal.settings) }
    terminal.settings.hideTyping()
    unsafe tcsetattr(terminal.descriptor, TCSANOW, &terminal.settings)
  }

  /// Also gives the screen back. In the background, the settings of the terminal stay unchanged.
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
  /// Reads whole lines, of which only the end is shown.
  fileprivate mutating func hideTyping() {
    c_lflag &= ~tcflag_t(ECHO)
    c_lflag |= tcflag_t(ICANON | ECHONL)
  }
}
