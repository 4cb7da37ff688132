/// The notices of a server beside its answers. They are never shown, because anybody may have written them.
final class PostgresNotices {
  /// An honest server does not send more of them before an answer.
  private static let countLimit = 1000

  private let answers: PostgresAnswers
  private var count = 0
  /// Whether the server said, since ``begin()``, that its commits may not be on its standbys.
  private(set) var isReplicationInDoubt = false

  /// Whether there were more notices than an honest server sends.
  var isFlood: Bool { count > Self.countLimit }

  init(_ answers: PostgresAnswers) { self.answers = answers }

  /// Forgets the notices from before a statement.
  func begin() { (count, isReplicationInDoubt) = (0, false) }

  /// Receives all notices of a connection from now on; the connection must end before this value.
  func take(of handle: PostgresLibrary.Handle, _ library: PostgresLibrary) {
    let receiver: PostgresLibrary.Notice = { context, notice in
      guard let context = unsafe context, let notice = unsafe notice else { return }
      // Safe: only the connection calls this, and it ends first.
      unsafe Unmanaged<PostgresNotices>.fromOpaque(context).takeUnretainedValue().note(notice)
    }
    _ = unsafe library.setNoticeReceiver(handle, receiver, Unmanaged.passUnretained(self).toOpaque())
  }

  /// During a commit, a cancelled wait for a standby is a warning of the state 01000, or 57P01 if the server also ends
  /// the session (PostgreSQL, `SyncRepWaitForLSN`). Its text is in the server's language. A trigger's own warning has
  /// the state 01000, too, but comes from `exec_stmt_raise`.
  private func note(_ notice: OpaquePointer) {
    count += 1
    // PG_DIAG_SQLSTATE and PG_DIAG_SOURCE_FUNCTION.
    switch unsafe (field(67, of: notice), field(82, of: notice)) {
    case ("57P01", _): isReplicationInDoubt = true
    case ("01000", let function) where function != "exec_stmt_raise": isReplicationInDoubt = true
    default: break
    }
  }

  private func field(_ code: Int32, of notice: OpaquePointer) -> String {
    guard let text = unsafe answers.resultErrorField(notice, code) else { return "" }
    return unsafe ServerFault.printable(String(cString: text).utf8)
  }
}
