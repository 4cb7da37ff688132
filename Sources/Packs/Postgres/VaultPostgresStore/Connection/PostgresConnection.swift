internal import Dispatch
package import VaultStorage
internal import VaultSystem

/// One connection to a server; used by one thread at a time.
@safe package final class PostgresConnection: @unchecked Sendable {
  // @unchecked: one thread has it at a time, as ``ConnectionPool`` gives it out.

  /// How long a statement may take without an answer.
  package static let patience = Duration.seconds(60)
  /// The same limit for changes of many records at once.
  static let longPatience = Duration.seconds(900)
  /// How long the server is waited for after it was asked to cancel a statement.
  private static let cancelPatience = Duration.seconds(5)
  /// The most bytes between two rows: a row holds one part of a document, of at most 1 MiB.
  private static let byteLimit = 32 << 20

  let library: PostgresLibrary
  private let notices: PostgresNotices
  private let wait: ServerWait
  let handle: PostgresLibrary.Handle
  /// Whether it can no longer be used.
  private(set) var isLost = false
  var prepared = PreparedStatements()

  package convenience init(_ address: PostgresAddress, applicationName: String, password: String?) throws(StoreError) {
    try self.init(
      address, applicationName: applicationName, password: password, waiting: ServerWait(ServerPatience()), until: .now)
  }

  /// Connects, retrying until `end` while the server cannot be reached.
  init(
    _ address: PostgresAddress, applicationName: String, password: String?, waiting wait: ServerWait,
    attributes: String? = nil, until end: ContinuousClock.Instant
  ) throws(StoreError) {
    library = try PostgresLibrary.required()
    notices = PostgresNotices(library.answers)
    self.wait = wait
    let connector = PostgresConnector(
      library: library, address: address, applicationName: applicationName, password: password, notices: notices,
      wait: wait, attributes: attributes)
    unsafe handle = try connector.connect(until: end)
  }

  deinit { unsafe library.finish(handle) }

  private static func text(_ text: UnsafePointer<CChar>?) -> String {
    guard let text = unsafe text else { return "" }
    return unsafe ServerFault.printable(String(cString: text).utf8)
  }
}

extension PostgresConnection {
  /// The server's version, such as 150018.
  var serverVersion: Int { Int(unsafe library.serverVersion(handle)) }
  /// The user name on the server.
  var user: String { unsafe Self.text(library.user(handle)) }
  /// How the connection is encrypted; nil if it is not.
  var encryption: String? {
    let version = unsafe Self.text(library.tlsAttribute(handle, "protocol"))
    let cipher = unsafe Self.text(library.tlsAttribute(handle, "cipher"))
    return version.isEmpty ? nil : version + " " + cipher
  }

  /// Runs a statement for its effect; returns the number of changed rows.
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

  /// Commits a transaction. Returns whether the server said that it is stored there but may not be on its standbys.
  func commit() throws(ServerFault) -> Bool {
    try send("COMMIT", [])
    try unsafe results(within: Self.longPatience, waitingFor: .commit) { _, _ in true }
    return notices.isReplicationInDoubt
  }

  /// Begins a transaction whose statements wait at most `limit` for rows and tables that others hold. The server itself
  /// ends such a wait, so a vanished client leaves no waiting session.
  func begin(_ mode: String = "", waiting limit: Duration) throws(ServerFault) {
    // Both in one message, so that they take the time of one.
    let script = "BEGIN\(mode); SET LOCAL lock_timeout = \(limit.milliseconds)"
    try prepareToSend()
    guard unsafe library.sendScript(handle, script) == 1 else { throw lost() }
    try unsafe results(within: Self.patience) { _, _ in true }
  }

  /// Runs `body` in a transaction that is not committed, because a commit that locked a row would wait for standbys.
  func withoutCommit<Result>(_ body: () throws(ServerFault) -> Result) throws(ServerFault) -> Result {
    try transaction(waiting: Self.patience, isCommitted: false, body)
  }

