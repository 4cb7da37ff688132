import ArgumentParser

struct SlotFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "slot", abstract: "List, add, remove and change the ways to unlock.",
    subcommands: [SlotListFloor.self, SlotAddFloor.self, SlotRemoveFloor.self, SlotChangePassphraseFloor.self])
}

struct SlotListFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the slots and how strong they are.",
    aliases: ["ls"])

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct SlotAddFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a way to unlock.")

  @Flag(help: "Unlock with a passphrase, typed twice or read as below.") var passphrase = false
  @Option(help: "Unlock with the identity of an age recipient.") var recipient: String?
  @Option(help: "Make an age identity and write it to a new file.") var generateIdentity: String?
  @Option(help: "What the slot is called.") var label: String?
  @Option(help: "The cost of the passphrase, 10 to 20.") var workFactor: Int?
  @Option(help: "Read the new passphrase from a file.") var newPassphraseFile: String?
  @Option(help: "Read the new passphrase from a descriptor.") var newPassphraseFd: Int?
  @Option(help: "Read the new passphrase from a command.") var newPassphraseCommand: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct SlotRemoveFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take a way to unlock away.",
    aliases: ["rm", "delete"])

  @Argument(help: "The id, exact label, or beginning of the id of a slot.") var slot: String
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct SlotChangePassphraseFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change-passphrase", abstract: "Give a passphrase slot another passphrase, at the present cost.")

  @Argument(help: "The id, exact label, or beginning of the id of a slot.") var slot: String?
  @Option(help: "The cost of the passphrase, 10 to 20.") var workFactor = 18
  @Option(help: "Read the new passphrase from a file.") var newPassphraseFile: String?
  @Option(help: "Read the new passphrase from a descriptor.") var newPassphraseFd: Int?
  @Option(help: "Read the new passphrase from a command.") var newPassphraseCommand: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct RotateFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Give the vault a new key, and print its new fingerprint.")

  @Flag(help: "Seal every secret anew, so that the old keys open nothing that is written from now on.")
  var reseal = false
  @Option(help: "Give this slot no new key; may be repeated.") var dropSlot: [String] = []
  @Option(help: "The passphrase of another slot, from a file; may be repeated.") var slotPassphraseFile: [String] = []
  @Option(help: "The cost of passphrases, 10 to 20.") var workFactor = 18
  @Flag(help: "Only show what would be done.") var dryRun = false
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct DueFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "due", abstract: "List secrets that should be replaced; 14 when there are any.")

  @Flag(help: "What has not been replaced since the newest `vault rekey --reseal`.") var leaver = false
  @Option(help: "What was sealed so long ago: 90d, 12h, 90m, 2w.") var olderThan: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup var global: GlobalOptions
}

struct StatusFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show which vault and which key would be used, and why.")

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct DoctorFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check keys, slots, memory, permissions and leftovers, and say what to do.")

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct FingerprintFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fingerprint", abstract: "Print the fingerprint of the vault.")

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup var global: GlobalOptions
}

struct PinFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Show, renew or forget what this machine remembers of a vault.",
    subcommands: [PinShowFloor.self, PinAcceptFloor.self, PinForgetFloor.self])
}

struct PinShowFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show what is remembered, and whether the vault is so.")

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup var global: GlobalOptions
}

struct PinAcceptFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Take the vault as it is now for the one that is expected.")

  @Option(help: "The fingerprint that the vault must have.") var fingerprint: String
  @Option(help: "Only this record, by its id; may be repeated.") var record: [String] = []
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup var global: GlobalOptions
}

struct PinForgetFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Forget the vault: its next use is the first.")

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup var global: GlobalOptions
}

struct GenerateFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Print a new password or passphrase.")

  @Option(help: "Number of characters, 8 to 1024 (24).") var length: Int?
  @Flag(help: "Use symbols as well as letters and digits.") var symbols = false
  @Option(help: "Make a passphrase of 3 to 64 words instead.") var words: Int?
  @OptionGroup var global: GlobalOptions
}
