import CDynamicLibraries
import VaultCrypto

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// The environment of this process as it stands, `NAME=VALUE` each, without the NUL; not all of it need be UTF-8.
  static func rawVariables() -> [[UInt8]] {
    var variables: [[UInt8]] = []
    var next = unsafe environ
    while let text = unsafe next.pointee {
      unsafe variables.append(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
      unsafe next += 1
    }
    return variables
  }

  /// A file without a name that holds a value: nobody can write to it, and it goes with the last process that has it.
  ///
  /// Linux only (memfd_create(2)); elsewhere it fails.
  ///
  /// - Returns: its descriptor, at the beginning of the file, which programs that are started inherit.
  static func sealedMemoryFile(of value: SecretBytes) throws(SystemError) -> Int32 {
    #if os(Linux)
      // MFD_ALLOW_SEALING, F_ADD_SEALS, and all four seals of linux/memfd.h and linux/fcntl.h, which no module has.
      let (allowSealing, addSeals, seals): (UInt32, Int32, Int32) = (2, 1033, 0xF)
      let descriptor = unsafe memfd_create("cvault", allowSealing)
      guard descriptor >= 0 else { throw SystemError(number: errno, path: nil, action: "made in memory") }
      do throws(SystemError) {
        try value.withBytes { bytes throws(SystemError) in try writeAll(bytes, to: descriptor) }
        guard fchmod(descriptor, 0o400) == 0, fcntl(descriptor, addSeals, seals) == 0,
          lseek(descriptor, 0, SEEK_SET) == 0
        else { throw SystemError(number: errno, path: nil, action: "made in memory") }
      } catch {
        close(descriptor)
        throw error
      }
      return descriptor
    #else
      throw SystemError(number: ENOSYS, path: nil, action: "made in memory")
    #endif
  }

  /// Becomes another program, in the same process: same number, terminal, parent and open files.
  ///
  /// - Parameters:
  ///   - count: how many of the last arguments of this process are the program and its arguments, byte by byte.
  ///   - environment: all that it gets; the program is looked for in the `PATH` among it.
  ///   - input: what becomes its standard input; nil for that of this process.
  /// - Returns: the number of the error, only when it cannot be started.
  static func becomeProgram(
    ofLastArguments count: Int, in environment: ChildEnvironment, input: Int32?
  ) -> Int32 {
    showTyping()
    if let input { dup2(input, standardInput) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    signal(SIGPIPE, SIG_DFL)
    unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    return unsafe withProgram(ofLastArguments: count, in: environment) { file, words, environment in
      unsafe execve(file, words, environment)
      return errno
    }
  }

  /// Starts another program as a child of this process.
  ///
  /// - Parameters: as those of ``becomeProgram(ofLastArguments:in:input:)``.
  static func startProgram(
    ofLastArguments count: Int, in environment: ChildEnvironment, streams: ChildStreams
  ) throws(SystemError) -> pid_t {
    var process: pid_t = 0
    let failure = unsafe withProgram(ofLastArguments: count, in: environment) { file, words, environment in
      unsafe spawn(file: file, words, environment, streams: streams, &process)
    }
    guard failure == 0 else { throw SystemError(number: failure, path: nil, action: "run") }
    return process
  }

  /// Lends what a program is started with, for each place of the `PATH` until it is found.
  ///
  /// - Parameter start: gives 0, or the number of its error.
  /// - Returns: 0, or the number of the error that tells most.
  private static func withProgram(
    ofLastArguments count: Int, in environment: ChildEnvironment,
    _ start: (UnsafePointer<CChar>, [UnsafeMutablePointer<CChar>?], [UnsafeMutablePointer<CChar>?]) -> Int32
  ) -> Int32 {
    var words: [UnsafeMutablePointer<CChar>?] = unsafe []
    unsafe words.append(
      contentsOf: UnsafeBufferPointer(
        start: CommandLine.unsafeArgv + Int(CommandLine.argc) - count, count: count))
    unsafe words.append(nil)
    guard let name = unsafe words[0] else { return ENOENT }
    let program = unsafe String(cString: name)
    let path = (environment.path ?? "/usr/bin:/bin").split(separator: ":", omittingEmptySubsequences: false)
    let places = program.contains("/") ? [""] : path.map { $0.isEmpty ? "./" : "\($0)/" }
    let entries = environment.entries
    let inherited = unsafe entries.inherited.map { entry in unsafe strdup((entry + [0]).map { CChar(bitPattern: $0) }) }
    defer { unsafe inherited.forEach { unsafe free($0) } }
    return unsafe withPointers(to: entries.delivered[...], inherited) { environment in
      var failure = ENOENT
      for place in places {
        // The name as its bytes are, behind the folder.
        var whole = Array(place.utf8CString.dropLast())
        unsafe whole.append(contentsOf: UnsafeBufferPointer(start: name, count: strlen(name) + 1))
        let result = unsafe start(whole, words, environment)
        if result == 0 { return 0 }
        if result != ENOENT && result != ENOTDIR { failure = result }
      }
      return failure
    }
  }

  /// Lends the addresses of values where they lie, in locked memory.
  private static func withPointers(
    to values: ArraySlice<SecretBytes>, _ pointers: [UnsafeMutablePointer<CChar>?],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32
  ) -> Int32 {
    guard let value = values.first else { return unsafe body(pointers + [nil]) }
    return value.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { raw in
        let address = unsafe UnsafeMutableRawPointer(mutating: raw.baseAddress)
        return unsafe withPointers(
          to: values.dropFirst(), pointers + [address?.assumingMemoryBound(to: CChar.self)], body)
      }
    }
  }
}
