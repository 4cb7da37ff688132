package import ArgumentParser
package import VaultKit

/// The flags that every command takes.
package struct GlobalOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print no notes.")
  package var quiet = false

  @Flag(name: .shortAndLong, help: "Print what is used and why, and the causes of errors.")
  package var verbose = false

  @Flag(name: .shortAndLong, help: "Answer yes to every question.")
  package var yes = false

  @Flag(help: "Print JSON, also for errors.")
  package var json = false

  @Flag(help: "Print no colors.")
  var noColor = false

  @Flag(help: "Never ask for anything.")
  package var noInput = false

  @Flag(help: "Never show a sealed value (CVAULT_NO_REVEAL).")
  package var noReveal = false

  @Option(parsing: .unconditional, help: ArgumentHelp("How long to wait for another process.", valueName: "seconds"))
  var lockTimeout = 10

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long to wait for a database that accepts changes (default: --lock-timeout).",
      valueName: "seconds"))
  var waitForPrimary: Int?

  @Flag(name: .customLong("no-index"), help: "Read the files of the records, and do not use the cache.")
  package var withoutIndex = false

  package init() {}

  package var messages: Messages { Messages(isQuiet: quiet, isVerbose: verbose, isJSON: json, noColor: noColor) }

  package var notesAreRead: Bool { !quiet && !json && System.isTerminal(System.standardError) }

  package var style: Style { Style(noColor: noColor, descriptor: System.standardOutput) }

  package func lockTime() throws -> Duration {
    guard (0...86_400).contains(lockTimeout) else {
      throw CommandError.usage("--lock-timeout", "must be between 0 and 86400 seconds")
    }
    return .seconds(lockTimeout)
  }

  /// How long to wait for a server that can be reached and accepts changes, or for a replica that is behind.
  package func primaryTime() throws -> Duration {
    guard let waitForPrimary else { return try lockTime() }
    guard (0...86_400).contains(waitForPrimary) else {
      throw CommandError.usage("--wait-for-primary", "must be between 0 and 86400 seconds")
    }
    return .seconds(waitForPrimary)
  }

  package func vaultOptions(_ state: KnownVaults?) throws -> Vault.Options {
    var options = Vault.Options(state: state)
    options.lockTimeout = try lockTime()
    let messages = messages
    options.onStateNote = { news in messages.note(news) }
    options.onLockWait = { holder in
      messages.note("waiting for " + (holder.map { "process \($0)" } ?? "another process"))
    }
    return options
  }

  /// Whether a user types the command and reads its output. Omitted words can then have their usual meaning.
  package var isAtTerminal: Bool {
    !json && System.isTerminal(System.standardInput) && System.isTerminal(System.standardError) && canAsk
  }

  package var canAsk: Bool { Terminal.isThere(noInput: noInput) }

  /// Asks before a change that is hard to undo. `--yes` answers the question. A refusal is thrown, and so is a missing
  /// terminal.
  package func confirm(_ question: String) throws {
    if yes { return }
    guard let terminal = Terminal(noInput: noInput) else {
      throw CommandError.unconfirmed()
    }
    guard try terminal.confirms(Printable.text(question)) else {
      throw CommandError(.declined, "declined", subject: nil, "you did not confirm, so nothing was changed")
    }
  }
}

extension CommandError {
  /// The error for a question that nobody can answer.
  package static func unconfirmed(_ hint: String = "add --yes to answer yes") -> CommandError {
    CommandError(
      .declined, "declined", subject: nil, "this needs confirmation, and there is no terminal to ask", hints: [hint])
  }
}

package struct VaultOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The vault's folder, or the address of its database (CVAULT_DIR).", valueName: "dir"))
  package var vault: String?

  @Option(
    name: .customLong("in"), help: ArgumentHelp("The vault with this name in a set of vaults.", valueName: "vault"))
  package var names: [String] = []

  @Option(help: ArgumentHelp("The file of a set of vaults (CVAULT_VAULTS).", valueName: "file"))
  package var vaults: String?

  @Option(
    help: ArgumentHelp("Refuse any vault with another fingerprint (CVAULT_FINGERPRINT).", valueName: "hex"))
  package var requireFingerprint: String?

  package init() {}

  /// The options that name a vault, for commands with an option of their own for it.
  package static func named(_ path: String, fingerprint: String? = nil) -> VaultOptions {
    var options = none
    options.vault = path
    options.requireFingerprint = fingerprint
    return options
  }

  package static var none: VaultOptions {
    var options = VaultOptions()
    (options.vault, options.names, options.vaults, options.requireFingerprint) = (nil, [], nil, nil)
    return options
  }

  package var isGiven: Bool { vault != nil || !names.isEmpty }
}

/// The state of a vault to read: an option of commands that write nothing.
package struct RevisionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the vault as it was at a git commit.", valueName: "rev"))
  package var at: String?

  package init() {}
}

package struct UnlockOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A file of age identities; may be repeated (CVAULT_IDENTITY_FILE).", valueName: "file"))
  package var identity: [String] = []

  @Option(
    help: ArgumentHelp("Read age identities from a command (CVAULT_IDENTITY_COMMAND).", valueName: "command"))
  package var identityCommand: String?

  @Option(help: ArgumentHelp("Read the passphrase from a file (CVAULT_PASSPHRASE_FILE).", valueName: "file"))
  package var passphraseFile: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Read the passphrase from a descriptor (CVAULT_PASSPHRASE_FD).", valueName: "n"))
  package var passphraseFd: Int32?

  @Option(help: ArgumentHelp("Read the passphrase from a command (CVAULT_PASSPHRASE_COMMAND).", valueName: "command"))
  package var passphraseCommand: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Accept passphrase slots up to this cost, 10 to 22.", valueName: "n"))
  var maxWorkFactor = SlotFile.defaultMaximumWorkFactor

  package init() {}

  /// Keeps child processes from inheriting the descriptors.
  package func validate() throws {
    System.keepFromPrograms(passphraseFd)
    System.keepFromPrograms(System.environment("CVAULT_PASSPHRASE_FD").flatMap { Int32($0) })
  }

  package var givesKey: Bool {
    !identity.isEmpty || identityCommand != nil || passphraseFile != nil || passphraseFd != nil
      || passphraseCommand != nil
  }

  package func maximumWorkFactor() throws -> Int {
    guard SlotFile.workFactors.contains(maxWorkFactor) else {
      throw CommandError.usage("--max-work-factor", "must be between 10 and 22")
    }
    return maxWorkFactor
  }
}

/// Whether listed records are verified first.
package struct VerifyOptions: ParsableArguments {
  @Flag(help: "Verify every row with the key that other commands use.")
  var verify = false

  package init() {}

  /// The key to verify with; nil to verify nothing. A key that happens to be there is not used, because long lists
  /// would take ten times as long.
  package func key(_ options: UnlockOptions) -> UnlockOptions? { verify || options.givesKey ? options : nil }
}
