/// A coding agent that runs this command, by the variable with which it announces itself.
///
/// A variable is a help and not a proof: each program can set or remove it.
package struct CodingAgent: Sendable {
  package let variable: String
  package let name: String

  /// The variables that agents set, and the names of these agents.
  private static let known: KeyValuePairs = [
    "CLAUDECODE": "Claude Code", "CODEX_SANDBOX": "Codex", "CODEX_THREAD_ID": "Codex", "CURSOR_AGENT": "Cursor",
    "GEMINI_CLI": "Gemini CLI", "OPENCODE": "OpenCode", "COPILOT_CLI": "Copilot CLI",
  ]
  /// The variable of all other agents. Its value is the name of the agent.
  private static let general = "AI_AGENT"
  package static let variables = known.map(\.key) + [general]

  /// The agent of this run; nil if no variable announces one.
  package static var current: CodingAgent? {
    if let (variable, name) = known.first(where: { isSet($0.key) }) {
      return CodingAgent(variable: variable, name: name)
    }
    guard isSet(general), let value = System.environment(general) else { return nil }
    return CodingAgent(variable: general, name: named(value) ?? "a coding agent")
  }

  /// A name in one short line; nil if it says only that there is an agent.
  package static func named(_ text: String) -> String? {
    let isName = !["1", "true", "yes", "on"].contains(text.lowercased())
    return isName ? Printable.cut(Printable.text(text), front: 40, back: 0) : nil
  }

  private static func isSet(_ variable: String) -> Bool {
    System.environment(variable).map { !["0", "false", "no", "off"].contains($0.lowercased()) } ?? false
  }
}
