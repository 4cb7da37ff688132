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
  /// Becomes another program, in the same process: same number, terminal, parent and open files.
  ///
  /// - Parameters:
  ///   - count: how many of the last arguments of this process are the program and its arguments, byte by byte.
  ///   - environment: all that it gets; the program is looked for in the `PATH` among it.
  ///   - input: what becomes its standard input; nil for that of this process.
  /// - Returns: the number of the error, only when it cannot be started.
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

  /// A file in memory that programs that are started inherit: ``MemoryFile``.
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
    // The image copies the pointers, and what they point to is never freed.
    return unsafe words.withUnsafeBufferPointer { words in unsafe ProgramImage(words: words, environment) }
  }
}
