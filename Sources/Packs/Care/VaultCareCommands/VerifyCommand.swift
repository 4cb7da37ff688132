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
      Every MAC, sealed field and attachment, what the kinds say, names against ids, trash, checkpoint, and what does not \
      belong there. It goes on after a fault and names each file with its reason. It ends with 13 when anything is \
      damaged, else with 16 when something went back or is gone, else with 18 when something could not be read, else \
      with 14 when a record does not fit its declared kind.

      Example:
        vault verify --identity identity.txt
        vault verify --subset 1/7 --identity identity.txt
      """)

  @Flag(
    help: ArgumentHelp(
      "List what changed since the checkpoint, and of all other records verify the MAC alone."))
  var sinceCheckpoint = false

  @Option(help: ArgumentHelp("Only the n-th of t parts of the records, for scheduled runs.", valueName: "n/t"))
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
