internal import VaultStorage
internal import VaultSystem

/// One connection to a server; used by one thread at a time.
@safe final class PostgresConnection: @unchecked Sendable {
  // @unchecked: it is in one pair of hands at a time, as ``ConnectionPool`` gives it out.

  /// How long a statement may be without a word.
  static let patience = Duration.seconds(60)
  /// The same where many records change at once.
  static let longPatience = Duration.seconds(900)
  /// How long a server that starts up is waited for.
  private static let startPatience = Duration.seconds(10)
  /// PQPING_OK, PQPING_REJECT, with which a server says that it starts or stops (57P03), and PQPING_NO_RESPONSE.
  private static let (started, starting, noAnswer): (Int32, Int32, Int32) = (0, 1, 2)
  /// What may come between two rows: a row holds one part of a document, of at most 1 MiB.
  private static let byteLimit = 32 << 20

  private let library: PostgresLibrary
  private let handle: PostgresLibrary.Handle
  /// Whether it is of no more use.
  private(set) var isLost = false

  /// Connects.
  ///
  /// - Throws: `StoreError` `.ioFailed` naming the host.
  init(_ address: PostgresAddress, applicationName: String, password: String?) throws(StoreError) {
    library = try PostgresLibrary.required()
    let parameters = address.parameters(applicationName: applicationName, password: password)
    unsafe handle = try Self.connect(library, parameters, address.host)
    // Notices are the server's words, and not for anybody's screen.
    _ = unsafe library.setNoticeProcessor(handle, { _, _ in }, nil)
  }

  deinit { unsafe library.finish(handle) }

  /// Connects, again and again for a while where the server says that it is starting up.
  private static func connect(
    _ library: PostgresLibrary, _ parameters: [String: String], _ host: String
  ) throws(StoreError) -> OpaquePointer {
    let end = ContinuousClock.now + startPatience
    var hasStarted = false
    while true {
      guard let handle = unsafe pass(parameters, to: library.connect) else {
        throw StoreError(.ioFailed, reason: "there is no memory for a connection", path: host)
      }
      guard unsafe library.status(handle) != 0 else { return unsafe handle }
      // The message of libpq names a host, a user, a file, and says why; never the password.
      let fault = unsafe ServerFault(state: "", text: text(library.errorMessage(handle)), isLost: true)
      // One that asked for a password is up, and need not be asked twice.
      let isUp = unsafe library.usedPassword(handle) != 0 || hasStarted
      unsafe library.finish(handle)
      let isAsked = !isUp && ContinuousClock.now < end
      switch isAsked ? unsafe pass(asking(parameters), to: library.ping) : noAnswer {
      case starting: LiveFileOperations().sleep(.milliseconds(100))
      // It may be so since a moment: then this is the last try.
      case started: hasStarted = true
      default: throw StoreError(.ioFailed, reason: "no connection to the database", path: host, underlying: fault)
      }
    }
  }

  /// The same for a question that is answered at once, or does not matter.
  private static func asking(_ parameters: [String: String]) -> [String: String] {
    parameters.merging(["connect_timeout": "2"]) { $1 }
  }

  /// Gives parameters to libpq, which copies both lists, of NUL-terminated text and ended by a null.
  private static func pass<Answer>(
    _ parameters: [String: String],
    to function: (UnsafePointer<PostgresLibrary.Text?>, UnsafePointer<PostgresLibrary.Text?>, Int32) -> Answer
  ) -> Answer {
    let all = Array(parameters)
    var names = unsafe all.map { unsafe copied($0.key) } + [nil]
    var values = unsafe all.map { unsafe copied($0.value) } + [nil]
    defer { unsafe (names + values).forEach { unsafe $0?.deallocate() } }
    return unsafe function(&names, &values, 0)
  }

  private static func copied(_ text: String) -> UnsafePointer<CChar>? {
    let bytes = text.utf8.map { CChar(bitPattern: $0) } + [0]
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    unsafe copy.initialize(from: bytes, count: bytes.count)
    return unsafe UnsafePointer(copy)
  }

