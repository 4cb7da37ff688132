import VaultCrypto
import VaultDelivery
import VaultKit
import VaultSystem
import VaultTerminal

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// Replaces this process by another program, with the same process id, terminal, parent and open files. Returns only
  /// on failure, with the error number.
  ///
  /// - Parameters:
  ///   - count: how many of the last arguments of this process are the program and its arguments, byte by byte.
  ///   - environment: the whole environment. Its `PATH` is used to find the program.
  ///   - input: the standard input; nil for that of this process.
  static func becomeProgram(
    ofLastArguments count: Int, in environment: ProgramEnvironment, input: Int32?
  ) -> Int32 {
    showTyping()
    if let input { dup2(input, standardInput) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    signal(SIGPIPE, SIG_DFL)
    unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    return unsafe program(ofLastArguments: count, in: environment).become().number
  }

  /// A file in memory that started programs inherit: ``MemoryFile``.
  static func memoryFile(of value: SecretBytes) throws(SystemError) -> Int32 {
    do throws(Errno) {
      return try MemoryFile.sealed(value, isInherited: true)
    } catch {
      throw SystemError(number: error.number, path: nil, action: "made in memory")
    }
  }

  /// Starts another program as a child of this process.
  ///
  /// - Parameters: as those of ``becomeProgram(ofLastArguments:in:input:)``.
  static func startProgram(
    ofLastArguments count: Int, in environment: ProgramEnvironment, streams: ChildStreams
  ) throws(SystemError) -> pid_t {
    do throws(Errno) {
      return try unsafe program(ofLastArguments: count, in: environment).start(streams)
    } catch {
      throw SystemError(number: error.number, path: nil, action: "run")
    }
  }

  private static func program(ofLastArguments count: Int, in environment: ProgramEnvironment) -> ProgramImage {
    let words = unsafe ProgramArguments.pointers(toLast: count)
    // The image copies the pointers, and their targets are never freed.
    return unsafe words.withUnsafeBufferPointer { words in unsafe ProgramImage(words: words, environment) }
  }
}
