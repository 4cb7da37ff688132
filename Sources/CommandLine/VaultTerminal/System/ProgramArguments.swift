import VaultSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The arguments of this process, with the program name in front.
///
/// The Swift runtime looks for the arguments in front of the variables. A preloaded library that sets a variable moves
/// the variables elsewhere, and the runtime then finds no arguments. So Linux is asked for the arguments.
package enum ProgramArguments {
  /// The arguments of the task's ``Invocation``, or of the process.
  package static var all: [String] { Invocation.current?.arguments ?? ofProcess }

  private static let ofProcess: [String] = bytes.map { String(decoding: $0, as: UTF8.self) }

  /// The last arguments, byte by byte, as C strings that are never freed.
  package static func pointers(toLast count: Int) -> [UnsafeMutablePointer<CChar>?] {
    unsafe bytes.suffix(count).map { word in unsafe strdup((word + [0]).map { CChar(bitPattern: $0) }) }
  }

  private static let bytes: [[UInt8]] = kernelWords ?? CommandLine.arguments.map { Array($0.utf8) }

  /// Nil without `/proc`. Also nil if a dynamic loader was started with this program as its argument, because Linux
  /// then returns the arguments of the loader.
  private static var kernelWords: [[UInt8]]? {
    guard let program = ProcessEnvironment.realPath("/proc/self/exe")?.split(separator: "/").last,
      !program.hasPrefix("ld-"), !program.hasPrefix("ld.so"),
      let file = try? TextInput.file("/proc/self/cmdline", limit: maximumByteCount)
    else { return nil }
    return words(in: file)
  }

  /// Linux accepts at most 6 MiB of arguments (execve(2)).
  private static let maximumByteCount = 8 << 20

  /// The words of a command line, each of which ends with a NUL; nil for none.
  static func words(in bytes: [UInt8]) -> [[UInt8]]? {
    guard bytes.last == 0 else { return nil }
    return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
  }
}
