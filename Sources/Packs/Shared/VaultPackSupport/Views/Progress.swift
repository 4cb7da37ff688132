import Synchronization
package import VaultTerminal

/// A counter on stderr for work of more than a second, with its rate. If the total is known, also a bar and the time
/// left. Shown only at a terminal.
package final class Progress: Sendable {
  private struct State {
    var count = 0
    /// The part of the source that was read, from 0 to 1; nil if it is unknown.
    var share: Double?
    /// The total; nil if it is unknown or was not asked for yet.
    var total: Int?
    var isShown = false
    let start = ContinuousClock.now
    var next: ContinuousClock.Instant
  }

  private let action: String
  private let isWanted: Bool
  private let findTotal: @Sendable () -> Int?
  private let state: Mutex<State>

  /// - Parameter total: the amount of work. It is called only if the counter is shown.
  package init(_ action: String, _ global: GlobalOptions, total: @escaping @Sendable () -> Int? = { nil }) {
    self.action = action
    isWanted = global.notesAreRead
    findTotal = total
    state = Mutex(State(next: .now + .seconds(1)))
  }

  /// Any thread can call this function.
  package func advance(by count: Int = 1) {
    guard isWanted else { return }
    state.withLock { state in
      let before = state.count
      state.count += count
      // The clock is read only sometimes, because it costs more than a record.
      guard before / 64 != state.count / 64 else { return }
      showIfDue(&state)
    }
  }

  /// Sets the part of the source that was read, from 0 to 1.
  package func pass(_ share: Double) {
    guard isWanted else { return }
    state.withLock { state in
      state.share = share
      showIfDue(&state)
    }
  }

  /// The caller holds the lock of `state`. The function for the total also runs under it.
  private func showIfDue(_ state: inout State) {
    let now = ContinuousClock.now
    guard now >= state.next else { return }
    if !state.isShown { state.total = findTotal() }
    state.next = now + .milliseconds(200)
    state.isShown = true
    show("\r\u{1B}[K" + Self.text(of: state, action, after: (now - state.start) / .seconds(1)))
  }

  private static func text(of state: State, _ action: String, after seconds: Double) -> String {
    let share = state.share ?? state.total.map { $0 > 0 ? Double(state.count) / Double($0) : 1 }
    let total = state.total.map { " of \($0)" } ?? ""
    let rate = Int(Double(state.count) / max(seconds, 0.001))
    let left = share.map { $0 > 0 && $0 < 1 ? ", \(duration(seconds * (1 - $0) / $0)) left" : "" } ?? ""
    return "\(share.map(bar) ?? "")\(state.count)\(total) \(action), \(rate)/s\(left)"
  }

  private static func duration(_ seconds: Double) -> String {
    let seconds = Int(min(seconds.rounded(.up), 359_999))
    if seconds < 60 { return "\(seconds) s" }
    return seconds < 3600 ? "\(seconds / 60) min \(seconds % 60) s" : "\(seconds / 3600) h \(seconds / 60 % 60) min"
  }

  private static func bar(_ share: Double) -> String {
    let done = Int(20 * min(1, max(0, share)))
    let percents = "  \(Int(100 * min(1, max(0, share))))".suffix(3)
    return "[\(String(repeating: "#", count: done))\(String(repeating: ".", count: 20 - done))] \(percents) %  "
  }

  /// Erases the counter, so that other output can follow.
  package func end() {
    state.withLock { state in
      if state.isShown { show("\r\u{1B}[K") }
      state.isShown = false
    }
  }

  private func show(_ text: String) { try? System.writeAll(Array(text.utf8), to: System.standardError) }
}
