internal import VaultStorage

extension PostgresConnection {
  /// Runs statements in one round trip. After one that fails, the server skips the rest.
  ///
  /// - Parameters:
  ///   - isCommitting: whether the last statement is a commit.
  ///   - body: gets the rows of each statement, with the statement's number, as they come.
  /// - Throws: the fault of the first statement that failed, with its number.
  func pipeline(
    _ statements: [SQLStatement], patience: Duration = patience, isCommitting: Bool = false,
    each body: (Int, SQLRow) throws(ServerFault) -> Void = { _, _ throws(ServerFault) in }
  ) throws(ServerFault) {
    try prepareToSend()
    guard unsafe library.pipeline.enter(handle) == 1 else { throw lost() }
    var preparing: [Int: String] = [:]
    for (step, statement) in statements.enumerated() {
      // The other answers come before the server waits in a commit.
      if isCommitting, step == statements.count - 1, unsafe library.pipeline.requestFlush(handle) != 1 { throw lost() }
      if let name = try enqueue(preparing: statement) { preparing[step] = name }
    }
    guard unsafe library.pipeline.sync(handle) == 1 else { throw lost() }
    var fault: ServerFault?
    for step in statements.indices {
      let kind: RemoteWait = isCommitting && step == statements.count - 1 ? .commit : .answer
      if let name = preparing[step] {
        let found = try preparation(of: statements[step].text, as: name, step, within: patience)
        fault = fault ?? found
      }
      while let result = try unsafe next(within: patience, kind) {
        defer { unsafe library.answers.clear(result) }
        if let found = unsafe self.fault(of: result, step, body), fault == nil { fault = found }
        if isLost { throw fault ?? lost() }
      }
    }
    guard let end = try unsafe next(within: patience, .answer) else { throw lost(.malformed) }
    let isSynced = unsafe library.answers.resultStatus(end) == ResultStatus.pipelineSync
    unsafe library.answers.clear(end)
    guard isSynced, unsafe library.pipeline.exit(handle) == 1 else { throw lost(fault ?? .malformed) }
    if let fault { throw fault }
  }

  /// Sends a statement of a pipeline. Returns the name under which it is prepared first; nil if it was not.
  private func enqueue(preparing statement: SQLStatement) throws(ServerFault) -> String? {
    switch prepared.use(of: statement.text) {
    case .plain: try enqueue(statement.text, statement.values)
    case .prepared(let name): try enqueue(statement.text, statement.values, as: name)
    case .preparing(let name):
      let types = statement.values.map(\.type)
      guard unsafe library.pipeline.prepare(handle, name, statement.text, Int32(types.count), types) == 1 else {
        throw lost()
      }
      try enqueue(statement.text, statement.values, as: name)
      return name
    }
    return nil
  }

  /// Reads the answer to the preparation of a statement. Returns its fault.
  private func preparation(
    of text: String, as name: String, _ step: Int, within patience: Duration
  ) throws(ServerFault) -> ServerFault? {
    var found: ServerFault?
    while let result = try unsafe next(within: patience, .answer) {
      defer { unsafe library.answers.clear(result) }
      if unsafe library.answers.resultStatus(result) == ResultStatus.commandOK {
        prepared.notePrepared(text, as: name)
      } else if let fault = unsafe fault(of: result, step, { _, _ throws(ServerFault) in }) {
        found = fault
      }
    }
    return found
  }

  /// Notes the server's own number of the process that serves this connection.
  func note(serverProcess: Int32) {
    prepared.note(process: unsafe library.pipeline.serverProcess(handle), ofServer: serverProcess)
  }

  /// Gives the rows of one statement of a pipeline to `body`. Returns its fault.
  private func fault(
    of result: OpaquePointer, _ step: Int, _ body: (Int, SQLRow) throws(ServerFault) -> Void
  ) -> ServerFault? {
    do throws(ServerFault) {
      switch unsafe library.answers.resultStatus(result) {
      case ResultStatus.commandOK, ResultStatus.pipelineAborted: break
      case ResultStatus.tuplesOK:
        for index in 0..<(unsafe library.answers.rowCount(result)) { try body(step, unsafe row(of: result, index)) }
      default: throw unsafe self.fault(of: result)
      }
      return nil
    } catch {
      var fault = error
      fault.step = step
      return fault
    }
  }
}
