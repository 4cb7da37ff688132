import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// Does `body` while the terminal does not show what is typed, and puts it back however `body` ends.
  static func withoutEcho<Result>(on descriptor: Int32, _ body: () throws -> Result) throws -> Result {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else {
      throw SystemError(number: errno, path: "/dev/tty", deed: "read")
    }
    let before = settings
    Pending.shared.withLock { $0.terminal = (descriptor, before) }
    defer {
      var before = before
      unsafe tcsetattr(descriptor, TCSAFLUSH, &before)
      Pending.shared.withLock { $0.terminal = nil }
    }
    settings.hideTyping()
    guard unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 else {
      throw SystemError(number: errno, path: "/dev/tty", deed: "read")
    }
    return try body()
  }

  /// Hides typing again when the process goes on after it was stopped: the shell has put the terminal back meanwhile.
  static func hideAgain(_ pending: Pending) {
    guard var terminal = pending.terminal else { return }
    terminal.settings.hideTyping()
    unsafe tcsetattr(terminal.descriptor, TCSAFLUSH, &terminal.settings)
  }

  /// The binary logarithm, for entropy.
  static func binaryLogarithm(_ number: Double) -> Double { log2(number) }
}

extension termios {
  /// Whole lines, of which only the end is shown.
  fileprivate mutating func hideTyping() {
    c_lflag &= ~tcflag_t(ECHO)
    c_lflag |= tcflag_t(ICANON | ECHONL)
  }
}
