#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs one program and prints how long it took, its greatest memory and how it ended.
///
/// Usage: stopwatch PATH [ARGUMENT]… prints `NANOSECONDS BYTES STATUS`, from the spawn to the end. The program reads
/// nothing, and what it prints is thrown away. It exists since a process begins with the peak of the one that spawned
/// it: below the 30 MB of a script nothing could be told, and this program has few of its own.
@main
enum Stopwatch {
  static func main() {
    guard CommandLine.arguments.count > 1 else {
      print("usage: stopwatch PATH [ARGUMENT]…")
      exit(64)
    }
    let start = ContinuousClock.now
    let child = spawn(Array(CommandLine.arguments.dropFirst()))
    var status: Int32 = 0
    var usage = rusage()
    while unsafe wait4(child, &status, 0, &usage) < 0 && errno == EINTR {}
    let duration = ContinuousClock.now - start
    #if canImport(Darwin)
      let peakByteCount = usage.ru_maxrss
    #else
      let peakByteCount = usage.ru_maxrss * 1024
    #endif
    // As in a shell: a signal is 128 and its number.
    let ended = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    print(Int64(duration / .nanoseconds(1)), peakByteCount, ended)
  }

  static func spawn(_ words: [String]) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var child: pid_t = 0
    let failure = unsafe posix_spawn(&child, words[0], &actions, nil, &arguments, environ)
    guard failure == 0 else {
      print("stopwatch: \(words[0]): error \(failure)")
      exit(1)
    }
    return child
  }
}
