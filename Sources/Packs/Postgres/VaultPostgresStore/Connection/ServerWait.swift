package import VaultStorage
internal import Synchronization

/// How long a store waits for its server, and who is told that it waits.
package struct ServerPatience: Sendable {
  /// How long a server that cannot be reached is tried again. Nothing was sent to it yet.
  package var reconnecting = Duration.seconds(10)
  /// A server that has not answered for so long is told of.
  package var silence = Duration.seconds(5)
  /// The server gives a lock back when no statement of its holder came for so long.
  package var lockLimit = Duration.seconds(90)
  /// The same for a reader, which keeps nobody waiting.
  package var readerLimit = Duration.seconds(3600)
  /// Called when the store has waited for a while, at most once in a minute.
  package var onWait: @Sendable (RemoteWait) -> Void = { _ in }

  package init() {}

  /// How often a transaction that stays open sends a statement.
  var touchInterval: Duration { lockLimit / 5 }
}

extension Duration {
  /// In whole milliseconds, as settings of the server have them; at least one, since 0 has no end there.
  var milliseconds: Int { max(1, Int(self / .milliseconds(1))) }
}

/// The waits of all connections of one store.
final class ServerWait: Sendable {
  private static let pause = Duration.seconds(60)

  let patience: ServerPatience
  private let lastNote = Mutex<ContinuousClock.Instant?>(nil)

  init(_ patience: ServerPatience) { self.patience = patience }

  /// Tells of a wait, unless one was told a moment ago.
  func tell(_ wait: RemoteWait) {
    let isNews = lastNote.withLock { last in
      if let last, last + Self.pause > .now { return false }
      last = .now
      return true
    }
    if isNews { patience.onWait(wait) }
  }
}
