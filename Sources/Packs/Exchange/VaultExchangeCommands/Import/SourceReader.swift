import VaultCrypto
import VaultExchange
import VaultPackSupport
import VaultSystem
import VaultTerminal

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The process that reads a file of another tool: this program with `--parse-only`, without any key.
///
/// Even a hostile file can only produce lines or an error here. The process ends with its last reference.
final class SourceReader {
  /// The environment of the process, without variables about vaults and keys.
  private static let variables = ["LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"]

  private let name: String
  private let limits: ReaderLimits
  private let askedPassphrase: () throws -> SecretBytes
  private let progress: Progress
  private let output: ReaderPipe
  private var lines: Lines
  /// Takes the passphrase of the file once; nil after that.
  private var passphraseEnd: Int32?
  private var process: Int32?
  private var format: String
  private var importer: (any Importer)?
  private var counts = ReaderCounts()
  /// The fault at which the reading stopped; known after all items.
  private(set) var fault: SourceFault?

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - arguments: the arguments of the reading command, with the file at their end.
  ///   - kept: descriptors that the arguments name.
  ///   - passphrase: asks for the passphrase of the file, if it has one.
  init(
    of file: String, format: String, arguments: [String], kept: [Int32], progress: Progress,
    passphrase: @escaping () throws -> SecretBytes
  ) throws {
    name = file == "-" ? "stdin" : file
    self.format = format
    self.progress = progress
    askedPassphrase = passphrase
    let status = file == "-" ? System.state(of: System.standardInput) : System.status(of: file)
    let isFile = status?.kind == .regular
    limits = ReaderLimits(byteCount: isFile ? status?.byteCount : nil)
    let (result, answer) = (try System.makePipe(), try System.makePipe())
    defer {
      System.closePipe(result.writing)
      System.closePipe(answer.reading)
    }
    // Input from the keyboard or a pipe takes its time.
    output = ReaderPipe(result.reading, limits, isTimed: isFile || status?.kind == .directory)
    lines = Lines(from: output.next, limit: ReaderLimits.lineByteCount)
    passphraseEnd = answer.writing
    let input = kept.contains(System.standardInput) ? System.standardInput : nil
    let streams = ChildStreams(
      input: input, output: result.writing, closesOthers: true, kept: kept + [answer.reading], isAlone: true)
    process = try System.spawn(
      System.ownProgram,
      ["vault", "import", "--parse-only", "--no-input", "--source-passphrase-fd=\(answer.reading)"] + arguments,
      variables: Self.environment, streams: streams)
  }

  private static var environment: [String] {
    System.allVariables().filter { variable in
      let name = String(variable.prefix { $0 != "=" })
      return variables.contains(name) || name.hasPrefix("LC_")
    }
  }

  deinit {
    closePassphrase()
    _ = stop()
  }

  /// Waits until the format of the file is known.
  func begin() throws -> any Importer {
    while true {
      switch try line() {
      case .begin(let name):
        guard let found = try? ImportFormats.named(name), format == "auto" || format == name else { throw broken() }
        (format, importer) = (name, found)
        return found
      case .asks: try givePassphrase()
      case .read(let percents): pass(percents)
      case .failed(let error): throw error
      case .item, .stopped, .end: throw broken()
      }
    }
  }

  /// The next item; nil after the reader has finished.
  func next() throws -> ImportedItem? {
    while true {
      switch try line() {
      case .item(let item):
        guard fault == nil, isOfFormat(item) else { throw broken() }
        counts.add(item)
        return item
      case .stopped(let stopped):
        guard fault == nil else { throw broken() }
        fault = stopped
      case .end(let counts):
        guard counts == self.counts else { throw broken() }
        try finish()
        return nil
      case .asks: try givePassphrase()
      case .read(let percents): pass(percents)
      case .failed(let error): throw error
      case .begin: throw broken()
      }
    }
  }

  /// Whether the external id belongs to the format. An entry must not name a record that came from another format.
  private func isOfFormat(_ item: ImportedItem) -> Bool {
    guard case .record(let record) = item, let id = record.externalID, let importer else { return true }
    return id.utf8.starts(with: "\(importer.format.idPrefix):".utf8)
  }

  private func pass(_ percents: Int) { progress.pass(Double(percents) / 100) }

  private func givePassphrase() throws {
    guard let end = passphraseEnd else { throw broken() }
    let secret = try askedPassphrase()
    // If the reader has ended, its last line says so.
    try? secret.withBytes { bytes throws(SystemError) in try System.writeAll(bytes, to: end) }
    closePassphrase()
  }

