import Synchronization
package import VaultCrypto

/// The controlling terminal, for questions. It is used even if stdin and stdout are pipes.
package struct Terminal: ~Copyable {
  private let file: NamedFile

  /// Nil without a terminal, or if questions are forbidden.
  package init?(noInput: Bool) {
    guard !noInput, let file = NamedFile.terminal() else { return nil }
    self.file = file
  }

  static func isThere(noInput: Bool) -> Bool {
    guard let terminal = Terminal(noInput: noInput) else { return false }
    _ = terminal
    return true
  }

  /// Whether the answer is yes.
  ///
  /// - Parameter isUsual: whether Enter alone means yes.
  package func confirms(_ question: String, unlessDenied isUsual: Bool = false) throws -> Bool {
    switch try answer("\(question) \(isUsual ? "[Y/n]" : "[y/N]") ").lowercased() {
    case "y", "yes": true
    case "": isUsual
    default: false
    }
  }

  /// The descriptor, to wait for an answer.
  package var descriptor: Int32 { file.descriptor }

  /// Shows a question that may be answered later. Earlier typing does not count as its answer.
  ///
  /// Returns false if nobody sees the question, because another program has the terminal.
  package func shows(_ question: String) -> Bool {
    guard System.isInForeground(file.descriptor) else { return false }
    dropTyped()
    System.showTyping()
    return (try? say("\(question) [y/N] ")) != nil
  }

  package func hasYes() -> Bool { (try? line().string).map { ["y", "yes"].contains($0?.lowercased()) } ?? false }

  /// A line that is typed visibly. If its bytes are not UTF-8, the question is asked again.
  package func answer(_ prompt: String) throws -> String {
    System.showTyping()
    while true {
      if let text = try asking(prompt, { try line().string }) { return text }
      try say("That is not UTF-8 text.\n")
    }
  }

  /// A line that is typed invisibly. Further typing stays hidden until the next question or answer.
  package func secret(_ prompt: String) throws -> SecretBytes {
    try System.hideTyping(on: file.descriptor)
    let isTypedAhead = System.hasTyped(at: file.descriptor)
    return try asking(prompt) {
      let secret = try line()
      // The line end of text that was typed ahead appeared before the prompt.
      if isTypedAhead { try say("\n") }
      return secret
    }
  }

  /// Shows a prompt and reads its answer. If a signal ends the process, the line of the prompt is ended, too.
  private func asking<Answer>(_ prompt: String, _ answer: () throws -> Answer) throws -> Answer {
    let descriptor = file.descriptor
    ExitCleanup.shared.withLock { $0.asksAt = descriptor }
    defer { ExitCleanup.shared.withLock { $0.asksAt = nil } }
    try say(prompt)
    return try answer()
  }

  /// Drops typing that was meant for another question.
  package func dropTyped() { System.dropTyped(at: file.descriptor) }

  /// Says before the next attempt that a typed passphrase is wrong, and which characters nobody sees in it.
  package func sayWrong(_ passphrase: SecretBytes, for subject: String) throws {
    dropTyped()
    let hidden = HiddenContent(in: passphrase)
    let reason = hidden.isEmpty ? "" : ": it has \(hidden.words)"
    try say("That passphrase does not open \(subject)\(reason). Try again.\n")
  }

  /// Whether the user types a secret again correctly. Nobody sees a mistake, and the old value may be gone.
  package func repeats(_ secret: SecretBytes, _ prompt: String) throws -> Bool {
    if try self.secret(prompt) == secret { return true }
    try say("The two are different. Try again.\n")
    return false
  }

  /// Erases the last lines, as far as they are on the screen.
  package func erase(lines: Int) throws {
    guard System.environment("TERM") ?? "dumb" != "dumb" else { return }
    try System.writeAll(Array("\u{1B}[\(lines)A\r\u{1B}[J".utf8), to: file.descriptor, path: file.path)
  }

  /// Prints a text. Names in a question may come from somebody else's vault, so control characters are escaped.
  package func say(_ text: String) throws {
    try System.writeAll(Array(Printable.document(text).utf8), to: file.descriptor, path: file.path)
  }

  /// A line without its newline. The end of input counts as a refusal.
  private func line() throws -> SecretBytes {
    var count = 0
    var isComplete = false
    var failure: SystemError?
    // A terminal returns a whole line at once, at most 4096 bytes.
    let secret = try SecretBytes(count: 4096) { span throws(CryptoError) in
      do throws(SystemError) {
        while count < 4096, !isComplete {
          let added = try System.readSome(into: &span, at: count, from: file.descriptor, path: file.path)
          if added == 0 { return }
          count += added
          isComplete = span.bytes.byte(at: count - 1) == UInt8(ascii: "\n")
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    guard isComplete else {
      try say("\n")  // The message must not stand behind the prompt.
      throw CommandError(.declined, "declined", subject: "terminal", "nothing was entered")
    }
    return try secret.slice(0..<count - 1)
  }
}
