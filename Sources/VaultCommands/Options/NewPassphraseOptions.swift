import ArgumentParser
import VaultAge
import VaultCrypto
import VaultKit

/// Where a new passphrase comes from.
struct NewPassphraseOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the new passphrase from a file.", valueName: "file"))
  var newPassphraseFile: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Read the new passphrase from a descriptor.", valueName: "n"))
  var newPassphraseFd: Int32?

  @Option(help: ArgumentHelp("Read the new passphrase from a command.", valueName: "command"))
  var newPassphraseCommand: String?

  var isEmpty: Bool { newPassphraseFile == nil && newPassphraseFd == nil && newPassphraseCommand == nil }

  func read(_ global: GlobalOptions) throws -> SecretBytes {
    let passphrase = try given() ?? asked(global)
    guard passphrase.count > 0 else {
      throw CommandError(.inputRefused, "input_refused", subject: "--passphrase", "the new passphrase is empty")
        .hinting("nothing was made")
    }
    return passphrase
  }

  private func given() throws -> SecretBytes? {
    let source = PassphraseSource(
      file: newPassphraseFile, descriptor: newPassphraseFd, command: newPassphraseCommand,
      names: ("--new-passphrase-file", "--new-passphrase-fd", "--new-passphrase-command"))
    let chosen = try source.source()
    return try chosen?.passphrase()
  }

  private func asked(_ global: GlobalOptions) throws -> SecretBytes {
    guard let terminal = Terminal(noInput: global.noInput) else {
      throw CommandError(
        .cannotUnlock, "no_key", subject: "--passphrase", "there is no terminal to ask for the new passphrase",
        hints: ["use --new-passphrase-file FILE, --new-passphrase-fd N or --new-passphrase-command COMMAND"])
    }
    return try terminal.newSecret("New passphrase")
  }
}

extension AgeRecipient {
  /// The value of `--recipient`, or of another option.
  static func argument(_ text: String, of option: String = "--recipient") throws -> AgeRecipient {
    do {
      return try AgeRecipient(parsing: text)
    } catch {
      let reason = error.code == .malformedRecipient ? "is no age recipient: \(error.reason)" : error.reason
      throw CommandError.usage(option, reason, "a recipient is the public part of an identity: age1…")
    }
  }
}
