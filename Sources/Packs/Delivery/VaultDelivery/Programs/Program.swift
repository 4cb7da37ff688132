internal import Dispatch
internal import Synchronization
public import VaultCrypto
internal import VaultDocument
internal import VaultKit
internal import VaultSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A program that receives secrets directly, without a file or an argument in between.
public struct Program: Sendable {
  /// How a program has ended.
  public enum End: Equatable, Sendable {
    /// By itself, with this exit code.
    case exited(Int32)
    /// By a signal of this number.
    case signalled(Int32)
  }

  /// Why a program was not started.
  public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name or path of the program.
    public let program: String
    /// The reason, which follows the name in a message.
    public let reason: String
    /// The error number of the system.
    public let errorNumber: Int32
    public var description: String { Sentence.about(program, reason) }
  }

  /// A path, or a name to look up in the `PATH` of the program's environment.
  public let name: String
  /// The arguments. Any user of the machine can read them, so they must not contain secrets.
  public let arguments: [String]

  /// Makes a program with its arguments, without its own name among them.
  public init(_ name: String, _ arguments: [String] = []) { (self.name, self.arguments) = (name, arguments) }

  /// Runs the program and waits for its end. The program has the standard streams of this process, and no other open
  /// file.
  ///
  /// If the task is cancelled, the program receives SIGTERM, and its end is still awaited.
  ///
  /// - Parameters:
  ///   - environment: the whole environment.
  ///   - input: the standard input, in memory (Linux only); nil for that of this process.
  /// - Throws: ``Failure``.
  public func run(
    in environment: ProgramEnvironment, input: SecretBytes? = nil
  ) async throws(Failure) -> End {
    let running = RunningProgram(try start(in: environment, input))
    return await withTaskCancellationHandler {
      await running.end()
    } onCancel: {
      running.terminate()
    }
  }

  private func start(in environment: ProgramEnvironment, _ input: SecretBytes?) throws(Failure) -> Int32 {
    let words = unsafe ([name] + arguments).map { unsafe strdup($0) }
    defer { unsafe words.forEach { unsafe free($0) } }
    do throws(Errno) {
      let input: Int32? = if let input { try MemoryFile.sealed(input, isInherited: false) } else { nil }
      defer { if let input { LocalSocket.close(input) } }
      let image = unsafe words.withUnsafeBufferPointer { unsafe ProgramImage(words: $0, environment) }
      return try unsafe image.start(ChildStreams(input: input))
    } catch {
      throw Failure(program: name, reason: error.meaning.reason, errorNumber: error.number)
    }
  }
}

/// A child of this process, which is waited for once.
private final class RunningProgram: Sendable {
  /// The process id; nil after the wait, because another process may have it then.
  private let process: Mutex<Int32?>

  init(_ process: Int32) { self.process = Mutex(process) }

  /// Waits on a thread of its own, so that no task is blocked.
  func end() async -> Program.End {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "vault.program").async { continuation.resume(returning: self.awaitEnd()) }
    }
  }

  private func awaitEnd() -> Program.End {
    if let process = process.withLock({ $0 }) { ChildProcess.awaitEnd(of: process) }
    return process.withLock { process in
      guard let number = process.take() else { return .exited(0) }
      let end = ChildProcess.end(of: number)
      return end.signal.map { .signalled($0) } ?? .exited(end.exitCode)
    }
  }

  func terminate() {
    process.withLock { if let process = $0 { ChildProcess.terminate(process) } }
  }
}
