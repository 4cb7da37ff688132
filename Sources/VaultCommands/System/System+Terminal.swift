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
    settings.c_lflag &= ~tcflag_t(ECHO)
    settings.c_lflag |= tcflag_t(ICANON | ECHONL)
    guard unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 else {
      throw SystemError(number: errno, path: "/dev/tty", deed: "read")
    }
    return try body()
  }

  /// The binary logarithm, for entropy.
  static func binaryLogarithm(_ number: Double) -> Double { log2(number) }
}