  private func closePassphrase() {
    if let end = passphraseEnd.take() { System.closePipe(end) }
  }
}

// MARK: - Ends

extension SourceReader {
  private func line() throws -> ReaderLine {
    guard let bytes = lines.next()?.bytes else { throw ended() }
    // A reader that dies while writing leaves an incomplete line.
    guard let line = ReaderLine(bytes) else { throw output.hasEnded ? ended() : broken() }
    return line
  }

  /// Requires that nothing follows the last line.
  private func finish() throws {
    guard lines.next() == nil, !lines.hasTooLong else { throw broken() }
    if output.failure != nil { throw ended() }
    _ = process.take().map { ChildProcess.end(of: $0) }
  }

  private func stop() -> ChildEnd? {
    process.take().map { process in
      ChildProcess.kill(process)
      return ChildProcess.end(of: process)
    }
  }

  private func broken() -> CommandError {
    _ = stop()
    return error("wrote something other than records")
  }

  private func ended() -> CommandError {
    if let failure = output.failure ?? (lines.hasTooLong ? .tooMuch : nil) {
      _ = stop()
      return error(failure == .tooLate ? late : "wrote more than the file can contain")
    }
    guard let end = process.take().map({ ChildProcess.end(of: $0) }) else { return error("ended too early") }
    if end.isOutOfTime { return error(late) }
    // A failed allocation often doubles the present memory.
    if end.isCrash, end.peakByteCount > limits.memoryByteCount / 4 { return error("used too much memory") }
    return error(
      end.signal.map { "was ended by signal \($0)" } ?? "ended with exit status \(end.exitCode) before it was done")
  }

  private var late: String { "took longer than \(limits.processorSeconds) s" }

  private func error(_ what: String) -> CommandError {
    let reader = format == "auto" ? "its reader" : "the reader of \(format)"
    var error = CommandError(
      .inputRefused, "reader_failed", subject: name, "\(reader) \(what); nothing was stored",
      hints: ["`vault import \(format) FILE --parse-only` shows how far it reads; it prints secrets in clear"])
    error.file = name
    return error
  }
}

private final class ReaderPipe {
  enum Failure { case tooLate, tooMuch, unreadable }

  private(set) var failure: Failure?
  private(set) var hasEnded = false
  private let descriptor: Int32
  private let limits: ReaderLimits
  private let isTimed: Bool
  private var byteCount = 0

  init(_ descriptor: Int32, _ limits: ReaderLimits, isTimed: Bool) {
    (self.descriptor, self.limits, self.isTimed) = (descriptor, limits, isTimed)
  }

  deinit { System.closePipe(descriptor) }

  /// The next piece; empty at the end.
  func next() -> [UInt8] {
    guard System.waitToRead(descriptor, seconds: isTimed ? limits.processorSeconds : nil) else { return fail(.tooLate) }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    var span = piece.mutableSpan
    // Unsafe because any bytes can be stored; a UInt8 may be any byte.
    var raw = unsafe span.mutableBytes
    guard let count = try? System.readSome(into: &raw, at: 0, from: descriptor) else { return fail(.unreadable) }
    byteCount += count
    hasEnded = count == 0
    guard byteCount <= limits.outputByteCount else { return fail(.tooMuch) }
    piece.removeLast(piece.count - count)
    return piece
  }

  private func fail(_ failure: Failure) -> [UInt8] {
    self.failure = failure
    return []
  }
}

extension System {
  /// Waits until a descriptor has input or has ended, and returns whether it has.
  ///
  /// - Parameter seconds: the timeout; nil to wait forever. Time in which this process is stopped does not count.
  fileprivate static func waitToRead(_ descriptor: Int32, seconds: Int?) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard var rest = seconds else { return true }
    while rest > 0 {
      if unsafe poll(&polled, 1, 1000) > 0 { return true }
      rest -= 1
    }
    return false
  }

  /// The first line feed from `start` on.
  static func firstLineFeed(in bytes: [UInt8], from start: Int) -> Int? {
    unsafe bytes.withUnsafeBytes { buffer in
      guard start < buffer.count, let base = buffer.baseAddress else { return nil }
      // Safe: the range lies in the buffer.
      guard let found = unsafe memchr(base + start, 0x0A, buffer.count - start) else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }
}
