import ArgumentParser
import VaultAge
import VaultBackup
import VaultCLI
import VaultCrypto
import VaultKit
import VaultPackSupport
import VaultTerminal

struct BackupKeyOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Seal to an age recipient; may be repeated.", valueName: "age1…"))
  var recipient: [String] = []

  @Option(help: ArgumentHelp("Seal to the recipients in a file, one per line.", valueName: "file"))
  var recipientsFile: String?

  @Option(help: ArgumentHelp("Seal with a passphrase from a file instead.", valueName: "file"))
  var newPassphraseFile: String?

  /// The given key, the recipients of the vault's own slots, or a passphrase that the user types; and for recipients
  /// that the user has not named, a note for after the backup.
  ///
  /// - Parameter proof: the identities for the proof. They are refused now if they cannot open the backup.
  func key(
    _ session: Session, proof: [AgeIdentity]?, opened: Vault?
  ) throws -> (key: BackupKey, note: String?) {
    var recipients = try recipient.map { try AgeRecipient.argument($0) }
    if let recipientsFile { recipients += try RecipientsFile.read(recipientsFile) }
    try AgeRecipient.check(recipients, of: recipient.isEmpty ? "--recipients-file" : "--recipient")
    if let newPassphraseFile {
      guard recipients.isEmpty else {
        throw CommandError.usage("--new-passphrase-file", "cannot be combined with --recipient or --recipients-file")
      }
      guard proof == nil else {
        throw CommandError.usage("--prove-with", "needs an identity, but the backup is sealed with a passphrase")
      }
      return (.passphrase(try SecretInput.file(newPassphraseFile).newPassphrase(session.messages)), nil)
    }
    if recipients.isEmpty, let passphrase = try typedPassphrase(session, proof: proof, opened: opened) {
      return (.passphrase(passphrase), nil)
    }
    let isNamed = !recipients.isEmpty
    if !isNamed {
      recipients = try ownRecipients(session, opened)
      // Recipients of both types may be combined here, because each of them has the whole vault anyway.
      try AgeRecipient.checkLibrary(for: recipients, of: session.location.path)
    }
    if let proof, !proof.contains(where: { recipients.contains(where: $0.mayOpen) }) {
      throw CommandError(
        .cannotUnlock, "no_matching_slot", subject: "--prove-with",
        "no identity in the file belongs to a recipient of the backup",
        hints: ["name the identity's recipient with --recipient; `age-keygen -y FILE` prints it"])
    }
    guard !isNamed else { return (.recipients(recipients), nil) }
    return (.slots(recipients), note(recipients.count, isVerified: opened != nil))
  }

  private func note(_ count: Int, isVerified: Bool) -> String {
    let who = count == 1 ? "the recipient of the vault's own slot" : "the recipients of the vault's own slots"
    return "sealed to \(who)" + (isVerified ? "" : ", according to the unverified header")
  }

  /// A passphrase for the backup of a vault that has only passphrases; nil if the vault has other slots, or if nobody
  /// can be asked.
  private func typedPassphrase(
    _ session: Session, proof: [AgeIdentity]?, opened: Vault?
  ) throws -> SecretBytes? {
    let global = session.global
    let header = opened?.header ?? session.locked.header
    guard proof == nil, global.isAtTerminal, header.slots.allSatisfy({ $0.recipient == nil }),
      let terminal = Terminal(noInput: global.noInput)
    else { return nil }
    let usual = session.typed.secret
    let choice = usual == nil ? "" : " (Enter takes the vault's)"
    for _ in 0..<3 {
      let typed = try terminal.secret("Passphrase of the backup\(choice): ")
      if typed.count == 0, let usual { return usual }
      if typed.count == 0 { continue }
      if let fault = SecretLine.fault(ofNewPassphrase: HiddenContent(in: typed)) {
        try terminal.say("The passphrase \(fault). Try again.\n")
      } else if try terminal.repeats(typed, "Passphrase of the backup, again: ") {
        return typed
      }
    }
    throw CommandError(
      .declined, "declined", subject: "terminal", "no passphrase was typed the same way twice",
      hints: ["no backup was made"])
  }

  private func ownRecipients(_ session: Session, _ opened: Vault?) throws -> [AgeRecipient] {
    // Without a key the header is not authentic, and its recipients may be false.
    let recipients = (opened?.header ?? session.locked.header).slots.compactMap(\.recipient)
    guard !recipients.isEmpty else {
      throw CommandError.usage(
        "--recipient", "is needed: no slot of the vault \(session.location.path) has a recipient",
        "or seal with --new-passphrase-file FILE")
    }
    return recipients
  }
}
