#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Linux's statistics of this process; other systems have no such files, and the values are 0 there.
enum Process {
  /// The most memory that it had, in bytes.
  static var peakByteCount: Int { number(of: "VmHWM") * 1024 }
  /// The threads that it has now.
  static var threadCount: Int { number(of: "Threads") }
  /// The threads of Swift's pool: one for each core.
  static var poolCount: Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  private static func number(of name: String) -> Int {
    guard let file = unsafe fopen("/proc/self/status", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while unsafe fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard text.hasPrefix(name + ":") else { continue }
      return Int(text.filter { ("0"..."9").contains($0) }) ?? 0
    }
    return 0
  }
}
