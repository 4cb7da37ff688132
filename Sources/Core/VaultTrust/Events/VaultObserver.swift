internal import Dispatch

/// Receives the events of vaults: for logs, for metrics, for an audit trail.
///
/// One observer may serve many vaults. It gets one event after the other, in order, on its own thread. It waits for no
/// lock, and nothing that it does delays a vault or makes it fail. Undelivered events are kept in memory and are lost
/// with the process; call ``finish()`` to wait for their delivery.
public final class VaultObserver: Sendable {
  private let tell: @Sendable (VaultEvent) -> Void
  private let queue = DispatchQueue(label: "vault.observer")

  /// - Parameter tell: called with each event, never twice at once.
  public init(_ tell: @escaping @Sendable (VaultEvent) -> Void) { self.tell = tell }

  /// Waits until all events before this call were delivered.
  public func finish() async {
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
  }

  package func take(_ event: VaultEvent) {
    queue.async { self.tell(event) }
  }
}
