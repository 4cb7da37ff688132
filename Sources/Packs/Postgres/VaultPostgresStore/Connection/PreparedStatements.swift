/// The statements that the server has prepared for a connection, so that it need not read and plan them again.
///
/// They belong to a session. A pooler may give the next transaction to another session, so they are used only on a
/// connection that leads to the server itself.
struct PreparedStatements {
  enum Use {
    /// It is sent as it is.
    case plain
    /// It is prepared under this name first.
    case preparing(String)
    /// The server has it under this name.
    case prepared(String)
  }

  private static let countLimit = 64

  /// Whether the connection leads to the server itself.
  private(set) var isDirect = false
  /// The texts that were sent, with their names once they are prepared.
  private var known: [String: String?] = [:]
  /// How many names were given out.
  private var number = 0

  /// Notes the process that serves the connection, by the connection itself and by the server's own word.
  mutating func note(process: Int32, ofServer own: Int32) {
    isDirect = process == own
    if !isDirect { known = [:] }
  }

  /// How to send a statement now. One that was sent before is worth preparing.
  mutating func use(of text: String) -> Use {
    guard isDirect else { return .plain }
    switch known[text] {
    case nil:
      if known.count < Self.countLimit { known[text] = .some(nil) }
      return .plain
    case .some(nil):
      number += 1
      return .preparing("vault\(number)")
    case .some(.some(let name)): return .prepared(name)
    }
  }

  mutating func notePrepared(_ text: String, as name: String) { known[text] = name }
}
