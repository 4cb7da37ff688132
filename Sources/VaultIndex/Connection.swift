/// An open database; used by one thread at a time, and closed with its last reference.
@safe final class Connection {
  fileprivate let sqlite: SQLite
  fileprivate let handle: OpaquePointer

  /// Opens a file that is there; nothing is read yet.
  ///
  /// - Throws: ``IndexFailure``.
  init(path: String) throws(IndexFailure) {
    guard let sqlite = SQLite.shared else { throw .noLibrary }
    var handle: OpaquePointer?
    // Safe: the pointers live for the call; a handle is made even where it fails, and is to be closed.
    let result = unsafe sqlite.open(path, &handle, SQLiteCode.openFlags, nil)
    guard result == SQLiteCode.done, let opened = unsafe handle else {
      unsafe _ = sqlite.close(handle)
      throw IndexFailure(result: result)
    }
    self.sqlite = sqlite
    unsafe self.handle = opened
  }

  deinit { unsafe _ = sqlite.close(handle) }

  /// How long a statement waits for another process.
  func wait(milliseconds: Int32) { unsafe _ = sqlite.setBusyTimeout(handle, milliseconds) }

  /// Does statements without parameters and results.
  func execute(_ statements: String) throws(IndexFailure) {
    let result = unsafe sqlite.execute(handle, statements, nil, nil, nil)
    guard result == SQLiteCode.done else { throw IndexFailure(result: result) }
  }

  func prepare(_ text: String) throws(IndexFailure) -> Statement { try Statement(text, of: self) }

  /// The first column of the first row; nil without a row.
  func integer(_ text: String) throws(IndexFailure) -> Int64? {
    let statement = try prepare(text)
    return try statement.step() ? statement.integer(0) : nil
  }
}

/// A statement and where it is; finalized at the end of its life.
@safe struct Statement: ~Copyable {
  private let connection: Connection
  private let handle: OpaquePointer

  fileprivate init(_ text: String, of connection: Connection) throws(IndexFailure) {
    var handle: OpaquePointer?
    let result = unsafe connection.sqlite.prepare(connection.handle, text, -1, &handle, nil)
    guard result == SQLiteCode.done, let prepared = unsafe handle else { throw IndexFailure(result: result) }
    self.connection = connection
    unsafe self.handle = prepared
  }

  deinit { unsafe _ = connection.sqlite.finalize(handle) }

  /// Goes to the next row; false at the end, after which it can be used once more.
  borrowing func step() throws(IndexFailure) -> Bool {
    switch unsafe connection.sqlite.step(handle) {
    case SQLiteCode.row: return true
    case SQLiteCode.finished:
      unsafe _ = connection.sqlite.reset(handle)
      return false
    case let result:
      unsafe _ = connection.sqlite.reset(handle)
      throw IndexFailure(result: result)
    }
  }

  /// Goes back to before the first row.
  borrowing func reset() { unsafe _ = connection.sqlite.reset(handle) }

  /// Runs it to its end.
  borrowing func run() throws(IndexFailure) { while try step() {} }

  // Parameters count from 1, columns from 0. Binding fails only for numbers that there are not, and without memory.

  borrowing func bind(_ parameter: Int32, _ value: Int64) {
    unsafe _ = connection.sqlite.bindInteger(handle, parameter, value)
  }

  borrowing func bind(_ parameter: Int32, _ bytes: [UInt8]?) {
    guard let bytes else {
      unsafe _ = connection.sqlite.bindNull(handle, parameter)
      return
    }
    // Safe: SQLite copies the bytes before it returns. An empty array may have no address, which would mean null.
    unsafe bytes.withUnsafeBytes { bytes in
      let release = unsafe unsafeBitCast(SQLiteCode.copied, to: SQLite.Release?.self)
      var nothing: UInt8 = 0
      if let address = bytes.baseAddress {
        unsafe _ = connection.sqlite.bindBytes(handle, parameter, address, Int32(bytes.count), release)
      } else {
        unsafe _ = connection.sqlite.bindBytes(handle, parameter, &nothing, 0, release)
      }
    }
  }

  borrowing func bind(_ parameter: Int32, _ text: String) { bind(parameter, Array(text.utf8)) }

  borrowing func integer(_ column: Int32) -> Int64 { unsafe connection.sqlite.columnInteger(handle, column) }

  /// Gives the bytes of a column to `body`, which must not keep them; an empty buffer for null.
  @unsafe borrowing func withBytes<Result, Failure: Error>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = unsafe connection.sqlite.columnBytes(handle, column)
    let count = unsafe Int(connection.sqlite.columnByteCount(handle, column))
    return try unsafe body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  borrowing func bytes(_ column: Int32) -> [UInt8] { unsafe withBytes(column) { unsafe Array($0) } }
}