  /// Runs `body` in a transaction, whose statements wait for others as in ``begin(_:waiting:)``.
  func transaction<Result>(
    waiting limit: Duration, isCommitted: Bool = true, _ body: () throws(ServerFault) -> Result
  ) throws(ServerFault) -> Result {
    try begin(waiting: limit)
    do throws(ServerFault) {
      let result = try body()
      if isCommitted { _ = try commit() } else { try run("ROLLBACK") }
      return result
    } catch {
      if !isLost { _ = try? run("ROLLBACK") }
      throw error
    }
  }

  /// Whether the server said during the last statement that the commit may not be on its standbys.
  var isReplicationInDoubt: Bool { notices.isReplicationInDoubt }

  /// The one row of an answer; nil if it has no row. More than one row is a fault.
  package func row(
    _ statement: String, _ values: [SQLValue] = [], patience: Duration = patience
  ) throws(ServerFault) -> SQLRow? {
    var only: SQLRow?
    try rows(
      statement, values, patience: patience,
      each: { row throws(ServerFault) in
        guard only == nil else { throw .tooMuch }
        only = row
      })
    return only
  }

  /// Gives the rows of an answer one by one, as they come, until `body` returns false.
  ///
  /// Stopping early ends the connection, because the remaining rows are already on their way.
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

  /// Gives each row of an answer. A row of another form than the statement asks for ends the connection.
  func rows(
    _ statement: String, _ values: [SQLValue] = [], patience: Duration = patience,
    each body: (SQLRow) throws(ServerFault) -> Void
  ) throws(ServerFault) {
    var fault: ServerFault?
    try rows(statement, values, patience: patience) { row in
      do throws(ServerFault) { try body(row) } catch { fault = error }
      return fault == nil
    }
    if let fault { throw fault }
  }

  /// Sends rows to `COPY … FROM STDIN (FORMAT binary)`.
  func copy(_ statement: String, _ bytes: [UInt8]) throws(ServerFault) {
    try send(statement, [])
    var isReady = false
    try unsafe results(within: Self.patience, untilCopy: true) { _, status in
      isReady = status == ResultStatus.copyIn
      return true
    }
    guard isReady else { throw .malformed }
    // In pieces of 1 MiB, because libpq keeps unsent data in memory.
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

  func prepareToSend() throws(ServerFault) {
    guard !isLost else { throw lost() }
    notices.begin()
  }

  private func send(_ statement: String, _ values: [SQLValue]) throws(ServerFault) {
    try prepareToSend()
    try enqueue(statement, values)
  }

  /// - Parameter name: of the statement, if the server has prepared it.
  func enqueue(_ statement: String, _ values: [SQLValue], as name: String? = nil) throws(ServerFault) {
    // A missing pointer means NULL, so an empty value needs a pointer, too.
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
      // Safe: the arrays live for the length of the call, which copies them, and their sizes are passed.
      let (count, sizes) = (Int32(values.count), values.map { Int32($0.bytes?.count ?? 0) })
      guard let name else {
        return unsafe library.sendQuery(
          handle, statement, count, values.map(\.type), pointers, sizes, values.map { _ in 1 }, 1)
      }
      return unsafe library.pipeline.sendPrepared(handle, name, count, pointers, sizes, values.map { _ in 1 }, 1)
    }
    guard isSent == 1 else { throw lost() }
  }

  func row(of result: OpaquePointer, _ row: Int32 = 0) -> SQLRow {
    SQLRow(
      cells: (0..<(unsafe library.answers.columnCount(result))).map { column in
        guard unsafe library.answers.isNull(result, row, column) == 0,
          let start = unsafe library.answers.value(result, row, column)
        else {
          return nil
        }
        // Safe: libpq has that many bytes there until the result is cleared.
        return unsafe Array(
          UnsafeRawBufferPointer(start: start, count: Int(library.answers.length(result, row, column))))
      })
  }
}

