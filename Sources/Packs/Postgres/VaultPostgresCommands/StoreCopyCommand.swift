import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultStorage
import VaultTerminal

extension StoreCommand {
  struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "copy",
      abstract: "Copy a vault from a folder or database to another one, byte for byte.",
      discussion: """
        Example:
          vault store copy my-vault 'postgresql://db.example/app?vault=ops' --verify

        TO must be empty. The copy shows the vault as it was at one moment. The header is written last, and until then \
        TO is not a vault. The command needs no key and verifies no record; --verify compares every byte afterwards.
        """)

    @Argument(help: ArgumentHelp("The folder, or the address of a database.", valueName: "from"))
    var from: String

    @Argument(help: ArgumentHelp("The place of the copy; a folder is created.", valueName: "to"))
    var to: String

    @Flag(help: "Compare both, byte by byte, afterwards.")
    var verify = false

    @Flag(help: "Create the tables in a database that has none.")
    var createTables = false

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let (source, target) = (try place(from, "FROM"), try place(to, "TO"))
      guard target.isDatabase || !createTables else {
        throw CommandError.usage("--create-tables", "can be used only if TO is the address of a database")
      }
      let session = try Session(.named(from), global)
      let options = try global.vaultOptions(nil)
      let copy: VaultCopy
      let (sourcePlace, targetPlace) = (try source.place(global), try target.place(global))
      do throws(VaultError) {
        copy = try VaultCopy(of: sourcePlace, options: options)
      } catch {
        throw source.isDatabase ? source.explained(error) : CommandError(error)
      }
      let count: @Sendable () -> Int? = { [locked = session.locked] in try? locked.recordCount() }
      var progress = Progress("copied", global, total: count)
      let copied: CopiedVault
      do throws(VaultError) {
        copied = try await copy.write(to: targetPlace, makingTables: createTables) { progress.advance() }
      } catch {
        throw explained(error, target)
      }
      progress.end()
      if !target.isDatabase {
        WrittenFiles.current?.note(.newVault(mayCommit: false), at: target.path, global.messages)
      }
      for path in copied.leftBehind {
        global.messages.note("not copied, because it is not a document of a vault: \(path)")
      }
      if verify {
        progress = Progress("compared", global, total: count)
        try await compare(copy, target: targetPlace, progress: progress)
      }
      try report(copied)
    }

    private func place(_ text: String, _ name: String) throws -> VaultLocation {
      guard !text.isEmpty else { throw CommandError.usage(name, "must not be empty") }
      do {
        return try VaultLocation(path: text, origin: .option).checked()
      } catch {
        throw CommandError(any: error).about(name)
      }
    }

    private func explained(_ error: VaultError, _ target: VaultLocation) -> CommandError {
      if error.code == .alreadyExists {
        return CommandError(
          .alreadyExists, "already_exists", subject: to, error.reason,
          hints: ["choose an empty place; nothing was overwritten"])
      }
      return target.isDatabase ? target.explained(error) : CommandError(error)
    }

    private func compare(_ copy: VaultCopy, target: VaultPlace, progress: Progress) async throws {
      let differing = try await copy.differences(from: target) { progress.advance() }
      progress.end()
      guard let first = differing.first else { return }
      throw CommandError(
        .changedUnderneath, "differs", subject: to,
        "is not the same as \(from): \(differing.count) documents differ, \(first) among them",
        hints: ["one of the two was changed after it was copied, or the copy is damaged"])
    }

    private func report(_ copied: CopiedVault) throws {
      if global.json {
        return try Output.document([
          "from": from, "left_behind": copied.leftBehind, "records": copied.recordCount, "slots": copied.slotCount,
          "to": to, "trashed": copied.trashedCount, "verified": verify,
        ])
      }
      try Output.line(
        "copied \(counted(copied.recordCount, "record")), \(copied.trashedCount) in the trash, "
          + counted(copied.slotCount, "slot")
          + (verify ? "; both are the same" : ""))
    }
  }
}
