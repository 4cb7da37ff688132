internal import VaultCrypto
package import VaultSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A program to start: its words, byte by byte, and an environment with values in locked memory.
@unsafe package struct ProgramImage {
  private let words: [UnsafeMutablePointer<CChar>?]
  private let environment: ProgramEnvironment

  /// - Parameter words: the program and its arguments, which must outlive this image.
  package init(words: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>, _ environment: ProgramEnvironment) {
    unsafe self.words = unsafe Array(words) + [nil]
    unsafe self.environment = environment
  }

  /// Replaces this process by the program. Returns only on failure, with the error number.
  package func become() -> Errno {
    Errno(
      unsafe start { file, words, environment in
        unsafe execve(file, words, environment)
        return errno
      })
  }

  /// Starts the program as a child of this process, and returns its process id.
  package func start(_ streams: ChildStreams) throws(Errno) -> Int32 {
    var process: Int32 = 0
    let failure = unsafe start { file, words, environment in
      unsafe ChildProcess.start(file: file, words, environment: environment, streams: streams, process: &process)
    }
    guard failure == 0 else { throw Errno(failure) }
    return process
  }

  /// Tries each folder of the `PATH` until the program starts. Returns 0, or the most informative error number.
  ///
  /// - Parameter body: starts the program, and returns 0 or an error number.
  private func start(
    _ body: (UnsafePointer<CChar>, [UnsafeMutablePointer<CChar>?], [UnsafeMutablePointer<CChar>?]) -> Int32
  ) -> Int32 {
    guard let name = unsafe words[0] else { return ENOENT }
    let program = unsafe String(cString: name)
    let path = unsafe (environment.path ?? "/usr/bin:/bin").split(separator: ":", omittingEmptySubsequences: false)
    let places = program.contains("/") ? [""] : path.map { $0.isEmpty ? "./" : "\($0)/" }
    let entries = unsafe environment.entries
    let inherited = unsafe entries.inherited.map { entry in unsafe strdup((entry + [0]).map { CChar(bitPattern: $0) }) }
    defer { unsafe inherited.forEach { unsafe free($0) } }
    return unsafe Self.withPointers(to: entries.delivered[...], inherited) { environment in
      var failure = ENOENT
      for place in places {
        // The bytes of the name after the folder.
        var whole = Array(place.utf8CString.dropLast())
        unsafe whole.append(contentsOf: UnsafeBufferPointer(start: name, count: strlen(name) + 1))
        let result = unsafe body(whole, words, environment)
        if result == 0 { return 0 }
        if result != ENOENT && result != ENOTDIR { failure = result }
      }
      return failure
    }
  }

  /// Lends the addresses of values in locked memory.
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
