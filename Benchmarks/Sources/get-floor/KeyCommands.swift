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

  @Flag(help: "Add a passphrase: you type it twice, or it is read as below.") var passphrase = false
  @Option(help: "Add this age recipient: its identity unlocks.") var recipient: String?
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
    commandName: "remove", abstract: "Remove a way to unlock.",
    aliases: ["rm", "delete"])

  @Argument(help: "The id, exact label, or beginning of the id of a slot.") var slot: String
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct SlotChangePassphraseFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change-passphrase", abstract: "Change the passphrase of a slot, at the present cost.")

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

  @Flag(help: "Seal every secret again; old keys open nothing written from now on.")
  var reseal = false
  @Option(help: "Drop this slot: it gets no new key; may be repeated.") var dropSlot: [String] = []
  @Option(help: "Read the passphrase of another slot from a file; may be repeated.") var slotPassphraseFile: [String] =
    []
  @Option(help: "The cost of passphrases, 10 to 20.") var workFactor = 18
  @Flag(help: "Only show what would be done.") var dryRun = false
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct DueFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "due", abstract: "List secrets that should be replaced.")

  @Flag(help: "Only secrets not replaced since the newest `vault rekey --reseal`.") var leaver = false
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
    commandName: "fingerprint", abstract: "Print what tells this vault from every other.")

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup var global: GlobalOptions
}

struct PinFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Show, update or forget what this machine remembers of a vault.",
    subcommands: [PinShowFloor.self, PinAcceptFloor.self, PinForgetFloor.self])
}

struct PinShowFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show what is remembered, and whether the vault matches.")

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup var global: GlobalOptions
}

struct PinAcceptFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Accept the vault as it is now.")

  @Option(help: "The fingerprint that the vault must have.") var fingerprint: String
  @Option(help: "Forget only this record, by its id; may be repeated.") var record: [String] = []
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup var global: GlobalOptions
}

struct PinForgetFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Forget the vault, so that its next use counts as the first.")

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup var global: GlobalOptions
}

struct GenerateFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Print a new password or passphrase.")

  @Option(help: "How many characters, 8 to 1024 (24).") var length: Int?
  @Flag(help: "With symbols besides letters and digits.") var symbols = false
  @Option(help: "A passphrase of so many words instead, 3 to 64.") var words: Int?
  @OptionGroup var global: GlobalOptions
}
