import COpenSSL

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the process asks of the kernel so that its memory stays its own, and what it gives up before it reads a
/// stranger's file; the only file here with system calls.
package enum ProcessHardening {
  /// Sets the core file limit to 0, takes crash reports away and, on Linux, marks the process as not dumpable; to be
  /// called first thing.
  ///
  /// Not dumpable also means that no other process of the same user can attach to it.
  /// - Returns: whether everything took effect.
  @discardableResult
  package static func forbidCoreDumps() -> Bool {
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

  /// How many files a confined process may have open.
  private static let confinedFileCount = 64

  /// Gives up what reading a file does not need: further privileges, many open files and, where the system lets it, the
  /// network and all system calls that change files, start programs, or reach other processes; to be called while the
  /// process has one thread.
  ///
  /// - Parameter asksTerminal: whether somebody is asked at a terminal, which is opened for writing.
  /// - Returns: whether everything took effect. Not every system lets a process leave the network or filters its calls.
  @discardableResult
  package static func confine(asksTerminal: Bool = false) -> Bool {
    let isLimited = lower(openFileLimit, to: confinedFileCount)
    #if os(Linux)
      // The order matters: a namespace of its own gives a process privileges in it.
      let hasNoNetwork = vault_leave_network() == 1
      let hasNoPrivileges = vault_forbid_new_privileges() == 1
      // Last, since it takes the calls above away.
      return vault_allow_reading_only(asksTerminal ? 1 : 0) == 1 && hasNoPrivileges && hasNoNetwork && isLimited
    #else
      return isLimited
    #endif
  }

  /// Whether ``confine(asksTerminal:)`` can take system calls away here.
  package static var canFilterCalls: Bool {
    #if os(Linux)
      return vault_can_filter_calls() == 1
    #else
      return false
    #endif
  }

  /// Limits what this process may use from now on; no limit that there is gets any higher.
  ///
  /// - Parameters:
  ///   - addressSpace: bytes, with what is mapped already; nil leaves it.
  ///   - processorSeconds: in all; then SIGXCPU ends the process.
  ///   - writesFiles: whether it may write to files other than pipes and terminals.
  /// - Returns: whether everything took effect.
  @discardableResult
  package static func limit(addressSpace: Int?, processorSeconds: Int, writesFiles: Bool) -> Bool {
    // The hard limit would end it by SIGKILL, of which nobody could tell why.
    let isShort = lower(processorLimit, to: processorSeconds, margin: 5)
    let isSmall = addressSpace.map { lower(addressSpaceLimit, to: $0) } ?? true
    return isShort && isSmall && (writesFiles || lower(fileSizeLimit, to: 0))
  }

  /// How many bytes of address space this process may have (RLIMIT_AS, the soft limit); the largest number where there
  /// is no limit.
  package static var addressSpaceByteCount: Int { softLimit(of: addressSpaceLimit) }
  /// How many seconds this process may compute (RLIMIT_CPU, the soft limit).
  package static var processorSeconds: Int { softLimit(of: processorLimit) }

  private static func softLimit(of resource: Resource) -> Int {
    var limit = rlimit()
    return unsafe getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : .max
  }

  private static func lower(_ resource: Resource, to value: Int, margin: Int = 0) -> Bool {
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return false }
    limit.rlim_cur = min(limit.rlim_cur, rlim_t(value))
    limit.rlim_max = min(limit.rlim_max, rlim_t(value + margin))
    return unsafe setrlimit(resource, &limit) == 0
  }

  // Glibc declares the resources as an enumeration but takes a number; the others have plain numbers.
  #if canImport(Glibc)
    private typealias Resource = __rlimit_resource_t
    private static var coreLimit: Resource { .init(RLIMIT_CORE.rawValue) }
    private static var lockedMemoryLimit: Resource { .init(__RLIMIT_MEMLOCK.rawValue) }
    private static var openFileLimit: Resource { .init(RLIMIT_NOFILE.rawValue) }
    private static var processorLimit: Resource { .init(RLIMIT_CPU.rawValue) }
    private static var addressSpaceLimit: Resource { .init(RLIMIT_AS.rawValue) }
    private static var fileSizeLimit: Resource { .init(RLIMIT_FSIZE.rawValue) }
  #else
    private typealias Resource = Int32
    private static var coreLimit: Resource { Int32(RLIMIT_CORE) }
    private static var lockedMemoryLimit: Resource { Int32(RLIMIT_MEMLOCK) }
    private static var openFileLimit: Resource { Int32(RLIMIT_NOFILE) }
    private static var processorLimit: Resource { Int32(RLIMIT_CPU) }
    private static var addressSpaceLimit: Resource { Int32(RLIMIT_AS) }
    private static var fileSizeLimit: Resource { Int32(RLIMIT_FSIZE) }
  #endif
}
