internal import LateLibraries

/// What is called in SQLite (sqlite.org/c3ref), looked up when an index is first opened, and in no run before.
///
/// Its structures are handed around as opaque pointers, so no header of it is needed to build.
@safe struct SQLite: @unchecked Sendable {
  // @unchecked: addresses of functions, which never change.
  typealias Text = UnsafePointer<CChar>
  typealias Release = @convention(c) (UnsafeMutableRawPointer?) -> Void
  private typealias Open =
    @convention(c) (Text?, UnsafeMutablePointer<OpaquePointer?>?, Int32, Text?) -> Int32
  private typealias Execute =
    @convention(c) (OpaquePointer?, Text?, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
  private typealias Prepare =
    @convention(c) (OpaquePointer?, Text?, Int32, UnsafeMutablePointer<OpaquePointer?>?, OpaquePointer?) -> Int32
  private typealias OfHandle = @convention(c) (OpaquePointer?) -> Int32
  private typealias OfHandleAndNumber = @convention(c) (OpaquePointer?, Int32) -> Int32
  private typealias BindInteger = @convention(c) (OpaquePointer?, Int32, Int64) -> Int32
  private typealias BindBytes = @convention(c) (OpaquePointer?, Int32, UnsafeRawPointer?, Int32, Release?) -> Int32
  private typealias ColumnInteger = @convention(c) (OpaquePointer?, Int32) -> Int64
  private typealias ColumnBytes = @convention(c) (OpaquePointer?, Int32) -> UnsafeRawPointer?

  let open: @convention(c) (Text?, UnsafeMutablePointer<OpaquePointer?>?, Int32, Text?) -> Int32
  let execute: @convention(c) (OpaquePointer?, Text?, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
  let prepare:
    @convention(c) (OpaquePointer?, Text?, Int32, UnsafeMutablePointer<OpaquePointer?>?, OpaquePointer?) -> Int32
  let close, step, reset, finalize: @convention(c) (OpaquePointer?) -> Int32
  let setBusyTimeout, columnByteCount, bindNull: @convention(c) (OpaquePointer?, Int32) -> Int32
  let bindInteger: @convention(c) (OpaquePointer?, Int32, Int64) -> Int32
  let bindBytes: @convention(c) (OpaquePointer?, Int32, UnsafeRawPointer?, Int32, Release?) -> Int32
  let columnInteger: @convention(c) (OpaquePointer?, Int32) -> Int64
  let columnBytes: @convention(c) (OpaquePointer?, Int32) -> UnsafeRawPointer?

  static let shared = LateLibrary(["libsqlite3.so.0", "/usr/lib/libsqlite3.dylib"]).flatMap(SQLite.init)

  private init?(_ library: LateLibrary) {
    // Safe: the types are the declarations of sqlite3.h, in which none of these has changed since 2004.
    guard let open = unsafe library.function("sqlite3_open_v2", as: Open.self),
      let execute = unsafe library.function("sqlite3_exec", as: Execute.self),
      let prepare = unsafe library.function("sqlite3_prepare_v2", as: Prepare.self),
      let close = unsafe library.function("sqlite3_close_v2", as: OfHandle.self),
      let step = unsafe library.function("sqlite3_step", as: OfHandle.self),
      let reset = unsafe library.function("sqlite3_reset", as: OfHandle.self),
      let finalize = unsafe library.function("sqlite3_finalize", as: OfHandle.self),
      let setBusyTimeout = unsafe library.function("sqlite3_busy_timeout", as: OfHandleAndNumber.self),
      let columnByteCount = unsafe library.function("sqlite3_column_bytes", as: OfHandleAndNumber.self),
      let bindNull = unsafe library.function("sqlite3_bind_null", as: OfHandleAndNumber.self),
      let bindInteger = unsafe library.function("sqlite3_bind_int64", as: BindInteger.self),
      let bindBytes = unsafe library.function("sqlite3_bind_blob", as: BindBytes.self),
      let columnInteger = unsafe library.function("sqlite3_column_int64", as: ColumnInteger.self),
      let columnBytes = unsafe library.function("sqlite3_column_blob", as: ColumnBytes.self)
    else { return nil }
    unsafe (self.open, self.execute, self.prepare, self.close) = (open, execute, prepare, close)
    unsafe (self.step, self.reset, self.finalize) = (step, reset, finalize)
    unsafe (self.setBusyTimeout, self.columnByteCount, self.bindNull) = (setBusyTimeout, columnByteCount, bindNull)
    unsafe (self.bindInteger, self.bindBytes) = (bindInteger, bindBytes)
    unsafe (self.columnInteger, self.columnBytes) = (columnInteger, columnBytes)
  }
}

/// Results and flags of SQLite that are acted on.
enum SQLiteCode {
  static let done: Int32 = 0
  static let busy: Int32 = 5
  static let locked: Int32 = 6
  static let readOnly: Int32 = 8
  static let corrupt: Int32 = 11
  static let cannotOpen: Int32 = 14
  static let notADatabase: Int32 = 26
  static let row: Int32 = 100
  static let finished: Int32 = 101
  /// READWRITE, NOMUTEX (one connection is used by one thread) and NOFOLLOW; the file is there already.
  static let openFlags: Int32 = 0x2 | 0x8000 | 0x0100_0000
  /// In place of a function that releases bytes: they are copied at once.
  static let copied = -1
}
