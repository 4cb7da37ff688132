import VaultCrypto
import VaultDelivery
import VaultSystem

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

extension System {
  /// Where the program of this process is.
  static var ownProgram: String {
    if let run = Invocation.current { return run.program }
    // The link itself, where there is one: the program is the same where its file was replaced meanwhile.
    return isThere("/proc/self/exe") ? "/proc/self/exe" : ProgramArguments.all.first ?? "vault"
  }

  /// Starts a program: ``ChildProcess``.
  static func spawn(
    _ program: String, _ words: [String], variables: [String]? = nil, streams: ChildStreams
  ) throws(SystemError) -> pid_t {
    do throws(Errno) {
      return try ChildProcess.start(program, words, variables: variables, streams: streams)
    } catch {
      throw SystemError(number: error.number, path: program, action: "run")
    }
  }

  /// Closes a descriptor with a passphrase in every program that this process starts or becomes.
  ///
  /// The three standard descriptors belong to programs.
  static func keepFromPrograms(_ descriptor: Int32?) {
    guard let descriptor, descriptor > 2 else { return }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Ends standard input after a passphrase was read from it: a file could be read again from its start.
  static func endInput(_ descriptor: Int32) {
    guard descriptor == standardInput, isatty(descriptor) == 0 else { return }
    let empty = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard empty >= 0 else { return }
    _ = dup2(empty, descriptor)
    close(empty)
  }

  /// A pipe of which a child gets what it is given, and no more.
  static func makePipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw SystemError(number: errno, path: nil, action: "run") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Closes a descriptor that this process has made.
  static func closePipe(_ end: Int32) { close(end) }
}
