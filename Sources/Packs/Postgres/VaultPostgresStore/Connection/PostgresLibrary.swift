internal import DynamicLibraries
internal import VaultStorage

/// The functions of libpq that are called (PostgreSQL manual, "libpq - C Library"), which is opened for the first
/// address of a database.
@safe struct PostgresLibrary: @unchecked Sendable {
  // @unchecked: functions of a library that is never closed.
  typealias Text = UnsafePointer<CChar>
  /// A connection, and an answer of a statement; only libpq knows their content.
  typealias Handle = OpaquePointer

  typealias Connect = @convention(c) (UnsafePointer<Text?>, UnsafePointer<Text?>, Int32) -> Handle?
  typealias Act = @convention(c) (Handle?) -> Void
  typealias Number = @convention(c) (Handle?) -> Int32
  typealias Words = @convention(c) (Handle?) -> Text?
  typealias Named = @convention(c) (Handle?, Text) -> Text?
  typealias Field = @convention(c) (Handle?, Int32) -> Text?
  typealias Result = @convention(c) (Handle?) -> Handle?
  typealias CellNumber = @convention(c) (Handle?, Int32, Int32) -> Int32
  typealias Cell = @convention(c) (Handle?, Int32, Int32) -> Text?
  typealias Notice = @convention(c) (UnsafeMutableRawPointer?, Handle?) -> Void
  typealias SetNotice = @convention(c) (Handle?, Notice, UnsafeMutableRawPointer?) -> UnsafeRawPointer?
  typealias SetNumber = @convention(c) (Handle?, Int32) -> Int32
  typealias Cancel = @convention(c) (Handle?, UnsafeMutablePointer<CChar>?, Int32) -> Int32
  typealias Send =
    @convention(c) (
      Handle?, Text, Int32, UnsafePointer<UInt32>?, UnsafePointer<Text?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?,
      Int32
    ) -> Int32
  typealias Prepare = @convention(c) (Handle?, Text, Text, Int32, UnsafePointer<UInt32>?) -> Int32
  typealias SendPrepared =
    @convention(c) (
      Handle?, Text, Int32, UnsafePointer<Text?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
    ) -> Int32
  typealias SendScript = @convention(c) (Handle?, Text) -> Int32
  typealias CopyData = @convention(c) (Handle?, UnsafePointer<CChar>?, Int32) -> Int32
  typealias CopyEnd = @convention(c) (Handle?, Text?) -> Int32

  let steps: PostgresSteps
  let finish: Act
  let status: Number
  let socket: Number
  let errorMessage: Words
  let setNoticeReceiver: SetNotice
  let sendQuery: Send
  let sendScript: SendScript
  let setSingleRowMode: Number
  let consumeInput: Number
  let isBusy: Number
  let getResult: Result
  let putCopyData: CopyData
  let putCopyEnd: CopyEnd
  let answers: PostgresAnswers
  let pipeline: PostgresPipeline
  let serverVersion: Number
  let tlsAttribute: Named
  let user: Words

  private static let shared = DynamicLibrary(["libpq.so.5", "libpq.5.dylib", "libpq.dylib"])
    .flatMap(PostgresLibrary.init)

  static func required() throws(StoreError) -> PostgresLibrary {
    guard let shared else {
      throw StoreError(
        .ioFailed, reason: "a database needs the library libpq 14 or later (Debian: libpq5), which is not installed")
    }
    return shared
  }

  private init?(_ library: DynamicLibrary) {
    guard let answers = PostgresAnswers(library), let steps = PostgresSteps(library),
      let pipeline = PostgresPipeline(library),
      let finish = unsafe library.function("PQfinish", as: Act.self),
      let status = unsafe library.function("PQstatus", as: Number.self),
      let socket = unsafe library.function("PQsocket", as: Number.self),
      let errorMessage = unsafe library.function("PQerrorMessage", as: Words.self),
      let setNoticeReceiver = unsafe library.function("PQsetNoticeReceiver", as: SetNotice.self),
      let sendQuery = unsafe library.function("PQsendQueryParams", as: Send.self),
      let sendScript = unsafe library.function("PQsendQuery", as: SendScript.self),
      let setSingleRowMode = unsafe library.function("PQsetSingleRowMode", as: Number.self),
      let consumeInput = unsafe library.function("PQconsumeInput", as: Number.self),
      let isBusy = unsafe library.function("PQisBusy", as: Number.self),
      let getResult = unsafe library.function("PQgetResult", as: Result.self),
      let putCopyData = unsafe library.function("PQputCopyData", as: CopyData.self),
      let putCopyEnd = unsafe library.function("PQputCopyEnd", as: CopyEnd.self),
      let serverVersion = unsafe library.function("PQserverVersion", as: Number.self),
      let tlsAttribute = unsafe library.function("PQsslAttribute", as: Named.self),
      let user = unsafe library.function("PQuser", as: Words.self)
    else { return nil }
    (self.answers, self.steps, self.pipeline) = (answers, steps, pipeline)
    unsafe self.finish = finish
    unsafe self.status = status
    unsafe self.socket = socket
    unsafe self.errorMessage = errorMessage
    unsafe self.setNoticeReceiver = setNoticeReceiver
    unsafe self.sendQuery = sendQuery
    unsafe self.sendScript = sendScript
    unsafe self.setSingleRowMode = setSingleRowMode
    unsafe self.consumeInput = consumeInput
    unsafe self.isBusy = isBusy
    unsafe self.getResult = getResult
    unsafe self.putCopyData = putCopyData
    unsafe self.putCopyEnd = putCopyEnd
    unsafe self.serverVersion = serverVersion
    unsafe self.tlsAttribute = tlsAttribute
    unsafe self.user = user
  }
}

