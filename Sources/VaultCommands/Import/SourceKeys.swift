import ArgumentParser
import VaultAge
import VaultCrypto
import VaultExchange

/// The keys of a file that another tool has sealed.
struct SourceKeys: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "An identity that opens the file, where it is sealed with age; those that unlock the vault are tried too.",
      valueName: "file"))
  var sourceIdentity: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take the passphrase that the file is sealed with from a file; else it is asked for.", valueName: "file"))
  var sourcePassphraseFile: String?

  /// Those that are given for the file, then those that unlock the vault.
  func identities(_ session: Session, _ options: UnlockOptions) throws -> [AgeIdentity] {
    let unlocking = try KeySource.chosen(session, options).flatMap { source -> [String] in
      if case .identities(let files) = source.kind { files } else { [] }
    }
    return try (sourceIdentity + unlocking).flatMap { try IdentityFile.read($0) }
  }

  /// Gives the passphrase of the file when it is needed.
  func passphrase(of name: String, _ global: GlobalOptions) -> @Sendable () throws(ExchangeError) -> SecretBytes {
    let (file, noInput) = (sourcePassphraseFile, global.noInput)
    return { () throws(ExchangeError) in
      do {
        if let file { return try SecretInput.file(file) }
        guard let terminal = Terminal(noInput: noInput) else {
          throw CommandError(
            .cannotUnlock, "passphrase_needed", subject: name, "is sealed with a passphrase, and nobody can be asked",
            hints: ["give it with --source-passphrase-file FILE"])
        }
        return try terminal.secret("Passphrase of \(Printable.text(name)): ")
      } catch {
        throw ExchangeError(.passphraseNeeded, "is sealed with a passphrase", underlying: error)
      }
    }
  }
}
