import Synchronization

/// A count on stderr for work that takes over a second, on a terminal only.
final class Progress: Sendable {
  private struct State {
    var count = 0
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
      guard before / 64 != state.count / 64, ContinuousClock.now >= state.next else { return }
      state.next = .now + .milliseconds(200)
      state.isShown = true
      show("\r\(state.count) \(deed)")
    }
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