enum ResultStatus {
  static let commandOK: Int32 = 1
  static let tuplesOK: Int32 = 2
  static let copyIn: Int32 = 4
  static let singleRow: Int32 = 9
  static let pipelineSync: Int32 = 10
  static let pipelineAborted: Int32 = 11
}

extension PostgresConnection {
  /// Gives each result of a statement to `body` until there are no more, or an error comes, or it returns false.
  private func results(
    within patience: Duration, untilCopy: Bool = false, waitingFor kind: RemoteWait = .answer,
    _ body: (OpaquePointer, Int32) -> Bool
  ) throws(ServerFault) {
    var fault: ServerFault?
    while let result = try unsafe next(within: patience, kind) {
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
        // After an error only the end follows.
        fault = fault ?? (unsafe self.fault(of: result))
      }
    }
    if let fault { throw fault }
  }

  /// The next result, after waiting; nil after the last.
  func next(within patience: Duration, _ kind: RemoteWait) throws(ServerFault) -> OpaquePointer? {
    let start = ContinuousClock.now
    var end = start + patience
    var (byteCount, isCancelled) = (0, false)
    while unsafe library.isBusy(handle) != 0 {
      let socket = unsafe library.socket(handle)
      guard socket >= 0 else { throw lost() }
      if LocalSocket.wait(for: socket, toWrite: false, milliseconds: 1000) {
        byteCount += LocalSocket.waitingByteCount(socket)
        guard byteCount <= Self.byteLimit, !notices.isFlood else { throw lost(.tooMuch) }
        guard unsafe library.consumeInput(handle) == 1 else { throw lost() }
      } else if ContinuousClock.now <= end {
        if ContinuousClock.now - start >= wait.patience.silence { wait.tell(kind) }
      } else {
        // Without a cancel the server would continue and keep others waiting.
        guard !isCancelled, cancel() else { throw lost(.silent) }
        isCancelled = true
        end = .now + Self.cancelPatience
      }
    }
    return unsafe library.getResult(handle)
  }

  /// Asks the server to cancel the statement, through a separate connection, without waiting for it.
  private func cancel() -> Bool {
    guard let request = unsafe CancelRequest(library.steps.getCancel(handle), library) else { return false }
    // On a separate thread, because those of Swift's pool may all be waiting for servers.
    DispatchQueue(label: "vault.cancel").async { request.send() }
    return true
  }

  func fault(of result: OpaquePointer) -> ServerFault {
    // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY.
    let state = unsafe Self.text(library.answers.resultErrorField(result, 67))
    let isKnown = state.utf8.count == 5 && state.utf8.allSatisfy { $0 > 0x20 }
    let text = unsafe Self.text(library.answers.resultErrorField(result, 77))
    // The server has ended the connection: 08 is the connection itself, 57P an administrator's action.
    let isClosed = unsafe library.status(handle) != 0
    isLost = isLost || !isKnown || isClosed || state.hasPrefix("08") || state.hasPrefix("57P")
    // 57014: the statement took too long, for this program or for the server.
    return ServerFault(
      state: isKnown ? state : "", text: text.isEmpty ? "the server gave no answer" : text, isLost: isLost,
      isSilent: state == "57014")
  }

  func lost(_ fault: ServerFault? = nil) -> ServerFault {
    isLost = true
    if let fault { return fault }
    return unsafe ServerFault(state: "", text: Self.text(library.errorMessage(handle)), isLost: true)
  }
}

/// Cancels a statement of a connection, from any thread.
@safe private final class CancelRequest: @unchecked Sendable {
  // @unchecked: libpq copied the data that it needs of the connection, and the copy is only read.
  private let request: OpaquePointer
  let library: PostgresLibrary

  init?(_ request: OpaquePointer?, _ library: PostgresLibrary) {
    guard let request = unsafe request else { return nil }
    unsafe (self.request, self.library) = (request, library)
  }

  deinit { unsafe library.steps.freeCancel(request) }

  func send() {
    var words = [CChar](repeating: 0, count: 256)
    _ = unsafe library.steps.cancel(request, &words, Int32(words.count))
  }
}
