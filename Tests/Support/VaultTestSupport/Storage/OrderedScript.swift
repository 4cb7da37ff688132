internal import VaultSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A script of the tests that runs beside them, takes orders as lines and answers each with one. It ends when its input
/// does, so with the process that it was started by.
struct OrderedScript: Sendable {
  private let input: Int32
  private let output: Int32
  private let process: Int32

  /// Starts a script of `Scripts`; nil where it says nothing.
  ///
  /// - Returns: the script, and the words of its first line.
  static func start(_ name: String, _ arguments: [String]) -> (script: OrderedScript, words: [String])? {
    let (toChild, fromChild) = (pipe(), pipe())
    let path = OwnVectors.package + "/Scripts/" + name
    // Other open descriptors stay here: a script outlives the tests that run beside it, and if it held the writing end
    // of another script's input, that script would never end.
    let streams = ChildStreams(input: toChild.reading, output: fromChild.writing, kept: [], isAlone: true)
    let process = try? ChildProcess.start(path, [path] + arguments, streams: streams)
    close(toChild.reading)
    close(fromChild.writing)
    let words = process == nil ? [] : line(from: fromChild.reading).split(separator: " ").map(String.init)
    guard let process, !words.isEmpty else {
      for file in [toChild.writing, fromChild.reading] { close(file) }
      if let process { _ = ChildProcess.end(of: process) }
      return nil
    }
    return (OrderedScript(input: toChild.writing, output: fromChild.reading, process: process), words)
  }

  /// Ends it.
  func stop() {
    close(input)
    // A child whose end nobody asked for keeps tests that end a process of their own waiting for ever.
    _ = ChildProcess.end(of: process)
    close(output)
  }

  /// Gives an order; the line that it answers with.
  func order(_ words: String) -> String {
    let line = Array((words + "\n").utf8)
    // One that takes no orders leaves nothing to test.
    unsafe precondition(write(input, line, line.count) == line.count, words)
    return Self.line(from: output)
  }

  func order(_ words: String, expecting answer: String) {
    let given = order(words)
    precondition(given == answer, "\(words): \(given)")
  }

  private static func line(from file: Int32) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(file, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count != 1 || byte == UInt8(ascii: "\n") { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func pipe() -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    // Without a pipe there is no test.
    unsafe precondition(makePipe(&ends) == 0)
    return (ends[0], ends[1])
  }
}

// Within `OrderedScript` the name is that of its own.
private func makePipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 {
  let result = unsafe pipe(ends)
  for end in unsafe [ends[0], ends[1]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return result
}
