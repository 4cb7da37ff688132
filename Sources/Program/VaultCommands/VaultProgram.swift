import VaultCLI
import VaultCrypto
import VaultDaily
package import VaultSystem
import VaultTerminal

/// The command line, from start to exit code.
public enum VaultProgram {
  /// Runs the command in the arguments of the process, and ends the process.
  ///
  /// The calling thread must be the first one.
  public static func run() -> Never {
    ProcessHardening.forbidCoreDumps()
    System.prepareProcess()
    Packs.use(Pack.ofProgram)
    let arguments = CommandRun.words(of: ProgramArguments.all)
    let isReader = arguments.prefix { $0 != "--" }.contains("--parse-only")
    if isReader { ProcessHardening.confine(asksTerminal: !arguments.contains("--no-input")) }
    CryptoLibrary.claim()
    System.run(leavingWithReader: isReader) { await CommandRun.status(of: arguments) }
  }

  /// Runs the command in the words of `run`, and returns its exit code.
  ///
  /// The process is not changed: its owner controls signals, limits and memory. Commands that become another program,
  /// or end their process, need the process of ``run()``.
  package static func exitCode(of run: Invocation) async -> Int32 {
    Packs.use(Pack.ofProgram)
    return await Invocation.$current.withValue(run) {
      await CommandRun.status(of: CommandRun.words(of: run.arguments)).rawValue
    }
  }
}
