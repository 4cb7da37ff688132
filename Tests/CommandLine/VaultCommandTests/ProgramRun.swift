import Synchronization
import VaultCommands
import VaultSystem
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension ProcessRun {
  /// A run of the program under test: within the process of the tests where that shows the same (``ProgramRun``).
  func ofProgram() -> ProcessRun {
    var plan = self
    let reason = ProgramRun.reasonForProcess(self)
    if reason == nil {
      plan.standIn = { streams in await ProgramRun.exitCode(of: self, streams) }
    }
    ProgramRun.count(reason)
    return plan
  }
}

/// Decides which runs of the program need a process, and does the others in that of the tests.
enum ProgramRun {
  /// Commands that become, start or wait for another program, ask the process about itself, or fill the width of a
  /// terminal that may be that of the tests.
  private static let commands: Set<String> = [
    "run", "ssh", "unlock", "lock", "agent", "edit", "copy", "clear-clipboard", "completion", "help",
  ]
  /// The beginnings of words that name descriptors or the process, or wait for another one.
  private static let words = [
    "--parse-only", "--lock-timeout", "--help", "-h", "--copy", "-c", "--qr", "--pager", "--passphrase-command",
    "--identity-command", "--decrypt", "--after", "--check",
    "/dev/std", "/dev/fd", "/dev/tty",
  ]
  /// The variables that mean the same within a run; libraries in C read others from the process.
  private static let variables: Set<String> = [
    "HOME", "PATH", "LANG", "TMPDIR", "USER", "NO_COLOR", "TERM", "COLUMNS", "EDITOR", "VISUAL", "PAGER", "AI_AGENT",
    "CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "CURSOR_AGENT", "GEMINI_CLI", "OPENCODE", "COPILOT_CLI",
  ]
  private static let prefixes = ["CVAULT_", "GIT_", "XDG_"]

  private static let onlyProcesses = ["CVAULT_TEST_PROGRAM_ONLY", "CVAULT_TEST_VAULT"].contains {
    ProcessEnvironment.variable($0) != nil
  }

  /// Why a run needs a process; nil if it does not.
  static func reasonForProcess(_ plan: ProcessRun) -> String? {
    if onlyProcesses { return "all" }
    if plan.path != Binary.path { return "other program" }
    if plan.terminal != nil || plan.outputOnTerminal || plan.errorsOnTerminal { return "terminal" }
    if plan.signal != nil { return "signal" }
    guard let command = plan.arguments.first(where: { !$0.hasPrefix("-") }) else { return "no command" }
    if commands.contains(command) { return command }
    if let word = words.first(where: { word in plan.arguments.contains { $0.hasPrefix(word) } }) { return word }
    if let word = plan.arguments.first(where: { $0.contains("-fd=") || $0.hasSuffix("-fd") }) { return word }
    return plan.environment.first { name, value in
      !variables.contains(name) && !prefixes.contains(where: name.hasPrefix)
        || ["_FD", "_COMMAND"].contains(where: name.hasSuffix)
    }?.key
  }

  static func exitCode(of plan: ProcessRun, _ streams: [Int32]) async -> Int32 {
    let place = plan.directory ?? "/"
    let descriptor = unsafe open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(descriptor) }
    guard descriptor >= 0, let folder = ProcessEnvironment.realPath(place) else { return 125 }
    let run = Invocation(
      of: Binary.path, [Binary.path] + plan.arguments, variables: plan.environment.map { "\($0.key)=\($0.value)" },
      folder: folder, folderDescriptor: descriptor, input: streams[0], output: streams[1], errors: streams[2])
    return await VaultProgram.exitCode(of: run)
  }

  private static let counts = Mutex<[String: Int]>([:])
  private static let printsAtEnd: Void = {
    _ = atexit { ProgramRun.printCounts() }
  }()

  static func count(_ reason: String?) {
    _ = printsAtEnd
    counts.withLock { $0[reason ?? "", default: 0] += 1 }
  }

  private static func printCounts() {
    let counts = counts.withLock { $0 }
    let within = counts["", default: 0]
    let started = counts.values.reduce(0, +) - within
    let reasons = counts.filter { !$0.key.isEmpty }.sorted { $0.value > $1.value }.prefix(12)
    let why = reasons.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    let line = Array("vault: \(started) runs as a program (\(why)), \(within) within the tests\n".utf8)
    _ = unsafe write(2, line, line.count)
  }
}
