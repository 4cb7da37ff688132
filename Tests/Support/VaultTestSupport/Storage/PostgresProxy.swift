/// A proxy between a client and a server that breaks the connection at a chosen statement, like
/// `Scripts/postgres-proxy`.
package struct PostgresProxy: Sendable {
  /// On which side of the server a statement is lost.
  package enum Side: String, CaseIterable, Sendable {
    /// The server never gets it.
    case before
    /// It is done, and the answer is lost.
    case after
    /// The server gets all but the last of several statements that are sent together.
    case within
  }

  /// The port on 127.0.0.1.
  package let port: Int
  private let script: OrderedScript

  /// Nil without Python.
  package init?(of server: PostgresServer) {
    guard let (script, words) = OrderedScript.start("postgres-proxy", [String(server.port)]), words.count == 2,
      let port = Int(words[1])
    else { return nil }
    (self.port, self.script) = (port, script)
  }

  package func stop() { script.stop() }

  /// Breaks the connection at a statement, counted from now on and from 0.
  package func cut(_ side: Side, _ number: Int) { script.order("cut \(side.rawValue) \(number)", expecting: "ok") }

  /// Keeps a statement, or its answer, here, until ``release()`` drops it.
  package func hold(_ side: Side, _ number: Int) {
    script.order("hold \(side.rawValue) \(number)", expecting: "ok")
  }

  /// Answers so many connections from now on as a server does that starts up.
  package func refuse(_ count: Int) { script.order("refuse \(count)", expecting: "ok") }

  /// Ends so many connections from now on in the middle of their start.
  package func breakStart(_ count: Int) { script.order("break \(count)", expecting: "ok") }

  /// Whether the ordered event has happened.
  package var isReached: Bool { script.order("state") != "idle" }

  package func release() { script.order("release", expecting: "ok") }

  /// How many statements there were since the last ``cut(_:_:)`` or ``hold(_:_:)``.
  package var count: Int { Int(script.order("count")) ?? 0 }

  /// Counts the costs from 0 again.
  package func reset() { script.order("reset", expecting: "ok") }

  /// The round trips, statements and connections since ``reset()``.
  package var costs: (trips: Int, statements: Int, connections: Int) {
    let numbers = script.order("costs").split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 3 else { return (0, 0, 0) }
    return (numbers[0], numbers[1], numbers[2])
  }
}

/// A server that means no good, as `Scripts/postgres-hostile` has it.
package struct HostileServer: Sendable {
  /// How it answers.
  package enum Manner: String, CaseIterable, Sendable {
    case huge, rows, codes, notices, types, columns, garbage, gone, greeting, flood, refusal
  }

  /// The port on 127.0.0.1.
  package let port: Int
  private let script: OrderedScript

  /// Nil without Python.
  package init?() {
    guard let (script, words) = OrderedScript.start("postgres-hostile", []), words.count == 2,
      let port = Int(words[1])
    else { return nil }
    (self.port, self.script) = (port, script)
  }

  package func stop() { script.stop() }

  /// Answers so from now on.
  package func answer(_ manner: Manner) { script.order(manner.rawValue, expecting: "ok") }
}
