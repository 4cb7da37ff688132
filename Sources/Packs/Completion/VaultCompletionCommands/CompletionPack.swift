package import VaultCLI

extension Pack {
  /// Completion in shells, and manual pages.
  package static let completion = Pack(commands: ["completion": { CompletionCommand.self }]) {
    $0.answers = { arguments in
      // The completion scripts of shells give this word, and need the answer before the next key.
      guard arguments.first == "complete" else { return false }
      await Completion.run(Array(arguments.dropFirst()))
      return true
    }
  }
}
