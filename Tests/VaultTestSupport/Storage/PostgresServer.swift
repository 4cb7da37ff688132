internal import VaultSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A database server of the tests' own, with a pooler before it, as `Scripts/postgres-server` starts it. It ends with
/// the process that it was started by, however that ends.
package struct PostgresServer: Sendable {
  /// The port of the server, on 127.0.0.1.
  package let port: Int
  /// The port of PgBouncer, which gives a connection to one transaction at a time; nil where it is not installed.
  package let poolerPort: Int?
  /// Where the server's files are.
  package let folder: String
  private let input: Int32
  private let output: Int32
  private let process: Int32

  /// One for all tests that do nothing to the server itself; nil where none can be started.
  package static let shared = PostgresServer()

  /// What tests of it need.
  package static let need = Need(shared != nil, otherwise: "no PostgreSQL server can be started here")
  /// What tests of the pooler need.
  package static let poolerNeed = Need(shared?.poolerPort != nil, otherwise: "PgBouncer is not installed")

  /// Starts another one; nil where that is not possible.
  ///
  /// - Parameter settings: `NAME=VALUE` for its configuration.
  package init?(settings: [String] = []) {
    let (toChild, fromChild) = (Self.pipe(), Self.pipe())
    let script = OwnVectors.package + "/Scripts/postgres-server"
    // What else is open here stays here: a server outlives the tests that run beside it, and one that held the writing
    // end of another's input would keep it from ending.
    let streams = ChildStreams(input: toChild.reading, output: fromChild.writing, kept: [], isAlone: true)
    defer { close(toChild.reading) }
    guard let process = try? ChildProcess.start(script, [script] + settings, streams: streams) else {
      for file in [toChild.writing, fromChild.writing, fromChild.reading] { close(file) }
      return nil
    }
    (input, output, self.process) = (toChild.writing, fromChild.reading, process)
    close(fromChild.writing)
    let words = Self.line(from: fromChild.reading).split(separator: " ").map(String.init)
    guard words.count == 4, words[0] == "ready", let port = Int(words[1]), let pooler = Int(words[2]) else {
      for file in [toChild.writing, fromChild.reading] { close(file) }
      _ = ChildProcess.end(of: process)
      return nil
    }
    (self.port, poolerPort, folder) = (port, pooler == 0 ? nil : pooler, words[3])
  }

  /// Ends it.
  ///
  /// A child whose end nobody has asked for keeps tests that end a process of their own waiting for ever.
  package func stop() {
    close(input)
    _ = ChildProcess.end(of: process)
    close(output)
  }

  /// Stops the server as a power cut does, and starts it again.
  package func restart() { order("restart", "restarted") }

  /// Stops the server as a power cut does.
  package func cutPower() { order("stop", "stopped") }

  /// Starts it again.
  package func start() { order("start", "started") }

  private func order(_ word: String, _ answer: String) {
    let line = Array((word + "\n").utf8)
    // A server that does not answer leaves nothing to test.
    unsafe precondition(write(input, line, line.count) == line.count && Self.line(from: output) == answer, word)
  }

  /// The address of a vault in it.
  package func address(_ vault: String, port: Int? = nil, user: String = "tests", settings: String = "") -> String {
    "postgresql://\(user)@127.0.0.1:\(port ?? self.port)/postgres?vault=\(vault)\(settings)"
  }

  /// Does something as its administrator; what `psql` printed.
  @discardableResult
  package func run(_ statement: String, database: String = "postgres") -> ProcessOutcome {
    ProcessRun(
      path: "/usr/bin/env",
      arguments: [
        "psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", String(port), "-U", "tests",
        "-d", database, "-c", statement,
      ], environment: ["PATH": ProcessEnvironment.variable("PATH") ?? "/usr/bin:/bin"]
    ).run()
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

// Within `PostgresServer` the name is that of its own.
private func makePipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 {
  let result = unsafe pipe(ends)
  for end in unsafe [ends[0], ends[1]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return result
}
