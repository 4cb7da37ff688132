package import VaultDocument

/// A question of the agent to the user who unlocked it: whether a record may be opened.
package struct AgentQuestion: Sendable {
  /// The timeout for an answer.
  static let time: Duration = .seconds(30)

  package let record: RecordID
  /// The process that wants to open the record; nil if it is unknown.
  package let process: Int32?
  /// The coding agent that runs this process, as the process says; nil for none.
  package let agent: String?
}

/// The terminal at which an agent asks, one question at a time. The agent continues to serve meanwhile.
package struct AgentAsker {
  /// The descriptor for typed answers.
  package let terminal: Int32
  /// Shows a question. Returns whether somebody can see it.
  package let ask: (AgentQuestion) -> Bool
  package let answer: () -> Bool
  /// Tells the user that no answer is needed any more.
  package let withdraw: () -> Void

  package init(
    terminal: Int32, ask: @escaping (AgentQuestion) -> Bool, answer: @escaping () -> Bool,
    withdraw: @escaping () -> Void
  ) {
    (self.terminal, self.ask, self.answer, self.withdraw) = (terminal, ask, answer, withdraw)
  }
}

/// Events that make an agent drop its key, besides time and the vault.
package struct AgentWatch {
  /// An event has occurred when one of these descriptors is readable.
  package let files: [Int32]
  /// The names of the working sources.
  package let heard: () -> [String]
  /// Whether the key must be dropped.
  package let isOver: () -> Bool

  package init(
    files: [Int32] = [], heard: @escaping () -> [String] = { [] }, isOver: @escaping () -> Bool = { false }
  ) {
    (self.files, self.heard, self.isOver) = (files, heard, isOver)
  }
}
