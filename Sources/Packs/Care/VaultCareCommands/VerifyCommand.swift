import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultTerminal

struct VerifyCommand: AsyncParsableCommand, RunsOverSet {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check every record, slot and file of the vault with the key.",
    discussion: """
      Example:
        vault verify --identity identity.txt
        vault verify --subset 1/7 --identity identity.txt

      The command checks every MAC, sealed field and attachment, the declared kinds, whether each file name matches \
      its id, the trash, the checkpoint, and files that do not belong there. After a fault it continues, and it names \
      each file with its reason.

      The command exits with 13 if anything is damaged, and with 16 if something went back to an older state or is \
      missing. It exits with 18 if something could not be read, and with 14 if a record does not fit its declared \
      kind. The first code that applies counts.
      """)

  @Flag(
    help: ArgumentHelp(
      "List the changes since the checkpoint; for other records, verify only the MAC."))
  var sinceCheckpoint = false

  @Option(help: ArgumentHelp("Verify only part n of t of the records, for scheduled runs.", valueName: "n/t"))
  var subset: String?

  @OptionGroup var revision: RevisionOptions
  @OptionGroup var everywhere: EverywhereOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let scope = VerificationScope(part: try subset.map { try .argument($0) }, sinceCheckpoint: sinceCheckpoint)
    let session = try Session(vault, at: revision, global)
    let opened = try await session.unlock(unlocking, withRootKey: true)
    let progress = Progress("verified", global) { [locked = session.locked, subset] in
      subset == nil ? try? locked.recordCount() : nil
    }
    let result = try await opened.verify(scope) { progress.advance() }
    progress.end()
    if global.json {
      try Output.document(result.members)
    } else {
      try Output.lines(result.lines(listingChanges: sinceCheckpoint))
    }
    for note in result.notes { global.messages.note(note) }
    if opened.header.unfinishedRotation != nil { Remedy.finishRotation.sentences.forEach(global.messages.note) }
    result.faults.report(global, try opened.remedies(for: result.faults))
    if let status = result.faults.status { throw Finished(status: status) }
  }
}