  private static func text(_ text: UnsafePointer<CChar>?) -> String {
    guard let text = unsafe text else { return "" }
    return unsafe ServerFault.printable(String(cString: text).utf8)
  }
}

extension PostgresConnection {
  /// The server's version, such as 150018.
  var serverVersion: Int { Int(unsafe library.serverVersion(handle)) }
  /// Who this is to the server.
  var user: String { unsafe Self.text(library.user(handle)) }
  /// How the connection is encrypted; nil when it is not.
  var encryption: String? {
    let version = unsafe Self.text(library.tlsAttribute(handle, "protocol"))
    let cipher = unsafe Self.text(library.tlsAttribute(handle, "cipher"))
    return version.isEmpty ? nil : version + " " + cipher
  }

  /// Runs a statement for its effect; the number of rows that it changed.
  @discardableResult
  func run(
    _ statement: String, _ values: [SQLValue] = [], patience: Duration = patience
  ) throws(ServerFault) -> Int {
    try send(statement, values)
    var count = 0
    try unsafe results(within: patience) { result, _ in
      count = unsafe Int(Self.text(library.answers.commandTuples(result))) ?? 0
      return true
    }
    return count
  }

  /// The one row of an answer; nil when it has none. More of them have no end.
  func row(_ statement: String, _ values: [SQLValue] = []) throws(ServerFault) -> SQLRow? {
    var only: SQLRow?
    try rows(
      statement, values,
      each: { row throws(ServerFault) in
        guard only == nil else { throw .tooMuch }
        only = row
      })
    return only
  }

  /// Gives the rows of an answer one by one, as they come, until `body` returns false.
  ///
  /// Stopping early ends the connection: what has not been read is on its way already.
  func rows(
    _ statement: String, _ values: [SQLValue] = [], patience: Duration = patience, _ body: (SQLRow) -> Bool
  ) throws(ServerFault) {
    try send(statement, values)
    _ = unsafe library.setSingleRowMode(handle)
    try unsafe results(within: patience) { result, status in
      guard status == ResultStatus.singleRow else { return true }
      return body(unsafe row(of: result))
    }
  }

  /// Gives each row of an answer; one that is not of the form that the statement asks for ends the connection.
  func rows(
    _ statement: String, _ values: [SQLValue] = [], each body: (SQLRow) throws(ServerFault) -> Void
  ) throws(ServerFault) {
    var fault: ServerFault?
    try rows(statement, values) { row in
      do throws(ServerFault) { try body(row) } catch { fault = error }
      return fault == nil
    }
    if let fault { throw fault }
  }

  /// Sends rows that `COPY … FROM STDIN (FORMAT binary)` takes.
  func copy(_ statement: String, _ bytes: [UInt8]) throws(ServerFault) {
    try send(statement, [])
    var isReady = false
    try unsafe results(within: Self.patience, untilCopy: true) { _, status in
      isReady = status == ResultStatus.copyIn
      return true
    }
    guard isReady else { throw .malformed }
    // In pieces of 1 MiB: libpq keeps what it has not sent yet.
    for start in stride(from: 0, to: bytes.count, by: 1 << 20) {
      let piece = bytes[start..<min(start + 1 << 20, bytes.count)]
      let isSent = unsafe piece.withUnsafeBytes { buffer in
        unsafe library.putCopyData(
          handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count))
      }
      guard isSent == 1 else { throw lost() }
    }
    guard unsafe library.putCopyEnd(handle, nil) == 1 else { throw lost() }
    try unsafe results(within: Self.longPatience) { _, _ in true }
  }

  private func send(_ statement: String, _ values: [SQLValue]) throws(ServerFault) {
    guard !isLost else { throw lost() }
    // NULL is told by a missing pointer, so an empty value needs one, too.
    var storage: [UInt8] = []
    let starts = values.map { value -> Int? in
      guard let bytes = value.bytes else { return nil }
      defer { storage += bytes }
      return storage.count
    }
    storage.append(0)
    let isSent = unsafe storage.withUnsafeBytes { buffer in
      let base = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      let pointers = unsafe starts.map { start in unsafe start.flatMap { unsafe base?.advanced(by: $0) } }
      // Safe: the arrays live for the length of the call, which copies them, and their sizes are told.
      return unsafe library.sendQuery(
        handle, statement, Int32(values.count), values.map(\.type), pointers,
        values.map { Int32($0.bytes?.count ?? 0) }, values.map { _ in 1 }, 1)
    }
    guard isSent == 1 else { throw lost() }
  }

  private func row(of result: OpaquePointer) -> SQLRow {
    SQLRow(
      cells: (0..<(unsafe library.answers.columnCount(result))).map { column in
        guard unsafe library.answers.isNull(result, 0, column) == 0,
          let start = unsafe library.answers.value(result, 0, column)
        else {
          return nil
        }
        // Safe: libpq has that many bytes there until the result is cleared.
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(library.answers.length(result, 0, column))))
      })
  }
}

