import COpenSSL

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the process asks of the kernel so that its memory stays its own; the only file here with system calls.
public enum ProcessHardening {
  /// Sets the core file limit to 0, takes crash reports away and, on Linux, marks the process as not dumpable; to be
  /// called first thing.
  ///
  /// Not dumpable also means that no other process of the same user can attach to it.
  /// - Returns: whether everything took effect.
  @discardableResult
  public static func forbidCoreDumps() -> Bool {
    forbidCrashReports()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    let isLimited = unsafe setrlimit(coreLimit, &none) == 0
    #if os(Linux)
      return vault_forbid_dumping() == 1 && isLimited
    #else
      return isLimited
    #endif
  }

  /// Signals that end a process which has gone wrong.
  package static let crashSignals = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGQUIT]

  /// Takes the handlers of Swift's runtime off: they lend the memory of this process to a program that prints every
  /// register and what it points to, and after a mistake in cryptography that is a key or a secret.
  private static func forbidCrashReports() {
    for number in crashSignals { _ = signal(number, SIG_DFL) }
  }

  /// Whether the kernel would still write a core file or let another process attach.
  package static var isDumpable: Bool {
    var limit = rlimit()
    guard unsafe getrlimit(coreLimit, &limit) == 0, limit.rlim_cur == 0, limit.rlim_max == 0 else { return true }
    #if os(Linux)
      return vault_is_dumpable() != 0
    #else
      return false
    #endif
  }

  /// How many bytes this process may lock (RLIMIT_MEMLOCK, the soft limit); nil when the kernel does not tell.
  static var lockableByteCount: Int? {
    var limit = rlimit()
    guard unsafe getrlimit(lockedMemoryLimit, &limit) == 0 else { return nil }
    return Int(clamping: limit.rlim_cur)
  }

  // Glibc declares the resources as an enumeration but takes a number; the others have plain numbers.
  #if canImport(Glibc)
    private static var coreLimit: __rlimit_resource_t { .init(RLIMIT_CORE.rawValue) }
    private static var lockedMemoryLimit: __rlimit_resource_t { .init(__RLIMIT_MEMLOCK.rawValue) }
  #else
    private static var coreLimit: Int32 { Int32(RLIMIT_CORE) }
    private static var lockedMemoryLimit: Int32 { Int32(RLIMIT_MEMLOCK) }
  #endif
}
