/// Why an index cannot be asked; then the files themselves are read.
package enum IndexFailure: Error {
  /// SQLite is not installed.
  case noLibrary
  /// The place for it cannot be used, for this reason.
  case place(String)
  /// Another process writes into it.
  case busy
  /// It is damaged, or of another vault or version; it was removed, or is to be.
  case damaged
  /// It could not be written or read, by the number of SQLite's result.
  case failed(Int32)

  /// What to say about it, in half a sentence.
  package var reason: String {
    switch self {
    case .noLibrary: "SQLite (Debian: libsqlite3-0) is not installed"
    case .place(let reason): reason
    case .busy: "another process is writing it"
    case .damaged: "it is damaged, and is made anew by the next command"
    case .failed(let code): "it cannot be read or written (SQLite result \(code))"
    }
  }
}

extension IndexFailure {
  /// The failure that a result of SQLite, extended or not, stands for.
  init(result: Int32) {
    switch result & 0xFF {
    case SQLiteCode.busy, SQLiteCode.locked: self = .busy
    case SQLiteCode.corrupt, SQLiteCode.notADatabase: self = .damaged
    default: self = .failed(result)
    }
  }
}