private enum ResultStatus {
  static let commandOK: Int32 = 1
  static let tuplesOK: Int32 = 2
  static let copyIn: Int32 = 4
  static let singleRow: Int32 = 9
}

extension PostgresConnection {
  /// Gives each result of a statement to `body` until there is none, or an error, or it returns false.
  private func results(
    within patience: Duration, untilCopy: Bool = false, _ body: (OpaquePointer, Int32) -> Bool
  ) throws(ServerFault) {
    var fault: ServerFault?
    while let result = try unsafe next(within: patience) {
      defer { unsafe library.answers.clear(result) }
      let status = unsafe library.answers.resultStatus(result)
      switch status {
      case ResultStatus.commandOK, ResultStatus.tuplesOK, ResultStatus.singleRow:
        guard unsafe body(result, status) else {
          isLost = true
          return
        }
      case ResultStatus.copyIn where untilCopy:
        _ = unsafe body(result, status)
        return
      default:
        // What follows an error is only its end.
        fault = fault ?? (unsafe self.fault(of: result))
      }
    }
    if let fault { throw fault }
  }

  /// The next result, waited for; nil after the last.
  private func next(within patience: Duration) throws(ServerFault) -> OpaquePointer? {
    let end = ContinuousClock.now + patience
    var byteCount = 0
    while unsafe library.isBusy(handle) != 0 {
      let socket = unsafe library.socket(handle)
      guard socket >= 0 else { throw lost() }
      if LocalSocket.wait(for: [socket], milliseconds: 1000) == [true] {
        byteCount += LocalSocket.waitingByteCount(socket)
        guard byteCount <= Self.byteLimit else { throw lost(.tooMuch) }
        guard unsafe library.consumeInput(handle) == 1 else { throw lost() }
      } else if ContinuousClock.now > end {
        throw lost(.silent)
      }
    }
    return unsafe library.getResult(handle)
  }

  private func fault(of result: OpaquePointer) -> ServerFault {
    // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY.
    let state = unsafe Self.text(library.answers.resultErrorField(result, 67))
    let isKnown = state.utf8.count == 5 && state.utf8.allSatisfy { $0 > 0x20 }
    let text = unsafe Self.text(library.answers.resultErrorField(result, 77))
    // The server has ended the connection: 08 is the connection itself, 57P what an administrator did.
    let isClosed = unsafe library.status(handle) != 0
    isLost = isLost || !isKnown || isClosed || state.hasPrefix("08") || state.hasPrefix("57P")
    return ServerFault(
      state: isKnown ? state : "", text: text.isEmpty ? "no answer" : text, isLost: isLost)
  }

  private func lost(_ fault: ServerFault? = nil) -> ServerFault {
    isLost = true
    if let fault { return fault }
    return unsafe ServerFault(state: "", text: Self.text(library.errorMessage(handle)), isLost: true)
  }
}
