import VaultSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// Runs a program of the PATH without a shell, and returns its standard output.
  ///
  /// Its input is empty, and its stderr is dropped. The result is nil if the program does not exist, fails, or exceeds
  /// the limit.
  ///
  /// - Parameters:
  ///   - variables: the whole environment, as `NAME=VALUE`.
  ///   - limit: the maximum number of bytes.
  package static func outputOfTool(
    _ name: String, _ arguments: [String], variables: [String], limit: Int
  ) -> [UInt8]? {
    guard let ends = try? makePipe() else { return nil }
    let streams = ChildStreams(output: ends.writing, closesOthers: true)
    let process = try? spawn(name, [name] + arguments, variables: variables, streams: streams)
    close(ends.writing)
    let output = process == nil ? nil : bytes(from: ends.reading, limit: limit)
    // Closed before the wait, so that a program that writes more than the limit ends too.
    close(ends.reading)
    guard let process else { return nil }
    return ChildProcess.end(of: process).status == 0 ? output : nil
  }

  /// Runs a program of the PATH without a shell, with `value` as its input. Its output is dropped.
  ///
  /// Returns its exit code, or 128 and the number of the signal that ended it; nil if there is no such program.
  package static func giveToTool(_ name: String, arguments: [String], value: RawSpan) throws(SystemError) -> Int32? {
    let streams = ChildStreams(closesOthers: true, dropsOutput: true)
    return try give(value, to: name, arguments: arguments, variables: variablesForTools(), streams: streams) {}
  }

  /// Runs a program of the PATH without a shell and without a terminal, with `value` as its input. The output is read
  /// after the whole value was written, so a program that answers at length before it reads would hang.
  ///
  /// Returns its exit code as above, and its output to stdout and stderr, each empty if it exceeds 16 MiB; nil if there
  /// is no such program.
  ///
  /// - Parameters:
  ///   - variables: the whole environment, as `NAME=VALUE`.
  ///   - kept: descriptors that the program inherits as well.
  package static func answerOfTool(
    _ name: String, arguments: [String], value: RawSpan, variables: [String], kept: [Int32] = []
  ) throws(SystemError) -> (code: Int32, text: String)? {
    let answer = try answer(of: name, arguments, value, variables, limit: 16 << 20) {
      ChildStreams(output: $0, errors: $0, closesOthers: true, kept: kept, isAlone: true)
    }
    return answer.map { ($0.code, String(decoding: $0.bytes, as: UTF8.self)) }
  }

  /// Runs a program as ``answerOfTool(_:arguments:value:variables:kept:)``, and returns its exit code and the bytes of
  /// its standard output, none if they exceed `limit`. Its stderr is dropped.
  package static func bytesOfTool(
    _ name: String, arguments: [String], value: RawSpan, variables: [String], limit: Int
  ) throws(SystemError) -> (code: Int32, bytes: [UInt8])? {
    try answer(of: name, arguments, value, variables, limit: limit) {
      ChildStreams(output: $0, closesOthers: true, isAlone: true)
    }
  }

  /// - Parameter streams: those of the program, with a descriptor that takes its output.
  private static func answer(
    of name: String, _ arguments: [String], _ value: RawSpan, _ variables: [String], limit: Int,
    _ streams: (_ output: Int32) -> ChildStreams
  ) throws(SystemError) -> (code: Int32, bytes: [UInt8])? {
    let ends = try makePipe()
    defer { close(ends.reading) }
    var said: [UInt8] = []
    let code = try give(value, to: name, arguments: arguments, variables: variables, streams: streams(ends.writing)) {
      close(ends.writing)
      said = bytes(from: ends.reading, limit: limit) ?? []
    }
    return code.map { ($0, said) }
  }

  /// - Parameter whenGiven: is called between the end of the value and the end of the program.
  private static func give(
    _ value: RawSpan, to name: String, arguments: [String], variables: [String], streams: ChildStreams,
    whenGiven: () -> Void
  ) throws(SystemError) -> Int32? {
    let ends = try makePipe()
    var streams = streams
    streams.input = ends.reading
    let process = Result { () throws(SystemError) in
      try spawn(name, [name] + arguments, variables: variables, streams: streams)
    }
    close(ends.reading)
    // If the program ends before it has read everything, its exit code tells why.
    if case .success = process { try? writeAll(value, to: ends.writing) }
    close(ends.writing)
    whenGiven()
    do throws(SystemError) {
      return ChildProcess.end(of: try process.get()).shellStatus
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }

  /// The environment without our own variables, because some of them lead to keys.
  ///
  /// - Parameter isForbidding: whether this run must not reveal secrets, so that the tool must not start one that does.
  package static func variablesForTools(isForbidding: Bool = false) -> [String] {
    let kept = isForbidding ? [] : [Revealing.forbidding, Revealing.allowing].map { $0 + "=" }
    let variables = allVariables().filter { variable in
      !variable.hasPrefix("CVAULT_") || kept.contains { variable.hasPrefix($0) }
    }
    return variables + (isForbidding ? ["\(Revealing.forbidding)=1"] : [])
  }

  package static func hasTool(_ name: String) -> Bool { path(ofTool: name) != nil }

  package static func path(ofTool name: String) -> String? {
    guard !name.contains("/") else { return ProcessEnvironment.realPath(name) }
    let folders = environment("PATH")?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }.first { mayRun($0) }
  }

  /// The path of the program that started this one; nil if it is unknown.
  package static var callerPath: String? { ProcessEnvironment.realPath("/proc/\(getppid())/exe") }

  /// The content of a descriptor; nil if it exceeds `limit`, or on failure.
  package static func bytes(from descriptor: Int32, limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    let isWhole = forEachPiece(from: descriptor) { piece in
      guard bytes.count + piece.count <= limit else { return false }
      bytes += piece
      return true
    }
    return isWhole ? bytes : nil
  }

  /// Passes the content of a descriptor to `body`, until the end or until `body` returns false. Returns whether the end
  /// was reached.
  package static func forEachPiece(from descriptor: Int32, _ body: (ArraySlice<UInt8>) -> Bool) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var span = chunk.mutableSpan
      // Unsafe because any bytes can be stored; a UInt8 may be any byte.
      var raw = unsafe span.mutableBytes
      guard let count = try? readSome(into: &raw, at: 0, from: descriptor) else { return false }
      if count == 0 { return true }
      guard body(chunk[..<count]) else { return false }
    }
  }

  /// The whole environment, each variable as `NAME=VALUE`.
  package static func allVariables() -> [String] {
    if let run = Invocation.current { return run.variables }
    var variables: [String] = []
    var next = unsafe environ
    while let text = unsafe next.pointee {
      unsafe variables.append(String(cString: text))
      unsafe next += 1
    }
    return variables
  }
}
