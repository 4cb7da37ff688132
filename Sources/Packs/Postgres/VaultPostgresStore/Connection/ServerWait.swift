package import VaultStorage
internal import Synchronization

/// The limits for waiting for a server, and the observer of waits.
package struct ServerPatience: Sendable {
  /// How long to retry an unreachable server, to which nothing was sent yet.
  package var reconnecting = Duration.seconds(10)
  /// A server without an answer for this long is reported.
  package var silence = Duration.seconds(5)
  /// The server releases a lock if no statement of its holder came for this long.
  package var lockLimit = Duration.seconds(50)
  /// The same limit for a reader, which blocks nobody.
  package var readerLimit = Duration.seconds(3600)
  /// Whether the store serves one command, so that data of a moment ago need not be read again.
  package var isForOneCommand = false
  /// Called if the store has waited for a while, at most once a minute.
  package var onWait: @Sendable (RemoteWait) -> Void = { _ in }

  package init() {}

  /// How often an open transaction sends a statement.
  var touchInterval: Duration { lockLimit / 5 }
}

extension Duration {
  /// In whole milliseconds for settings of the server; at least one, because 0 means no limit there.
  var milliseconds: Int { max(1, Int(self / .milliseconds(1))) }
}

/// The waits of all connections of one store.
final class ServerWait: Sendable {
  private static let pause = Duration.seconds(60)

  let patience: ServerPatience
  private let lastNote = Mutex<ContinuousClock.Instant?>(nil)

  init(_ patience: ServerPatience) { self.patience = patience }

  /// Reports a wait, unless one was just reported.
  func tell(_ wait: RemoteWait) {
    let isNews = lastNote.withLock { last in
      if let last, last + Self.pause > .now { return false }
      last = .now
      return true
    }
    if isNews { patience.onWait(wait) }
  }
}
