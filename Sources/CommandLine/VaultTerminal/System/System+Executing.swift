import VaultCrypto
package import VaultSystem

#if canImport(Darwin)
  package import Darwin
#elseif canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#endif

extension System {

}

extension System {
  package static var ownProgram: String {
    if let run = Invocation.current { return run.program }
    // The link itself, which stays valid if the file is replaced.
    return isThere("/proc/self/exe") ? "/proc/self/exe" : ProgramArguments.all.first ?? "vault"
  }

  /// Starts a program: ``ChildProcess``.
  package static func spawn(
    _ program: String, _ words: [String], variables: [String]? = nil, streams: ChildStreams
  ) throws(SystemError) -> pid_t {
    do throws(Errno) {
      return try ChildProcess.start(program, words, variables: variables, streams: streams)
    } catch {
      throw SystemError(number: error.number, path: program, action: "run")
    }
  }

  /// Closes a descriptor with a passphrase in every child process, and in a program that replaces this one.
  ///
  /// The three standard descriptors belong to programs.
  package static func keepFromPrograms(_ descriptor: Int32?) {
    guard let descriptor, descriptor > 2 else { return }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Ends standard input after a passphrase was read, because a file could be read again from its start.
  package static func endInput(_ descriptor: Int32) {
    guard descriptor == standardInput, isatty(descriptor) == 0 else { return }
    let empty = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard empty >= 0 else { return }
    _ = dup2(empty, descriptor)
    close(empty)
  }

  /// A pipe that a child inherits only if it is passed explicitly.
  package static func makePipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw SystemError(number: errno, path: nil, action: "run") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  package static func closePipe(_ end: Int32) { close(end) }
}
