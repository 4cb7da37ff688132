import COpenSSL

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Kernel settings that protect the memory of this process, and the rights that it gives up before it reads a foreign
/// file. In this module, only this file makes system calls.
package enum ProcessHardening {
  /// Sets the core file limit to 0, disables crash reports and, on Linux, marks the process as not dumpable. Call it
  /// first. Returns whether everything took effect.
  ///
  /// Not dumpable also means that no other process of the same user can attach.
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

  /// Signals that end a crashed process.
  package static let crashSignals = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGQUIT]

  /// Removes the crash handlers of Swift's runtime. They let a helper program print all registers and the memory they
  /// point to, which can hold a key or a secret.
  private static func forbidCrashReports() {
    for number in crashSignals { _ = signal(number, SIG_DFL) }
  }

  /// Whether the kernel would still write a core file or let another process attach; true if it does not tell.
  package static var isDumpable: Bool {
    var limit = rlimit()
    guard unsafe getrlimit(coreLimit, &limit) == 0, limit.rlim_cur == 0, limit.rlim_max == 0 else { return true }
    #if os(Linux)
      return vault_is_dumpable() != 0
    #else
      return false
    #endif
  }

  /// How many bytes this process may lock (RLIMIT_MEMLOCK, the soft limit); nil if the kernel does not tell.
  static var lockableByteCount: Int? {
    var limit = rlimit()
    guard unsafe getrlimit(lockedMemoryLimit, &limit) == 0 else { return nil }
    return Int(clamping: limit.rlim_cur)
  }

  /// How many files a confined process may have open.
  private static let confinedFileCount = 64

  /// Permanently gives up the rights that reading a file does not need. Call it while the process has one thread.
  ///
  /// These are further privileges and many open files. If the system allows it, they are also the network and all
  /// system calls that change files, start programs or reach other processes.
  ///
  /// - Parameter asksTerminal: whether a person is asked at a terminal, which is opened for writing.
  /// - Returns: whether everything took effect. Not every system lets a process leave the network or filter its calls.
  @discardableResult
  package static func confine(asksTerminal: Bool = false) -> Bool {
    let isLimited = lower(openFileLimit, to: confinedFileCount)
    #if os(Linux)
      // The order matters: a new namespace gives a process privileges inside it.
      let hasNoNetwork = vault_leave_network() == 1
      let hasNoPrivileges = vault_forbid_new_privileges() == 1
      // Last, because it blocks the calls above.
      return vault_allow_reading_only(asksTerminal ? 1 : 0) == 1 && hasNoPrivileges && hasNoNetwork && isLimited
    #else
      return isLimited
    #endif
  }

  /// Whether ``confine(asksTerminal:)`` can filter system calls here.
  package static var canFilterCalls: Bool {
    #if os(Linux)
      return vault_can_filter_calls() == 1
    #else
      return false
    #endif
  }

  /// Limits the resources of this process; no existing limit is raised.
  ///
  /// - Parameters:
  ///   - addressSpace: bytes, including existing mappings; nil means no limit.
  ///   - processorSeconds: the total; then SIGXCPU ends the process.
  ///   - writesFiles: whether it may write to files other than pipes and terminals.
  /// - Returns: whether everything took effect.
  @discardableResult
  package static func limit(addressSpace: Int?, processorSeconds: Int, writesFiles: Bool) -> Bool {
    // The hard limit would send SIGKILL, which has no recognisable reason.
    let isShort = lower(processorLimit, to: processorSeconds, margin: 5)
    let isSmall = addressSpace.map { lower(addressSpaceLimit, to: $0) } ?? true
    return isShort && isSmall && (writesFiles || lower(fileSizeLimit, to: 0))
  }

  /// How many bytes of address space this process may have (RLIMIT_AS, the soft limit); the largest number if
  /// unlimited.
  package static var addressSpaceByteCount: Int { softLimit(of: addressSpaceLimit) }
  /// How many seconds of processor time this process may use (RLIMIT_CPU, the soft limit).
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
