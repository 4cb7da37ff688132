#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A library of the system that is opened when it is first needed, so that no other run pays for it.
@safe package struct DynamicLibrary: @unchecked Sendable {
  // @unchecked: the handle is never closed, and looking symbols up is safe from any thread.
  private let handle: UnsafeMutableRawPointer

  /// Opens the first library that exists; nil if all are missing, as in a static program.
  package init?(_ names: [String]) {
    for name in names {
      guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
      unsafe self.handle = handle
      return
    }
    return nil
  }

  /// The function of a name; nil if it is missing. `type` must be its C type, which nothing checks.
  @unsafe package func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    guard let address = unsafe dlsym(handle, name) else { return nil }
    return unsafe unsafeBitCast(address, to: type)
  }
}
