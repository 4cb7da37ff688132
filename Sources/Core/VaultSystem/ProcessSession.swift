#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The system's knowledge of this process and others, for code that remembers something for a session.
package enum ProcessSession {
  /// A session: its leader, and the start time of the leader, because process numbers are reused.
  package struct Identity: Hashable, Sendable {
    package var leader: Int32
    package var started: UInt64

    package init(leader: Int32, started: UInt64) { (self.leader, self.started) = (leader, started) }
  }

  /// The user that this process acts as.
  package static var user: UInt32 { geteuid() }

  /// The session of a process, 0 for this one; nil if the system does not tell or the leader is gone.
  package static func identity(of process: Int32 = 0) -> Identity? {
    let leader = getsid(process)
    guard leader > 0, let started = status(of: leader, word: 22).flatMap({ UInt64($0) }) else { return nil }
    return Identity(leader: leader, started: started)
  }

  /// The parent of a process; nil if the system does not tell.
  package static func parent(of process: Int32) -> Int32? {
    status(of: process, word: 4).flatMap { Int32($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The processes above this one, the nearest first; empty if the system does not tell.
  package static var callers: some Sequence<Int32> { sequence(first: getppid()) { parent(of: $0) } }

  /// The words of a process's command line; empty if the system does not tell.
  package static func words(of process: Int32) -> [String] {
    text(of: "/proc/\(process)/cmdline")?.split(separator: "\0").map(String.init) ?? []
  }

  /// A word of proc_pid_stat(5), where the second word is the name in parentheses.
  private static func status(of process: Int32, word number: Int) -> Substring? {
    guard let text = text(of: "/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else { return nil }
    let words = text[text.index(after: end)...].split(separator: " ")
    return words.count > number - 3 ? words[number - 3] : nil
  }

  /// The name of a process; nil if the system does not tell.
  package static func name(of process: Int32) -> String? {
    text(of: "/proc/\(process)/comm").map { String($0.prefix { $0 != "\n" }) }
  }

  /// Whether a process (nil for this one) gave up further privileges (no_new_privs); false if the system does not tell.
  package static func hasNoNewPrivileges(_ process: Int32? = nil) -> Bool {
    text(of: "/proc/\(process.map(String.init) ?? "self")/status")?.contains("\nNoNewPrivs:\t1\n") ?? false
  }

  /// Leaves the folder and the standard streams that this process inherited.
  package static func detach() {
    _ = unsafe chdir("/")
    let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0 else { return }
    for stream in Int32(0)...2 { dup2(null, stream) }
    if null > 2 { LocalSocket.close(null) }
  }

  /// The time since the machine started, including sleep.
  package static var bootTime: Duration {
    #if canImport(Darwin)
      time(of: CLOCK_MONOTONIC)
    #else
      time(of: CLOCK_BOOTTIME)
    #endif
  }

  /// A monotonic time that stops while the machine sleeps.
  package static var wakingTime: Duration {
    #if canImport(Darwin)
      time(of: CLOCK_UPTIME_RAW)
    #else
      time(of: CLOCK_MONOTONIC)
    #endif
  }

  private static func time(of clock: clockid_t) -> Duration {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private static func text(of file: String) -> String? {
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { LocalSocket.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    // Files of /proc tell no size.
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
