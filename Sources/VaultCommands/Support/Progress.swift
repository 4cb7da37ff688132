import Synchronization

/// A count on stderr for work that takes over a second, with a bar where it is known how much there is; on a terminal only.
final class Progress: Sendable {
  private struct State {
    var count = 0
    /// How much of the source is read, from 0 to 1; nil where nobody knows.
    var share: Double?
    var isShown = false
    var next: ContinuousClock.Instant
  }

  private let deed: String
  private let isWanted: Bool
  private let state: Mutex<State>

  init(_ deed: String, _ global: GlobalOptions) {
    self.deed = deed
    isWanted = !global.quiet && !global.json && System.isTerminal(System.standardError)
    state = Mutex(State(next: .now + .seconds(1)))
  }

  func advance(by count: Int = 1) {
    guard isWanted else { return }
    state.withLock { state in
      let before = state.count
      state.count += count
      // The clock is asked now and then only: it costs more than a record does.
      guard before / 64 != state.count / 64 else { return }
      showIfDue(&state)
    }
  }

  /// Says how much of the source is read, from 0 to 1.
  func pass(_ share: Double) {
    guard isWanted else { return }
    state.withLock { state in
      state.share = share
      showIfDue(&state)
    }
  }

  private func showIfDue(_ state: inout State) {
    guard ContinuousClock.now >= state.next else { return }
    state.next = .now + .milliseconds(200)
    state.isShown = true
    show("\r\(state.share.map(Self.bar) ?? "")\(state.count) \(deed)")
  }

  private static func bar(_ share: Double) -> String {
    let done = Int(20 * min(1, max(0, share)))
    let percents = "  \(Int(100 * min(1, max(0, share))))".suffix(3)
    return "[\(String(repeating: "#", count: done))\(String(repeating: ".", count: 20 - done))] \(percents) %  "
  }

  /// Takes the count away again.
  func end() {
    state.withLock { state in
      if state.isShown { show("\r\u{1B}[K") }
      state.isShown = false
    }
  }

  private func show(_ text: String) { try? System.writeAll(Array(text.utf8), to: System.standardError) }
}