/// The functions of libpq that make a connection step by step, and that cancel a statement of another one.
@safe struct PostgresSteps: @unchecked Sendable {
  // @unchecked: functions of a library that is never closed.
  let start: PostgresLibrary.Connect
  let poll: PostgresLibrary.Number
  let hostAddress: PostgresLibrary.Words
  let parameter: PostgresLibrary.Named
  let usedPassword: PostgresLibrary.Number
  let setErrorVerbosity: PostgresLibrary.SetNumber
  let getCancel: PostgresLibrary.Result
  let cancel: PostgresLibrary.Cancel
  let freeCancel: PostgresLibrary.Act

  init?(_ library: DynamicLibrary) {
    guard
      let start = unsafe library.function("PQconnectStartParams", as: PostgresLibrary.Connect.self),
      let poll = unsafe library.function("PQconnectPoll", as: PostgresLibrary.Number.self),
      let hostAddress = unsafe library.function("PQhostaddr", as: PostgresLibrary.Words.self),
      let parameter = unsafe library.function("PQparameterStatus", as: PostgresLibrary.Named.self),
      let usedPassword = unsafe library.function("PQconnectionUsedPassword", as: PostgresLibrary.Number.self),
      let setErrorVerbosity = unsafe library.function("PQsetErrorVerbosity", as: PostgresLibrary.SetNumber.self),
      let getCancel = unsafe library.function("PQgetCancel", as: PostgresLibrary.Result.self),
      let cancel = unsafe library.function("PQcancel", as: PostgresLibrary.Cancel.self),
      let freeCancel = unsafe library.function("PQfreeCancel", as: PostgresLibrary.Act.self)
    else { return nil }
    unsafe (self.start, self.poll) = (start, poll)
    unsafe (self.hostAddress, self.parameter, self.usedPassword) = (hostAddress, parameter, usedPassword)
    unsafe self.setErrorVerbosity = setErrorVerbosity
    unsafe (self.getCancel, self.cancel, self.freeCancel) = (getCancel, cancel, freeCancel)
  }
}

/// The functions of libpq for several statements in one round trip, which it has from version 14 on.
@safe struct PostgresPipeline: @unchecked Sendable {
  // @unchecked: functions of a library that is never closed.
  let enter: PostgresLibrary.Number
  let requestFlush: PostgresLibrary.Number
  let sync: PostgresLibrary.Number
  let exit: PostgresLibrary.Number
  let prepare: PostgresLibrary.Prepare
  let sendPrepared: PostgresLibrary.SendPrepared
  let serverProcess: PostgresLibrary.Number

  init?(_ library: DynamicLibrary) {
    guard let enter = unsafe library.function("PQenterPipelineMode", as: PostgresLibrary.Number.self),
      let requestFlush = unsafe library.function("PQsendFlushRequest", as: PostgresLibrary.Number.self),
      let sync = unsafe library.function("PQpipelineSync", as: PostgresLibrary.Number.self),
      let exit = unsafe library.function("PQexitPipelineMode", as: PostgresLibrary.Number.self),
      let prepare = unsafe library.function("PQsendPrepare", as: PostgresLibrary.Prepare.self),
      let sendPrepared = unsafe library.function("PQsendQueryPrepared", as: PostgresLibrary.SendPrepared.self),
      let serverProcess = unsafe library.function("PQbackendPID", as: PostgresLibrary.Number.self)
    else { return nil }
    unsafe (self.enter, self.requestFlush, self.sync, self.exit) = (enter, requestFlush, sync, exit)
    unsafe (self.prepare, self.sendPrepared, self.serverProcess) = (prepare, sendPrepared, serverProcess)
  }
}

/// The functions of libpq that read an answer.
@safe struct PostgresAnswers: @unchecked Sendable {
  // @unchecked: functions of a library that is never closed.
  typealias Number = PostgresLibrary.Number
  typealias Words = PostgresLibrary.Words
  typealias Field = PostgresLibrary.Field
  typealias CellNumber = PostgresLibrary.CellNumber
  typealias Cell = PostgresLibrary.Cell
  typealias Act = PostgresLibrary.Act

  let resultStatus: Number
  let resultErrorField: Field
  let commandTuples: Words
  let columnCount: Number
  let rowCount: Number
  let isNull: CellNumber
  let length: CellNumber
  let value: Cell
  let clear: Act

  init?(_ library: DynamicLibrary) {
    guard
      let resultStatus = unsafe library.function("PQresultStatus", as: Number.self),
      let resultErrorField = unsafe library.function("PQresultErrorField", as: Field.self),
      let commandTuples = unsafe library.function("PQcmdTuples", as: Words.self),
      let columnCount = unsafe library.function("PQnfields", as: Number.self),
      let rowCount = unsafe library.function("PQntuples", as: Number.self),
      let isNull = unsafe library.function("PQgetisnull", as: CellNumber.self),
      let length = unsafe library.function("PQgetlength", as: CellNumber.self),
      let value = unsafe library.function("PQgetvalue", as: Cell.self),
      let clear = unsafe library.function("PQclear", as: Act.self)
    else { return nil }
    unsafe self.resultStatus = resultStatus
    unsafe self.resultErrorField = resultErrorField
    unsafe self.commandTuples = commandTuples
    unsafe self.columnCount = columnCount
    unsafe self.rowCount = rowCount
    unsafe self.isNull = isNull
    unsafe self.length = length
    unsafe self.value = value
    unsafe self.clear = clear
  }
}
