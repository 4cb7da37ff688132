import VaultAgent
import VaultDocument
import VaultKit
import VaultSystem
import VaultTerminal

/// The terminal at which an agent was unlocked. While it belongs to the agent, the agent asks there before it opens a
/// record.
final class AgentTerminal {
  private let terminal: Terminal
  private let vault: LockedVault

  /// Nil without a terminal.
  init?(_ vault: LockedVault) {
    guard let terminal = Terminal(noInput: false) else { return nil }
    self.terminal = terminal
    self.vault = vault
  }

  var asker: AgentAsker {
    AgentAsker(
      terminal: terminal.descriptor, ask: { self.terminal.shows(self.text(of: $0)) },
      answer: { self.terminal.hasYes() },
      withdraw: { try? self.terminal.say("\nThe request was withdrawn.\n") })
  }

  /// The question, with the id of the record, because anybody who can write the vault's folder can change a name.
  private func text(of question: AgentQuestion) -> String {
    let name = vault.summaries(of: [question.record]).first?.name ?? ""
    let agent = question.agent.map { "\(Printable.text($0)): " } ?? ""
    let record = "\"\(Printable.text(name))\" (\(question.record.text.prefix(8)))"
    return "Open \(record) for \(agent)\(Self.words(for: question.process))?"
  }

  /// The asking process. It is always this program, so its parent is named, too.
  private static func words(for process: Int32?) -> String {
    guard let process else { return "an unknown process" }
    let parent = ProcessSession.parent(of: process).map { ", started by \(words(of: $0))" } ?? ""
    return words(of: process) + parent
  }

  private static func words(of process: Int32) -> String {
    "\(Printable.text(ProcessSession.name(of: process) ?? "process")) (\(process))"
  }
}
