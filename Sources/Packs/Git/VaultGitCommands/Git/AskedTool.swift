import VaultSystem
import VaultTerminal

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A program of the PATH that answers questions until this value is destroyed. It runs without a shell, and its stderr
/// is dropped.
struct AskedTool: ~Copyable {
  private static let pieceByteCount = 1 << 16

  private let process: pid_t
  private let questions: Int32
  private let answers: Int32
  private var piece = [UInt8](repeating: 0, count: pieceByteCount)
  /// The part of the piece that was not consumed yet.
  private var rest = 0..<0

  /// - Parameter variables: the whole environment, as `NAME=VALUE`.
  init(_ name: String, _ arguments: [String], variables: [String]) throws(SystemError) {
    let questions = try System.makePipe()
    let (answers, process) = try Self.start(name, arguments: arguments, variables: variables, asking: questions)
    (self.questions, self.answers, self.process) = (questions.writing, answers, process)
  }

  private static func start(
    _ name: String, arguments: [String], variables: [String], asking questions: (reading: Int32, writing: Int32)
  ) throws(SystemError) -> (answers: Int32, process: pid_t) {
    defer { close(questions.reading) }
    var open = [questions.writing]
    do throws(SystemError) {
      let answers = try System.makePipe()
      defer { close(answers.writing) }
      open.append(answers.reading)
      let streams = ChildStreams(input: questions.reading, output: answers.writing, closesOthers: true)
      let process = try System.spawn(name, [name] + arguments, variables: variables, streams: streams)
      return (answers.reading, process)
    } catch {
      for descriptor in open { close(descriptor) }
      throw error
    }
  }

  deinit {
    // Both are closed before the wait, so that the program can neither read nor write further.
    close(questions)
    close(answers)
    _ = ChildProcess.end(of: process)
  }

  /// Sends a question. Unread questions must fit into a pipe together.
  func ask(_ question: [UInt8]) throws(SystemError) { try System.writeAll(question, to: questions) }

  /// The rest of a line; nil at the end, or if the line exceeds the limit.
  mutating func line(limit: Int) -> [UInt8]? {
    var line: [UInt8] = []
    while line.count <= limit, fill() {
      if let end = piece[rest].firstIndex(of: UInt8(ascii: "\n")) {
        line += piece[rest.lowerBound..<end]
        rest = end + 1..<rest.upperBound
        return line
      }
      line += piece[rest]
      rest = 0..<0
    }
    return nil
  }

  /// `count` bytes; nil if the program ends before.
  mutating func bytes(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    // The program itself gives the count, so memory is reserved only in pieces.
    bytes.reserveCapacity(min(count, Self.pieceByteCount))
    while bytes.count < count {
      guard fill() else { return nil }
      let taken = rest.prefix(count - bytes.count)
      bytes += piece[taken]
      rest = taken.upperBound..<rest.upperBound
    }
    return bytes
  }

  /// Waits for more bytes. Returns false at the end.
  private mutating func fill() -> Bool {
    guard rest.isEmpty else { return true }
    let answers = answers
    var span = piece.mutableSpan
    // Unsafe because any bytes can be stored; a UInt8 may be any byte.
    var raw = unsafe span.mutableBytes
    guard let count = try? System.readSome(into: &raw, at: 0, from: answers), count > 0 else { return false }
    rest = 0..<count
    return true
  }
}
