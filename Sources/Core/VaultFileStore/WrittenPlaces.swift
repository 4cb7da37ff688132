internal import Synchronization
package import VaultStorage

/// The places that a store has written or removed, for callers that keep versions of the files. Recording starts only
/// when a caller asks, because a vault that is open for days would collect every place it ever wrote.
package final class WrittenPlaces: Sendable {
  private struct Noted {
    var places: Set<StoreLocation> = []
    var hasMadeOrRemoved = false
  }

  /// Nil until a caller asks.
  private let noted = Mutex<Noted?>(nil)

  /// Records changed places.
  func note(_ written: some Sequence<StoreLocation>, madeOrRemoved: Bool) {
    noted.withLock { noted in
      noted?.places.formUnion(written)
      if madeOrRemoved { noted?.hasMadeOrRemoved = true }
    }
  }

  package func begin() { noted.withLock { $0 = $0 ?? Noted() } }

  /// Every recorded place.
  package var all: Set<StoreLocation> { noted.withLock { $0?.places ?? [] } }

  package var hasMadeOrRemoved: Bool { noted.withLock { $0?.hasMadeOrRemoved ?? false } }
}
