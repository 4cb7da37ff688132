import ArgumentParser
package import VaultAge
package import VaultCrypto
import VaultKit
package import VaultTerminal

/// The sources of a new passphrase. Without them, the user types it.
package struct NewPassphraseOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the new passphrase from a file.", valueName: "file"))
  var newPassphraseFile: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Read the new passphrase from a descriptor.", valueName: "n"))
  var newPassphraseFd: Int32?

  @Option(help: ArgumentHelp("Read the new passphrase from a command.", valueName: "command"))
  var newPassphraseCommand: String?

  package init() {}

  /// Keeps child processes from inheriting the descriptor.
  package func validate() throws { System.keepFromPrograms(newPassphraseFd) }

  package var isEmpty: Bool { newPassphraseFile == nil && newPassphraseFd == nil && newPassphraseCommand == nil }

  /// Reads the passphrase, asks for it, or makes one. It may read a descriptor, so it must be called only once.
  package func read(_ global: GlobalOptions) throws -> SecretBytes {
    guard let passphrase = try given(global) ?? typed(global) else { return try words(global) }
    try Packs.warn(of: passphrase, called: "the passphrase", instead: "vault generate --words 6", global)
    return passphrase
  }

  private func given(_ global: GlobalOptions) throws -> SecretBytes? {
    let source = PassphraseSource(
      file: newPassphraseFile, descriptor: newPassphraseFd, command: newPassphraseCommand,
      names: ("--new-passphrase-file", "--new-passphrase-fd", "--new-passphrase-command"))
    let chosen = try source.source()
    return try chosen?.line().newPassphrase(global.messages)
  }

  private func terminal(_ global: GlobalOptions) throws -> Terminal {
    guard let terminal = Terminal(noInput: global.noInput) else {
      throw CommandError(
        .cannotUnlock, "no_key", subject: nil, "a new passphrase is needed, and there is no terminal to ask for it",
        hints: ["use --new-passphrase-file FILE, --new-passphrase-fd N or --new-passphrase-command COMMAND"])
    }
    return terminal
  }

  /// The passphrase that the user has chosen; nil if one must be made.
  private func typed(_ global: GlobalOptions) throws -> SecretBytes? {
    let terminal = try terminal(global)
    for _ in 0..<3 {
      let typed = try terminal.secret("New passphrase (Enter makes six words): ")
      if typed.count == 0 { return nil }
      let hidden = HiddenContent(in: typed)
      if let fault = SecretLine.fault(ofNewPassphrase: hidden) {
        try terminal.say("That \(fault). Try again.\n")
        continue
      }
      if let note = SecretLine.note(ofNewPassphrase: hidden) { try terminal.say("That \(note).\n") }
      if try terminal.repeats(typed, "New passphrase, again: ") { return typed }
    }
    throw CommandError(
      .declined, "declined", subject: "terminal", "no passphrase was repeated correctly, so nothing was changed")
  }

  /// Words that are shown once. The user types them after writing them down.
  private func words(_ global: GlobalOptions) throws -> SecretBytes {
    _ = try global.revealing(
      "New passphrase", "the new passphrase", way: "type a passphrase of your own, or use --new-passphrase-file FILE")
    let terminal = try terminal(global)
    let words = try PasswordRecipe.passphrase.make()
    try terminal.say(
      "\n    \(words.string ?? "")\n\nWrite them down: they are shown only once, and nobody can recover them.\n")
    for attempt in 1...3 {
      let isRight = try terminal.secret("Type the words that you wrote down: ") == words
      // Each attempt took two lines, except the last one.
      if isRight { try terminal.erase(lines: 4 + 2 * attempt - 1) }
      try terminal.say(isRight ? "The passphrase is six words.\n" : "That does not match the words above. Try again.\n")
      if isRight { return words }
    }
    throw CommandError(
      .declined, "declined", subject: "terminal", "the words were not typed correctly, so nothing was changed")
  }
}

extension AgeRecipient {
  /// The value of `--recipient`, or of another option.
  package static func argument(_ text: String, of option: String = "--recipient") throws -> AgeRecipient {
    let recipient: AgeRecipient
    do {
      recipient = try AgeRecipient(parsing: text)
    } catch {
      if Self.isSSHKey(text) { throw CommandError.usage(option, error.reason, whyNoSSHKey) }
      let reason = error.code == .malformedRecipient ? "is not an age recipient: \(error.reason)" : error.reason
      throw CommandError.usage(option, reason, "a recipient is the public part of an identity: age1…")
    }
    try checkLibrary(for: [recipient], of: option)
    return recipient
  }

  /// Whether a text is the public key of SSH, and not the name of a file with one.
  package static func isSSHKey(_ text: String) -> Bool {
    ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"].contains(where: text.hasPrefix) && text.contains(" ")
  }

  package static let whyNoSSHKey =
    "an ssh-agent signs, but opens nothing, so each command would have to read your private key: "
    + "make an identity with `age-keygen -o identity.txt`"
}
