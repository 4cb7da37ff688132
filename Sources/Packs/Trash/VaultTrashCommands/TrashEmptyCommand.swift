import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultTerminal

extension TrashCommand {
  struct Empty: AsyncParsableCommand, ManyRecordsNaming, PlaceCompleting {
    static let configuration = CommandConfiguration(
      commandName: "empty",
      abstract: "Delete removed records for good.",
      discussion: """
        Without arguments, the command deletes everything in the trash. RECORD limits it to the named records, and \
        --older-than to older ones. The command asks at a terminal; without a terminal it needs --yes. A damaged file \
        is kept, unless its full id and --yes are given.

        If a checkpoint lists deleted records, the command writes a new checkpoint. Copies in version control and in \
        backups stay.

        Example:
          vault trash empty --older-than 30d --yes
        """)

    @Argument(help: "Removed records: ids, beginnings of ids, or names in upper or lower case.")
    var record: [String] = []

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("Only records removed longer ago: 30d, 12h, 90m, 2w.", valueName: "age"))
    var olderThan: String?

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let age = try olderThan.map { try Age($0, option: "--older-than") }
      guard global.yes || global.canAsk else { throw CommandError.unconfirmed() }
      let session = try Session(vault, global)
      let opened = try await session.unlock(unlocking, to: .writing)
      let (records, faults) = try await opened.listedTrash()
      let choice = try TrashChoice(records, faults, named: session.resolveTrashed(record), words: record)
        .limited(to: age?.before(.now()))
      var report = DeletionReport(faults: global.yes ? choice.keptFaults : choice.faults)
      if !choice.ids.isEmpty || (global.yes && !choice.damaged.isEmpty) {
        if !choice.ids.isEmpty { try global.confirm(choice.question) }
        report.add(try await opened.deleteTrashed(choice.ids))
        if global.yes { report.add(try await opened.deleteTrashed(choice.damaged, evenDamaged: true)) }
      }
      try report.print(global)
    }
  }
}

private struct TrashChoice {
  let records: [TrashedRecord]
  /// Damaged records that were named by their full id.
  let damaged: [RecordID]
  /// The faults of all chosen records that do not verify.
  let faults: [VaultError]

  var ids: [RecordID] { records.map(\.id) }
  /// The faults of files that are kept in any case.
  var keptFaults: [VaultError] { faults.filter { fault in !damaged.contains { $0 == fault.record } } }

  /// - Parameter words: the words of the user for `named`.
  init(_ records: [TrashedRecord], _ faults: [VaultError], named: [RecordID], words: [String]) {
    guard !words.isEmpty else {
      self.init(records: records, damaged: [], faults: faults)
      return
    }
    let faults = faults.filter { fault in fault.record.map(named.contains) ?? false }
    let fullIDs = Set(words.compactMap { RecordID(parsing: $0) })
    self.init(
      records: records.filter { named.contains($0.id) },
      damaged: faults.compactMap(\.record).filter(fullIDs.contains), faults: faults)
  }

  private init(records: [TrashedRecord], damaged: [RecordID], faults: [VaultError]) {
    self.records = records
    self.damaged = damaged
    self.faults = faults
  }

  /// The choice without records that were removed after `time`. The removal time of a damaged record is unknown, so it
  /// is kept.
  func limited(to time: Timestamp?) -> TrashChoice {
    guard let time else { return self }
    return TrashChoice(records: records.filter { $0.deletedAt <= time }, damaged: [], faults: faults)
  }

  var question: String {
    let names = records.prefix(5).map { "\"\($0.summary.name)\" (\($0.id.text.prefix(8)))" }.joined(separator: ", ")
    return "Delete for good \(names)\(records.count > 5 ? " and \(records.count - 5) more" : "")?"
  }
}

private struct DeletionReport {
  private var deleted: [RecordID] = []
  private var faults: [VaultError]
  private var stillListedCount = 0

  init(faults: [VaultError]) { self.faults = faults }

  mutating func add(_ records: DeletedRecords) {
    deleted += records.deleted
    faults += records.faults
    stillListedCount += records.stillListedCount
  }

  /// Ends the command with 13 if a damaged record was kept.
  func print(_ global: GlobalOptions) throws {
    let action = counted(deleted.count, "record") + " deleted"
    if global.json {
      try Output.afterwards(action) { try Output.document(["deleted": deleted]) }
    } else {
      global.messages.note(action)
    }
    if stillListedCount > 0 {
      global.messages.note(
        "the checkpoint still lists \(stillListedCount == 1 ? "this record" : "\(stillListedCount) of these records"): "
          + "`vault checkpoint --accept-rollback` makes a new list; it needs the key itself, not the agent")
    }
    for fault in faults {
      var error = CommandError(fault)
      if fault.isAboutFileType, let file = fault.file {
        error.hints = ["the file was kept; delete \(file) by hand"]
      } else if let record = fault.record, fault.code == .damaged {
        error.hints = [
          "the file was kept; `vault repair` may find a good version",
          "`vault trash empty \(record.text) --yes` deletes it anyway",
        ]
      }
      global.messages.report(error)
    }
    if let fault = faults.first { throw Finished(status: ExitStatus(fault.code)) }
  }
}
