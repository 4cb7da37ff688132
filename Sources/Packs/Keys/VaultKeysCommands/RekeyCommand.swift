import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultTerminal

struct RekeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey",
    abstract: "Give the vault a new key, and print its new fingerprint.",
    discussion: """
      Example:
        vault rekey --reseal --drop-key "Bob's passphrase"

      The command makes every slot again. Secrets stay sealed as they are. With --reseal they are sealed again under \
      new keys, which is necessary if somebody left or a key leaked. If a rekey is interrupted, run `vault rekey` again \
      to finish it.

      A slot with the passphrase of another person needs that passphrase. At a terminal the command asks for it; \
      --drop-key drops the slot instead. At a terminal the command also asks before it begins; --yes answers yes.
      """)

  @Flag(help: "Seal every secret again; old keys open nothing written from now on.")
  var reseal = false

  @Option(help: ArgumentHelp("Drop this slot: it gets no new key; may be repeated.", valueName: "slot"))
  var dropKey: [String] = []

  @Option(
    help: ArgumentHelp("Read the passphrase of another slot from a file; may be repeated.", valueName: "slot=file"))
  var keyPassphraseFile: [String] = []

  @Option(parsing: .unconditional, help: ArgumentHelp("The cost of passphrases, 10 to 20.", valueName: "n"))
  var workFactor = SlotFile.defaultWorkFactor

  @Flag(help: "Only show what would be done.")
  var dryRun = false

  @OptionGroup var everywhere: EverywhereOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    try SlotFile.checkNewWorkFactor(workFactor)
    var session = try Session(vault, global)
    session.keepsPassphrase = true
    let opened = try await session.unlock(unlocking, to: dryRun ? .reading : .writing, withRootKey: true)
    var run = RotationRun(opened: opened, at: session.location, global: global)
    run.renewal = try renewal(opened.header)
    let reason = reseal ? KeyringEntry.Reason.reseal : .rewrap
    if dryRun { return try run.preview(reason) }
    try confirm(opened.header, session.location)
    try await run.report(reason)
  }

  /// Asks a user before the key changes that other machines know. Scripts are not asked.
  private func confirm(_ header: VaultHeader, _ location: VaultLocation) throws {
    guard global.isAtTerminal, header.unfinishedRotation == nil else { return }
    let sealing = reseal ? " and seal every secret again" : ""
    try global.confirm(
      "Give the vault \(location.path) a new key\(sealing)? Its fingerprint changes, and other machines must accept it."
    )
  }

  private func renewal(_ header: VaultHeader) throws -> SlotRenewal {
    var renewal = SlotRenewal()
    renewal.workFactor = workFactor
    renewal.maximumWorkFactor = try unlocking.maximumWorkFactor()
    for text in dropKey { renewal.dropped.insert(try header.slot(argument: text).id) }
    for text in keyPassphraseFile {
      guard let equals = text.firstIndex(of: "="), text[equals...].count > 1 else {
        throw CommandError.usage("--key-passphrase-file", "takes SLOT=FILE")
      }
      let slot = try header.slot(argument: String(text[..<equals]))
      guard slot.kind == .scrypt else {
        throw CommandError.usage("--key-passphrase-file", "\(slot.words) has no passphrase")
      }
      renewal.passphrases[slot.id] = try SecretInput.file(String(text[text.index(after: equals)...])).passphrase()
    }
    return renewal
  }
}
