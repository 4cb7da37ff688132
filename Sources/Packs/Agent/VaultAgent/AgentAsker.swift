package import VaultDocument

/// What an agent wants to know of whoever has unlocked it: whether a record may be opened.
package struct AgentQuestion: Sendable {
  /// For how long it waits for an answer.
  static let time: Duration = .seconds(30)

  package let record: RecordID
  /// Who wants it opened; nil where the system does not tell.
  package let process: Int32?
}

/// The terminal at which an agent asks. It asks one question at a time, and goes on serving meanwhile.
package struct AgentAsker {
  /// What is typed can be read here.
  package let terminal: Int32
  /// Shows a question.
  ///
  /// - Returns: whether somebody can see it.
  package let ask: (AgentQuestion) -> Bool
  /// Reads the answer that was typed.
  package let answer: () -> Bool
  /// Says that no answer is wanted any more.
  package let withdraw: () -> Void

  package init(
    terminal: Int32, ask: @escaping (AgentQuestion) -> Bool, answer: @escaping () -> Bool,
    withdraw: @escaping () -> Void
  ) {
    (self.terminal, self.ask, self.answer, self.withdraw) = (terminal, ask, answer, withdraw)
  }
}

/// What else tells an agent to drop its key, besides time and the vault.
package struct AgentWatch {
  /// Something is told when one of these can be read.
  package let files: [Int32]
  /// The names of those that can be heard.
  package let heard: () -> [String]
  /// Whether the key is to be dropped.
  package let isOver: () -> Bool

  package init(
    files: [Int32] = [], heard: @escaping () -> [String] = { [] }, isOver: @escaping () -> Bool = { false }
  ) {
    (self.files, self.heard, self.isOver) = (files, heard, isOver)
  }
}
