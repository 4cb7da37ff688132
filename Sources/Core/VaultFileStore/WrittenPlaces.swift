internal import Synchronization
package import VaultStorage

/// The places that a store has written or removed, for callers that keep versions of the files. Nothing is noted before
/// a caller asks: a vault that is open for days would gather every place that it ever wrote.
package final class WrittenPlaces: Sendable {
  private struct Noted {
    var places: Set<StoreLocation> = []
    var hasMadeOrRemoved = false
  }

  /// Nil until a caller asks.
  private let noted = Mutex<Noted?>(nil)

  /// Notes places that have changed.
  ///
  /// - Parameter madeOrRemoved: whether a file was made or removed, and not only given other content.
  func note(_ written: some Sequence<StoreLocation>, madeOrRemoved: Bool) {
    noted.withLock { noted in
      noted?.places.formUnion(written)
      if madeOrRemoved { noted?.hasMadeOrRemoved = true }
    }
  }

  /// Notes from now on.
  package func begin() { noted.withLock { $0 = $0 ?? Noted() } }

  /// Every place once.
  package var all: Set<StoreLocation> { noted.withLock { $0?.places ?? [] } }

  /// Whether a file was made or removed.
  package var hasMadeOrRemoved: Bool { noted.withLock { $0?.hasMadeOrRemoved ?? false } }
}
