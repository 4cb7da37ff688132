import VaultCLI
import VaultCrypto
import VaultDaily
package import VaultSystem
import VaultTerminal

/// The command line from start to exit code.
public enum VaultProgram {
  /// Runs the command that the arguments of the process name, and ends the process.
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

  /// Runs the command that the words of `run` name.
  ///
  /// Nothing is done to the process: its signals, its limits and its memory are its owner's. Commands that become
  /// another program, or end their process, need the process of ``run()``.
  ///
  /// - Returns: the exit code of a process.
  package static func exitCode(of run: Invocation) async -> Int32 {
    Packs.use(Pack.ofProgram)
    return await Invocation.$current.withValue(run) {
      await CommandRun.status(of: CommandRun.words(of: run.arguments)).rawValue
    }
  }

}
