import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultTerminal

struct CheckpointCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkpoint",
    abstract: "Verify the vault and write an authenticated list of all its records.",
    discussion: """
      Example:
        vault checkpoint --identity identity.txt

      Later, `vault verify` shows what was added, changed and removed since. It refuses records that went back to an \
      older state or are missing. If anything is wrong, no list is written. After you restored an older state on \
      purpose, --accept-rollback makes a new list.
      """)

  @Flag(help: "Accept records that went back or are missing since the last checkpoint.")
  var acceptRollback = false

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let session = try Session(vault, global)
    let opened = try await session.unlock(unlocking, to: .writing, withRootKey: true)
    let progress = Progress("verified", global) { [locked = session.locked] in try? locked.recordCount() }
    let result = try await opened.makeCheckpoint(acceptingRollback: acceptRollback) { progress.advance() }
    progress.end()
    let faults = result.verification.faults
    guard let checkpoint = result.checkpoint else {
      faults.report(global, try opened.remedies(for: faults))
      global.messages.note("no checkpoint was made")
      throw Finished(status: faults.status ?? .failed)
    }
    for fault in faults { global.messages.note("accepted: \(fault.description)") }
    if global.json { return try Output.document(members(checkpoint, result.verification)) }
    try Output.line("checkpoint \(checkpoint.sequence): \(result.verification.counts)")
  }

  private func members(
    _ checkpoint: Checkpoint, _ found: Verification
  ) throws -> KeyValuePairs<String, any DocumentValue> {
    [
      "accepted": found.faults, "created_at": checkpoint.createdAt, "hash": Hex.encode(try checkpoint.hash()),
      "previous": checkpoint.previous.map { Hex.encode($0) }, "records": found.recordCount,
      "sequence": checkpoint.sequence, "trashed": found.trashedCount,
    ]
  }
}
