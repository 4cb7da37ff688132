#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// What a run of the program was started with, and where its paths lead: those of the ``Invocation`` of the task, or of
/// the process.
package enum ProcessEnvironment {
  /// A variable, also an empty one; nil when it is not set.
  package static func variable(_ name: String) -> String? {
    if let run = Invocation.current { return run.variable(name) }
    // Safe: what getenv(3) gives is NUL-terminated, and copied before anything else is called.
    return unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// All of it, `NAME=VALUE` each, without the NUL; not all of it need be UTF-8.
  package static func rawVariables() -> [[UInt8]] {
    if let run = Invocation.current { return run.variables.map { Array($0.utf8) } }
    var variables: [[UInt8]] = []
    var next = unsafe environ
    while let text = unsafe next.pointee {
      unsafe variables.append(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
      unsafe next += 1
    }
    return variables
  }

  /// The directory for temporary files.
  package static var temporaryDirectory: String {
    guard let path = variable("TMPDIR"), !path.isEmpty else { return "/tmp" }
    return path
  }

  /// The directory that relative paths start from; nil when it is gone.
  package static var workingDirectory: String? { unsafe Invocation.current?.folder ?? owned(getcwd(nil, 0)) }

  /// A path without links and dots; nil when nothing is there.
  package static func realPath(_ path: String) -> String? {
    unsafe owned(realpath(Invocation.current?.absolute(path) ?? path, nil))
  }

  /// What this machine is called; empty where it has no name.
  package static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    // Safe: the last byte is never written, so that the name ends with a NUL.
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// How many threads run at once here.
  package static var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  private static func owned(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text = unsafe text else { return nil }
    // Safe: what getcwd(3) and realpath(3) give is NUL-terminated and ours to free.
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}
