import ArgumentParser
package import VaultCLI
package import VaultDocument
import VaultKit
import VaultTerminal

struct TrashCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trash",
    abstract: "List, restore or delete removed records.",
    discussion: """
      Example:
        vault trash list
        vault trash restore "Shai Mishali"
      """,
    subcommands: [List.self, Restore.self, Empty.self], defaultSubcommand: List.self)
}

extension TrashCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List removed records, the latest first.",
      discussion: """
        The command uses no key, and a note says that nothing was verified. With --verify, or with an option that \
        gives a key, every row is verified.

        Example:
          vault trash list
        """,
      aliases: ["ls"])

    @OptionGroup var table: TableOptions
    @OptionGroup var verifying: VerifyOptions
    @OptionGroup var revision: RevisionOptions
    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let session = try Session(vault, at: revision, global)
      let opened = try await session.vaultToVerify(verifying.key(unlocking))
      let found = try await opened?.listedTrash() ?? session.locked.listedTrash()
      let listing = RecordListing(found.records, isVerified: opened != nil, ifEmpty: "the trash is empty")
      let count = found.records.count
      guard table.isShown(global) else { return try listing.print(found.faults, of: count, global) }
      try listing.print(found.faults, of: count, global) {
        try table.print(found.records, columns: columns, global: global)
      }
    }

    private var columns: [TableColumn<TrashedRecord>] {
      let (style, table) = (global.style, table)
      return [
        TableColumn(title: "NAME", rank: 0, least: 16) { $0.summary.name },
        TableColumn(title: "KIND", rank: 3, least: 6, most: 20) { $0.summary.kind },
        TableColumn(title: "WHO", rank: 2, least: 12, most: 32, isOptional: true) { $0.summary.who },
        TableColumn(title: "REMOVED", rank: 1, look: style.dim) { table.shown($0.deletedAt) },
        TableColumn(title: "ID", rank: 4, look: style.dim) { table.shown($0.id) },
      ]
    }
  }
}

extension TrashedRecord: ListedRecord {
  package func appendTime(to line: inout [UInt8]) {
    line += "removed ".utf8
    deletedAt.appendText(to: &line)
  }

  package func document(isVerified: Bool) -> JSONValue {
    .members([
      "created_at": summary.createdAt, "deleted_at": deletedAt, "id": id, "kind": summary.kind, "name": summary.name,
      "revision": summary.revision, "updated_at": summary.updatedAt, "verified": isVerified,
    ])
  }
}

extension PlaceCompleting where Self: RecordNaming {
  /// Records in the trash.
  package static func candidates(for argument: String, _ place: some CompletionPlace) async -> CompletionResult? {
    argument == "record" ? .words(place.removedRecords()) : nil
  }
}

extension CompletionPlace {
  func removedRecords() -> [String] {
    guard let removed = try? locked?.listedTrash().records else { return [] }
    return naming(removed.map { ($0.summary.name, $0.id) })
  }
}
