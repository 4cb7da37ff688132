import ArgumentParser
import VaultAge
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultTerminal

extension KeyCommand {
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a way to unlock.",
      discussion: """
        Example:
          vault key add ada.pub
          vault key add age1… "Ada's laptop"

        WHO is a recipient (age1…), or a file with one. The name of the file becomes the label of the slot. Instead of \
        WHO, give one of --passphrase, --recipient and --generate-identity. The header and the files of all slots are \
        verified first.
        """)

    @Argument(help: "A person's recipient (age1…), or a file with one.")
    var who: String?

    @Argument(help: ArgumentHelp("The label of the slot, as with --label.", valueName: "name"))
    var name: String?

    @Flag(help: "Add a passphrase: you type it twice, or it is read as below.")
    var passphrase = false

    @Option(help: ArgumentHelp("Add this age recipient: its identity unlocks.", valueName: "age1…"))
    var recipient: String?

    @Option(help: ArgumentHelp("Make an age identity and write it to a new file.", valueName: "file"))
    var generateIdentity: String?

    @Flag(help: "Make a post-quantum identity, with OpenSSL 3.5 or later.")
    var postQuantum = false

    @Option(
      name: .customLong("label"),
      help: ArgumentHelp(
        "The label of the slot (default: user@host for a key that this command makes).", valueName: "label"))
    var givenLabel: String?

    @Option(help: ArgumentHelp("The cost of the passphrase, 10 to 20.", valueName: "n"))
    var workFactor: Int?

    @OptionGroup var newPassphrase: NewPassphraseOptions
    @OptionGroup var everywhere: EverywhereOptions
    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      try check()
      let recipient = try namedRecipient()
      let session = try Session(vault, global)
      if let path = generateIdentity { try IdentityFile.check(newFile: path, session.location) }
      let opened = try await session.unlock(unlocking, to: .writing, withRootKey: true)
      defer { session.rememberReaders(of: opened) }
      if let path = generateIdentity {
        return try report(await generate(path, opened: opened, location: session.location), path, opened)
      }
      let kind: NewSlot.Kind
      if let recipient {
        kind = .recipient(recipient)
      } else {
        kind = .passphrase(try newPassphrase.read(global), workFactor: workFactor ?? SlotFile.defaultWorkFactor)
      }
      try report(await opened.addSlot(NewSlot(kind, label: label(opened.header))), nil, opened)
    }

    /// Refuses wrong arguments before anybody is asked for a passphrase.
    private func check() throws {
      let ways = [passphrase, recipient != nil, generateIdentity != nil, who != nil].count { $0 }
      guard ways == 1 else {
        throw CommandError.usage(
          "key add", "needs exactly one of WHO, --passphrase, --recipient age1… and --generate-identity FILE")
      }
      guard name == nil || givenLabel == nil else { throw CommandError.usage("--label", "is given more than once") }
      guard passphrase || (newPassphrase.isEmpty && workFactor == nil) else {
        throw CommandError.usage(workFactor == nil ? "--new-passphrase-…" : "--work-factor", "needs --passphrase")
      }
      try SlotFile.checkNewWorkFactor(workFactor)
      try AgeIdentity.check(postQuantum: postQuantum, file: generateIdentity)
    }

    /// The given label, or the file name. A key that is made here is named after this user and machine.
    private func label(_ header: VaultHeader) -> String {
      if let given = givenLabel ?? name ?? (isFile ? who.map(Self.title) : nil) { return given }
      return passphrase || generateIdentity != nil ? KeyLabel.usual(besides: header.slots.map(\.label)) : ""
    }

    private var isFile: Bool {
      who.map { !$0.hasPrefix("age1") && !IdentityFile.isIdentity($0) && !AgeRecipient.isSSHKey($0) } ?? false
    }

    private func namedRecipient() throws -> AgeRecipient? {
      guard let who, isFile else { return try (recipient ?? who).map { try AgeRecipient.argument($0) } }
      let recipients = try RecipientsFile.read(who)
      guard let only = recipients.first, recipients.count == 1 else {
        throw CommandError(
          .inputRefused, "input_refused", subject: who, "has \(recipients.count) recipients, but a slot takes only one",
          hints: ["add each by itself: `vault key add age1… NAME`"])
      }
      return only
    }

    /// A file name up to its first dot.
    private static func title(of path: String) -> String {
      let name = path.split(separator: "/").last ?? ""
      return String(name.drop { $0 == "." }.prefix { $0 != "." })
    }

    /// Writes the identity durably before the slot is made. If that fails, the identity is removed.
    private func generate(_ path: String, opened: Vault, location: VaultLocation) async throws -> Slot {
      let identity = try AgeIdentity.generate(postQuantum: postQuantum)
      let recipient = try identity.recipient
      try IdentityFile.create(identity, at: path, created: Timestamp.now().text)
      do {
        return try await opened.addSlot(NewSlot(.recipient(recipient), label: label(opened.header)))
      } catch {
        // If the header has the slot despite the error, the identity opens it and must be kept.
        let header = try? location.open(global).header
        if header?.slots.contains(where: { $0.recipient == recipient }) == false { System.remove(path) }
        throw error
      }
    }

    private func report(_ slot: Slot, _ identity: String?, _ vault: Vault) throws {
      if let identity {
        global.messages.note("the identity is in \(identity): keep a copy in a safe place, never beside the vault")
      }
      if isFile { global.messages.note("\(slot.words) is for \(slot.who)") }
      if let note = vault.header.postQuantumNote { global.messages.note(note) }
      guard global.json else { return try Output.line(slot.id.text) }
      try Output.document(["identity": identity, "slot": slot])
    }
  }

  struct ChangePassphrase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "change-passphrase",
      abstract: "Change the passphrase of a slot, at the present cost.",
      discussion: """
        Example:
          vault key change-passphrase

        Without SLOT it changes the slot that unlocked the vault, or else the only slot with a passphrase. The slot \
        gets a new id and a new file. You can give the same passphrase again, to make a weak slot as strong as a new \
        one.
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
      let session = try Session(vault, global)
      let opened = try await session.unlock(unlocking, to: .writing, withRootKey: true)
      let old = try slot.map { try opened.header.slot(argument: $0) } ?? standard(opened)
      guard old.kind == .scrypt else {
        throw CommandError.usage(
          "SLOT", "\(old.words) has no passphrase: it is for an identity",
          "`vault key add --passphrase` adds a slot with a passphrase")
      }
      let passphrase = try newPassphrase.read(global)
      let new = try await opened.changePassphrase(of: old.id, to: passphrase, workFactor: workFactor)
      session.rememberReaders(of: opened)
      if global.json {
        return try Output.document(["notes": [Self.warning], "removed": old, "slot": new])
      }
      try Output.line(new.id.text)
      global.messages.note(Self.warning)
    }

    private static let warning =
      "the old passphrase still opens copies of the old slot, in git history and backups: "
      + "if somebody else knows it, run `vault rekey --reseal`"

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
  static func checkNewWorkFactor(_ workFactor: Int?) throws {
    guard let workFactor, !newWorkFactors.contains(workFactor) else { return }
    throw CommandError.usage("--work-factor", "must be between 10 and 20")
  }
}

extension Session {
  /// Remembers the keys of a vault of a set, so that the next command does not report the keys that this one added.
  func rememberReaders(of vault: Vault) {
    location.member?.remember(pin.state, isAccepted: false, slots: vault.header.slots, messages)
  }
}
