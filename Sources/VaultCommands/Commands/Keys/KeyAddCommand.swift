import ArgumentParser
import VaultAge
import VaultDocument
import VaultKit

extension KeyCommand {
  /// `vault key add`.
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a way to unlock.",
      discussion: """
        One of --passphrase, --recipient and --generate-identity. The header and the files of all slots are verified first.

        Example:
          vault key add --recipient age1… --label "Ada's laptop"
        """)

    @Flag(help: "Unlock with a passphrase; it is asked for twice, or read as below.")
    var passphrase = false

    @Option(help: ArgumentHelp("Unlock with the identity of an age recipient.", valueName: "age1…"))
    var recipient: String?

    @Option(help: ArgumentHelp("Make an age identity and write it to a new file.", valueName: "file"))
    var generateIdentity: String?

    @Option(help: "What the slot is called.")
    var label = ""

    @Option(help: ArgumentHelp("The cost of the passphrase, 10 to 20.", valueName: "n"))
    var workFactor: Int?

    @OptionGroup var newPassphrase: NewPassphraseOptions
    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      try check()
      let recipient = try recipient.map { try AgeRecipient.argument($0) }
      let session = try Session(vault, global)
      if let path = generateIdentity { try IdentityFile.check(newFile: path, session.location) }
      let opened = try await session.unlockToWrite(unlocking, withRootKey: true)
      if let path = generateIdentity { return try report(await generate(path, opened, session.location), path) }
      let kind: NewSlot.Kind
      if let recipient {
        kind = .recipient(recipient)
      } else {
        kind = .passphrase(try newPassphrase.read(global), workFactor: workFactor ?? SlotFile.defaultWorkFactor)
      }
      try report(await opened.addSlot(NewSlot(kind, label: label)), nil)
    }

    /// What can be refused before anybody is asked for a passphrase.
    private func check() throws {
      let ways = [passphrase, recipient != nil, generateIdentity != nil].count { $0 }
      guard ways == 1 else {
        throw CommandError.usage(
          "slot add", "takes exactly one of --passphrase, --recipient age1… and --generate-identity FILE")
      }
      guard passphrase || (newPassphrase.isEmpty && workFactor == nil) else {
        throw CommandError.usage(workFactor == nil ? "--new-passphrase-…" : "--work-factor", "needs --passphrase")
      }
      try SlotFile.checkNewWorkFactor(workFactor)
    }

    /// The identity is durable before the slot is made, and goes again when that fails.
    private func generate(_ path: String, _ opened: Vault, _ location: VaultLocation) async throws -> Slot {
      let identity = try AgeIdentity.generate()
      try IdentityFile.create(identity, at: path, created: Timestamp.now().text)
      do {
        return try await opened.addSlot(NewSlot(.recipient(identity.recipient), label: label))
      } catch {
        // Where the header has the slot in spite of the error, the identity is what opens it.
        let header = try? LockedVault(at: location.path).header
        if header?.slots.contains(where: { $0.recipient == identity.recipient }) == false { System.remove(path) }
        throw error
      }
    }

    private func report(_ slot: Slot, _ identity: String?) throws {
      if let identity {
        global.messages.note("the identity is in \(identity): keep a copy in a safe place, never beside the vault")
      }
      guard global.json else { return try Output.line(slot.id.text) }
      try Output.document(["identity": .optional(identity), "slot": slot.document])
    }
  }

  /// `vault key change-passphrase`.
  struct ChangePassphrase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "change-passphrase",
      abstract: "Give a passphrase slot another passphrase, at the present cost.",
      discussion: """
        Without SLOT it is the one that unlocked the vault, or the only one there is. It gets a new id and file. The same \
        passphrase may be given again, to make a weak slot as strong as a new one.

        Example:
          vault key change-passphrase
        """)

    @Argument(help: "The id, exact label, or beginning of the id of a slot.")
    var slot: String?

    @Option(help: ArgumentHelp("The cost of the passphrase, 10 to 20.", valueName: "n"))
    var workFactor = SlotFile.defaultWorkFactor

    @OptionGroup var newPassphrase: NewPassphraseOptions
    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      try SlotFile.checkNewWorkFactor(workFactor)
      let opened = try await Session(vault, global).unlockToWrite(unlocking, withRootKey: true)
      let old = try slot.map { try opened.header.slot(argument: $0) } ?? standard(opened)
      guard old.kind == .scrypt else {
        throw CommandError.usage(
          "SLOT", "\(old.words) has no passphrase: it is for an identity",
          "`vault key add --passphrase` adds a slot with one")
      }
      let passphrase = try newPassphrase.read(global)
      let new = try await opened.changePassphrase(of: old.id, to: passphrase, workFactor: workFactor)
      if global.json {
        return try Output.document([
          "notes": .array([.string(Self.warning)]), "removed": old.document, "slot": new.document,
        ])
      }
      try Output.line(new.id.text)
      global.messages.note(Self.warning)
    }

    private static let warning =
      "the old passphrase still opens copies of the old slot, in git history and backups: "
      + "if somebody else knows it, `vault rekey --reseal`"

    private func standard(_ opened: Vault) throws -> Slot {
      if opened.slot.kind == .scrypt { return opened.slot }
      let slots = opened.header.slots.filter { $0.kind == .scrypt }
      guard let only = slots.first, slots.count == 1 else {
        throw CommandError.usage(
          "SLOT", slots.isEmpty ? "no slot of the vault has a passphrase" : "several slots have a passphrase: name one",
          "`vault key list` shows the slots")
      }
      return only
    }
  }
}

extension SlotFile {
  /// Refuses a cost that no new slot may have.
  static func checkNewWorkFactor(_ workFactor: Int?) throws {
    guard let workFactor, !newWorkFactors.contains(workFactor) else { return }
    throw CommandError.usage("--work-factor", "must be between 10 and 20")
  }
}
