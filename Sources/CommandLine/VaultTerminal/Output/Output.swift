import Synchronization
package import VaultDocument
import VaultSealing

/// Standard output: only the answer of a command.
package enum Output {
  /// Writes bytes unchanged. For a terminal, control characters are escaped.
  package static func write(_ bytes: RawSpan) throws {
    guard isTerminal else { return try writePrintable(bytes) }
    let text = unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    let shown = Array(Printable.document(text).utf8)
    try unsafe writePrintable(shown.span.bytes)
  }

  /// Writes bytes that are already safe for a terminal. If the reader has closed the pipe, the command ends quietly.
  package static func writePrintable(_ bytes: RawSpan) throws {
    if let part { return try part.take(bytes) }
    try writeOut(bytes)
  }

  /// The part of a larger answer that is being written; nil for the whole.
  @TaskLocal package static var part: OutputPart?

  /// A closed pipe ends the command with success.
  fileprivate static func writeOut(_ bytes: RawSpan) throws {
    System.showTyping()
    do throws(SystemError) {
      try System.writeAll(bytes, to: System.standardOutput, path: "stdout")
    } catch {
      if error.isClosedPipe { throw Finished(status: .done) }
      throw error
    }
  }

  /// Writes bytes that are useless in part, so a closed pipe is an error.
  package static func writeWhole(_ bytes: [UInt8]) throws {
    System.showTyping()
    do throws(SystemError) {
      try System.writeAll(bytes, to: System.standardOutput, path: "stdout")
    } catch {
      guard error.isClosedPipe else { throw error }
      throw CommandError(
        .inputOutput, "io_failed", subject: "stdout", "was closed before all of it was written",
        hints: ["run the command again: the output is incomplete"])
    }
  }

  package static func write(_ bytes: [UInt8]) throws { try unsafe write(bytes.span.bytes) }

  package static func line(_ text: String) throws {
    let bytes = Array((text + "\n").utf8)
    try unsafe writePrintable(bytes.span.bytes)
  }

  package static func lines(_ lines: [String]) throws {
    guard !lines.isEmpty else { return }
    try line(lines.joined(separator: "\n"))
  }

  package static func document(_ members: KeyValuePairs<String, any DocumentValue>) throws {
    try write(try JSONValue.document(members).prettyBytes(limits: .exchange))
  }

  /// Prints the result of a change. If printing fails, the error says that the change was made.
  ///
  /// - Parameters:
  ///   - action: such as `2 records are stored`.
  ///   - hint: where to look at the result.
  package static func afterwards(
    _ action: String, hint: String = "`vault list` shows the records", _ print: () throws -> Void
  ) throws {
    do {
      try print()
    } catch let error as SystemError {
      var told = CommandError(error)
      told.reason = "\(action), but \(told.subject ?? "the output") \(told.reason)"
      told.hints = ["do not run the command again: \(hint)"]
      throw told
    }
  }

  package static var isTerminal: Bool { System.isTerminal(System.standardOutput) }
}

/// The output for one vault, if a command runs on several.
package final class OutputPart: Sendable {
  private struct Contents {
    var isAtStart = true
    var hasTitle = false
    var document: [UInt8] = []
  }

  /// The prefix of each line; nil for a document, which is kept.
  private let margin: [UInt8]?
  /// The title, which is written once before the first line.
  private let title: [UInt8]
  private let contents = Mutex(Contents())

  package init(margin: String?, title: String? = nil) {
    (self.margin, self.title) = (margin.map { Array($0.utf8) }, title.map { Array(($0 + "\n").utf8) } ?? [])
  }

  /// The document that was printed; nil for none.
  package var document: JSONValue? {
    let bytes = contents.withLock { $0.document }
    return bytes.isEmpty ? nil : try? JSONParser.parse(bytes, limits: .exchange)
  }

  /// Writes bytes with the margin before each line. The bytes of a document are only collected.
  func take(_ bytes: RawSpan) throws {
    let bytes = bytes.copiedBytes()
    guard let margin else { return contents.withLock { $0.document += bytes } }
    let lines = contents.withLock { contents in
      var lines: [UInt8] = []
      lines.reserveCapacity(bytes.count + bytes.count / 4)
      if !contents.hasTitle { lines += title }
      contents.hasTitle = true
      for byte in bytes {
        if contents.isAtStart { lines += margin }
        contents.isAtStart = byte == UInt8(ascii: "\n")
        lines.append(byte)
      }
      return lines
    }
    try unsafe Output.writeOut(lines.span.bytes)
  }
}

/// Output that is written in large pieces.
package struct OutputBuffer: ~Copyable {
  private static let capacity = 1 << 16
  private var bytes: [UInt8] = []
  private let destination: (RawSpan) throws -> Void

  package init(to destination: @escaping (RawSpan) throws -> Void) {
    self.destination = destination
    bytes.reserveCapacity(Self.capacity + Self.capacity / 16)
  }

  package mutating func append(_ text: String) throws { try append(Array(text.utf8)) }

  package mutating func append(_ more: [UInt8]) throws { try append { $0 += more } }

  package mutating func append(_ body: (inout [UInt8]) -> Void) throws {
    body(&bytes)
    if bytes.count >= Self.capacity { try flush() }
  }

  /// Writes the rest. Call it at the end.
  package mutating func flush() throws {
    guard !bytes.isEmpty else { return }
    try unsafe destination(bytes.span.bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}

extension JSONValue {
  /// The bytes of an item in the layout of an array. Strings hold no line feed, so lines can be indented.
  package func item(indent: Int) throws -> [UInt8] {
    let margin = [UInt8](repeating: UInt8(ascii: " "), count: indent)
    var bytes = margin
    bytes.reserveCapacity(2048)
    for byte in try prettyBytes(finalNewline: false, limits: .exchange) {
      bytes.append(byte)
      if byte == UInt8(ascii: "\n") { bytes += margin }
    }
    return bytes
  }

  /// A document of `--json`: an object with the version of its shape.
  package static func document(_ members: KeyValuePairs<String, any DocumentValue>) -> JSONValue {
    document(of: JSONObject(members: members))
  }

  package static func document(of members: JSONObject) -> JSONValue {
    var object = members
    object["schema"] = 1
    return .object(object)
  }
}
