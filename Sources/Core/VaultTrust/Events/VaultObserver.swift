internal import Dispatch

/// Who is told what vaults do: for logs, for metrics, for an audit trail.
///
/// One may serve many vaults. It is told one event after the other, in their order, on a thread of its own: no lock is
/// waited for by it, and nothing that it does holds up a vault or can make it fail. Events that it has not got to yet
/// are kept in memory, and are lost with the process: who has to know that all are told waits for ``finish()``.
public final class VaultObserver: Sendable {
  private let tell: @Sendable (VaultEvent) -> Void
  private let queue = DispatchQueue(label: "vault.observer")

  /// - Parameter tell: called with each event, never twice at once.
  public init(_ tell: @escaping @Sendable (VaultEvent) -> Void) { self.tell = tell }

  /// Waits until all that has happened before this call was told.
  public func finish() async {
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
  }

  package func take(_ event: VaultEvent) {
    queue.async { self.tell(event) }
  }
}
