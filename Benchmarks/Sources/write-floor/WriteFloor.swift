#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Only writes: the time of the disk for the files of a vault.
///
/// Usage: write-floor many DIR COUNT BYTES writes COUNT files into 256 folders of a new DIR and syncs once. write-floor
/// exchange DIR COUNT BYTES does so beside DIR, exchanges both folders and syncs the one above; the old one stays.
/// write-floor one DIR BYTES replaces one file durably (create, write, fsync, rename, fsync the folder), 9 times, and
/// prints the median in nanoseconds.
@main
enum WriteFloor {
  static func main() {
    let arguments = CommandLine.arguments
    if arguments.count == 5, arguments[1] == "many", let count = Int(arguments[3]), let size = Int(arguments[4]) {
      writeMany(arguments[2], count: count, content: [UInt8](repeating: UInt8(ascii: "x"), count: size))
    } else if arguments.count == 5, arguments[1] == "exchange", let count = Int(arguments[3]),
      let size = Int(arguments[4])
    {
      let new = arguments[2] + ".new"
      writeMany(new, count: count, content: [UInt8](repeating: UInt8(ascii: "x"), count: size))
      exchange(new, with: arguments[2])
    } else if arguments.count == 4, arguments[1] == "one", let size = Int(arguments[3]) {
      print(writeOne(arguments[2], content: [UInt8](repeating: UInt8(ascii: "x"), count: size)))
    } else {
      print("usage: write-floor many DIR COUNT BYTES | exchange DIR COUNT BYTES | one DIR BYTES")
      exit(64)
    }
  }

  static func writeMany(_ directory: String, count: Int, content: [UInt8]) {
    unsafe mkdir(directory, 0o700)
    for folder in 0..<256 { unsafe mkdir("\(directory)/\(hex(folder))", 0o700) }
    for number in 0..<count {
      let file = create("\(directory)/\(hex(number % 256))/\(hex(number % 256))\(number).json")
      write(content, to: file)
      close(file)
    }
    sync()
  }

  static func exchange(_ new: String, with old: String) {
    #if canImport(Darwin)
      let result = unsafe renamex_np(new, old, UInt32(RENAME_SWAP))
    #else
      typealias Call = @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
      guard let symbol = unsafe dlsym(nil, "renameat2") else { fail("renameat2") }
      // Safe: the signature of renameat2(2); 2 is RENAME_EXCHANGE.
      let result = unsafe unsafeBitCast(symbol, to: Call.self)(AT_FDCWD, new, AT_FDCWD, old, 2)
    #endif
    guard result == 0 else { fail(old) }
    let parent = unsafe open(old + "/..", O_RDONLY | O_DIRECTORY)
    guard parent >= 0, fsync(parent) == 0 else { fail(old) }
  }

  static func writeOne(_ directory: String, content: [UInt8]) -> Int64 {
    let clock = ContinuousClock()
    let folder = unsafe open(directory, O_RDONLY | O_DIRECTORY)
    guard folder >= 0 else { fail(directory) }
    var durations: [Int64] = []
    for number in 0..<9 {
      let path = "\(directory)/write-floor-\(number)"
      let duration = clock.measure {
        let file = create(path + ".tmp")
        write(content, to: file)
        fsync(file)
        close(file)
        unsafe rename(path + ".tmp", path)
        fsync(folder)
      }
      durations.append(Int64(duration / .nanoseconds(1)))
      unsafe unlink(path)
    }
    return durations.sorted()[durations.count / 2]
  }

  static func create(_ path: String) -> Int32 {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { fail(path) }
    return file
  }

  static func write(_ content: [UInt8], to file: Int32) {
    let written = unsafe content.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
    guard written == content.count else { fail("a file") }
  }

  static func hex(_ number: Int) -> String {
    let text = String(number, radix: 16)
    return text.count == 1 ? "0" + text : text
  }

  static func fail(_ path: String) -> Never {
    print("write-floor: \(path): error \(errno)")
    exit(1)
  }
}
