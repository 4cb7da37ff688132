internal import Synchronization
package import VaultStorage

/// What a store has written or removed since it was opened, for whoever keeps versions of the files.
package final class WrittenPlaces: Sendable {
  private let places = Mutex<Set<StoreLocation>>([])

  /// Notes what is in place now.
  func note(_ written: some Sequence<StoreLocation>) {
    places.withLock { $0.formUnion(written) }
  }

  /// Every place once.
  package var all: Set<StoreLocation> { places.withLock { $0 } }
}
