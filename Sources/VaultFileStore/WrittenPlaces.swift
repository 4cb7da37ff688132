internal import Synchronization
package import VaultStorage

/// What a store has written or removed, for whoever keeps versions of the files. Nothing is noted before that is asked
/// for: a vault that is open for days would gather every place that it ever wrote.
package final class WrittenPlaces: Sendable {
  /// Nil while nobody wants to know.
  private let places = Mutex<Set<StoreLocation>?>(nil)

  /// Notes what is in place now.
  func note(_ written: some Sequence<StoreLocation>) {
    places.withLock { $0?.formUnion(written) }
  }

  /// Notes from now on.
  package func begin() { places.withLock { $0 = $0 ?? [] } }

  /// Every place once.
  package var all: Set<StoreLocation> { places.withLock { $0 ?? [] } }
}
