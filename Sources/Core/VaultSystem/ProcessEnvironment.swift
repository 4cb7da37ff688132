#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The environment and paths of a run: those of the ``Invocation`` of the task, or of the process.
package enum ProcessEnvironment {
  /// The value of a variable, which may be empty; nil if it is not set.
  package static func variable(_ name: String) -> String? {
    if let run = Invocation.current { return run.variable(name) }
    // Safe: the result of getenv(3) is NUL-terminated, and copied before anything else is called.
    return unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// The whole environment as `NAME=VALUE` without the NUL; some bytes may not be UTF-8.
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

  package static var temporaryDirectory: String {
    guard let path = variable("TMPDIR"), !path.isEmpty else { return "/tmp" }
    return path
  }

  /// The directory from which relative paths start; nil if it was deleted.
  package static var workingDirectory: String? { unsafe Invocation.current?.folder ?? owned(getcwd(nil, 0)) }

  /// The path without links and dots; nil if it does not exist.
  package static func realPath(_ path: String) -> String? {
    unsafe owned(realpath(Invocation.current?.absolute(path) ?? path, nil))
  }

  /// The host name of this machine; empty if it has none.
  package static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    // Safe: the last byte is never written, so that the name ends with a NUL.
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  package static var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  private static func owned(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text = unsafe text else { return nil }
    // Safe: the results of getcwd(3) and realpath(3) are NUL-terminated and ours to free.
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}
