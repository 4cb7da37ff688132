import VaultCLI
import VaultTerminal

/// A time span, as text and as a value.
package enum TimeSpan {
  package static func argument(_ text: String, of option: String) throws -> Duration {
    let seconds = try Age(text, option: option, form: "takes a time such as 30s, 15m, 8h or 2d").seconds
    guard (1...7 * 86_400).contains(seconds) else {
      throw CommandError.usage(option, "must be between a second and a week")
    }
    return .seconds(seconds)
  }

  /// Such as `1 h 30 min`.
  package static func text(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")].filter { $0.0 > 0 }
    return parts.isEmpty ? "0 s" : parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }
}
