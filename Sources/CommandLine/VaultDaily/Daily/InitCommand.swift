import ArgumentParser
import VaultAge
import VaultCLI
import VaultCrypto
import VaultDocument
import VaultKit
import VaultSealing
import VaultSystem
import VaultTerminal

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Make a vault and print its fingerprint.",
    discussion: """
      Each option that names a key adds a way to unlock the vault. At least one is needed; at a terminal the default \
      is a passphrase. Existing files are never overwritten.

      In a work tree of git the command lets git merge the vault by field in this clone. If the vault is the whole \
      work tree, each command then commits what it writes. --no-git leaves git alone.

      Example:
        vault init my-vault --generate-identity identity.txt --passphrase
      """)

  @Argument(
    help: ArgumentHelp(
      "The folder, or the address of a database. The default is CVAULT_DIR, then $XDG_DATA_HOME/cvault.",
      valueName: "place"))
  var directory: String?

  @Flag(help: "Unlock with a passphrase, typed twice or read as below.")
  var passphrase = false

  @Option(help: ArgumentHelp("Make an age identity and write it to a new file.", valueName: "file"))
  var generateIdentity: String?

  @Flag(help: "Make a post-quantum identity, with OpenSSL 3.5 or later; the default file is the usual one.")
  var postQuantum = false

  @Option(help: ArgumentHelp("Unlock with the identity of an age recipient; may be repeated.", valueName: "age1…"))
  var recipient: [String] = []

  @Option(
    help: ArgumentHelp(
      "The label of the new slots (default: user@host for a key that this command makes).", valueName: "label"))
  var label: String?

  @Flag(help: "Make the tables of the database if they are missing.")
  var createTables = false

  @Flag(help: "Change nothing in git: no settings, and no commits.")
  var noGit = false

  @Option(parsing: .unconditional, help: ArgumentHelp("The cost of the passphrase, 10 to 20.", valueName: "n"))
  var workFactor = SlotFile.defaultWorkFactor

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many former values of a field each record keeps, 0 to 20.", valueName: "n"))
  var former = FormerValues.defaultCount

  @OptionGroup var newPassphrase: NewPassphraseOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let location = try place()
    try check(location)
    // A new repository has these files.
    let others = System.names(in: location.path).filter { !$0.hasPrefix(".git") }
    if !location.isDatabase, !others.isEmpty {
      global.messages.note("\(location.path) also holds other files: they stay beside the vault")
    }
    if !location.isDatabase, let disk = UnsharedLocks(at: location.path) {
      global.messages.note("\(disk.text): \(UnsharedLocks.advice)")
    }
    var slots = try recipient.map { text in NewSlot(.recipient(try AgeRecipient.argument(text)), label: label ?? "") }
    if let passphrase = try passphraseSlot() { slots.append(passphrase) }
    let identity = try newIdentityPath.map { path in
      let identity = try AgeIdentity.generate(postQuantum: postQuantum)
      try IdentityFile.create(identity, at: path, created: Timestamp.now().text)
      let name = label ?? KeyLabel.usual(besides: slots.map(\.label))
      slots.insert(NewSlot(.recipient(try identity.recipient), label: name), at: 0)
      return path
    }
    try report(await make(location, slots, identity: identity), location, identity: identity)
    if !noGit { Packs.history?.setUp(newVaultAt: location.path, global.messages) }
    if !location.isDatabase {
      WrittenFiles.current?.note(.newVault(mayCommit: !noGit), at: location.path, global.messages)
    }
  }

  /// The file for a new identity; nil if the command makes none.
  private var newIdentityPath: String? { generateIdentity ?? (postQuantum ? IdentityFile.usualPath : nil) }

  /// Makes the vault. If that fails, the new identity is removed, unless there is a header that it may open.
  private func make(_ location: VaultLocation, _ slots: [NewSlot], identity: String?) async throws -> Vault {
    do {
      if location.origin == .standard { try System.makeDirectories(System.parent(of: location.path)) }
      var options = try global.vaultOptions(StateLocation.state(global.messages))
      options.formerValues = former
      return try await Vault.create(
        at: location.place(global), makingTables: createTables, slots: slots, options: options)
    } catch {
      // The identity stays unless a header is surely missing, because the header may need it.
      if let identity, (try? holdsVault(location)) == false { System.remove(identity) }
      guard location.isDatabase, let error = error as? VaultError else { throw error }
      throw location.explained(error)
    }
  }

  private func place() throws -> VaultLocation {
    guard let directory else { return try .forNewVault(nil) }
    guard !directory.isEmpty else { throw CommandError.usage("dir", "the name of the folder is empty") }
    return try VaultLocation(path: directory, origin: .option).checked()
  }

  /// The result says whether a header exists. A database is opened, and an error that also prevents a new vault is
  /// thrown.
  private func holdsVault(_ location: VaultLocation) throws -> Bool {
    guard location.isDatabase else { return System.kind(of: location.path + "/vault.json") != nil }
    do {
      _ = try location.open(global)
      return true
    } catch let error as VaultError {
      guard error.code == .notAVault, createTables || !error.lacksTables else { throw location.explained(error) }
      return false
    }
  }

  /// Refuses wrong arguments before anybody is asked for a passphrase.
  private func check(_ location: VaultLocation) throws {
    guard location.isDatabase || !createTables else {
      throw CommandError.usage("--create-tables", "needs the address of a database")
    }
    guard try !holdsVault(location) else {
      throw CommandError(
        .alreadyExists, "already_exists", subject: location.path, "is already a vault",
        hints: ["name another \(location.isDatabase ? "vault in the address" : "folder"); nothing was changed"])
    }
    if let kind = System.kind(of: location.path), kind != .directory {
      throw CommandError(
        .alreadyExists, "already_exists", subject: location.path, "is a file, but a vault is a folder",
        hints: ["name another folder; nothing was changed"])
    }
    if let headless = location.headless() {
      throw headless.hinting("for a new vault, name another folder; nothing was changed")
    }
    guard SlotFile.newWorkFactors.contains(workFactor) else {
      throw CommandError.usage("--work-factor", "must be between 10 and 20")
    }
    guard (0...FormerValues.maximumCount).contains(former) else {
      throw CommandError.usage("--former", "must be between 0 and \(FormerValues.maximumCount)")
    }
    try AgeIdentity.check(postQuantum: postQuantum, file: newIdentityPath)
    if let path = newIdentityPath { try IdentityFile.check(newFile: path, location) }
    guard newPassphrase.isEmpty || passphrase else {
      throw CommandError.usage("--new-passphrase-…", "needs --passphrase")
    }
  }

  /// The slot of a passphrase: for `--passphrase`, or because no other key is given. Otherwise nil.
  private func passphraseSlot() throws -> NewSlot? {
    let hasOther = newIdentityPath != nil || !recipient.isEmpty
    guard passphrase || !hasOther else { return nil }
    guard passphrase || global.canAsk else {
      throw CommandError.usage(
        nil, "a vault needs at least one way to unlock it",
        "use --generate-identity FILE, --recipient age1… or --passphrase")
    }
    let secret = try newPassphrase.read(global)
    return NewSlot(.passphrase(secret, workFactor: workFactor), label: label ?? KeyLabel.usual(besides: []))
  }

  private func report(_ vault: Vault, _ location: VaultLocation, identity: String?) throws {
    if let identity {
      global.messages.note("the identity is in \(identity): keep a copy in a safe place, never beside the vault")
    }
    if let note = vault.header.postQuantumNote { global.messages.note(note) }
    let fingerprint = try vault.locked.fingerprint()
    guard global.json else {
      let welcome = global.notesAreRead ? Welcome(location, identity: identity) : nil
      welcome?.greet(global.messages)
      try Output.line(fingerprint)
      welcome?.showNext()
      return
    }
    try Output.document([
      "fingerprint": fingerprint, "id": vault.header.vaultID, "identity": identity, "slots": vault.header.slots,
      "vault": location.path,
    ])
  }
}

/// The message for the user about a new vault. Scripts get only the fingerprint.
private struct Welcome {
  private let path: String
  /// The shell variables that the next commands need; nil if they find the vault and its key themselves.
  private let variables: String?

  init(_ location: VaultLocation, identity: String?) {
    func absolute(_ path: String) -> String { ProcessEnvironment.realPath(path) ?? path }
    path = absolute(location.path)
    var words: [String] = []
    if location.origin == .option { words.append("CVAULT_DIR=\(path.shellQuoted)") }
    if let identity, identity != IdentityFile.usualPath {
      words.append("CVAULT_IDENTITY_FILE=\(absolute(identity).shellQuoted)")
    }
    variables = words.isEmpty ? nil : "export " + words.joined(separator: " ")
  }

  func greet(_ messages: Messages) {
    messages.note("the vault is in \(path); compare its fingerprint on other machines:")
  }

  func showNext() {
    let commands = [variables, "vault add login NAME", "vault copy NAME", "vault list"].compactMap { $0 }
    for command in commands.prefix(3) { Messages.print("next: " + Printable.text(command)) }
  }
}
