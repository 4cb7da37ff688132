import ArgumentParser
import VaultBackup
import VaultCLI
import VaultDocument
import VaultKit
import VaultTerminal

extension BackupCommand {
  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Check that the newest backup exists, is unchanged and is recent enough.",
      discussion: """
        Example:
          vault backup status /mnt/backups --max-age 26h

        The command is for monitoring: it prints one line for each vault. It exits with 14 if anything is wrong with \
        the newest backup of a vault, or if there is no backup. It compares names and sizes; with --read it also \
        reads the files and compares their SHA-256. It opens no backup: `vault backup verify` does that.
        """)

    @Argument(help: "The folder of the backups.")
    var dir: String

    @Option(help: ArgumentHelp("The maximum age of the newest backup: 26h, 2d, 90m, 1w.", valueName: "age"))
    var maxAge: String?

    @Option(help: ArgumentHelp("Only backups whose file name begins with NAME- and the time.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("Only the vault of this backup.", valueName: "file"))
    var of: String?

    @Flag(help: "Read each file and compare its SHA-256 with the recorded one.")
    var read = false

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let limit = try maxAge.map { try Age($0, option: "--max-age") }
      let now = Timestamp.now()
      let directory = try BackupDirectory(at: dir)
      let listing = try directory.listing()
      let vault = try of.map { try self.vault(of: $0, in: listing) }
      var newest = listing.newest().filter { row in
        (name == nil || row.name.stem == name) && (vault == nil || row.entry?.vaultID == vault)
      }
      if read { newest = try newest.map { row in try directory.reading(row) } }
      let shared = Dictionary(grouping: newest, by: \.name.stem).filter { $0.value.count > 1 }
      let checks = newest.map { row in
        NewestBackup(newest: row, now: now, limit: limit, namesVault: shared[row.name.stem] != nil)
      }
      if global.json {
        try Output.document([
          "directory": dir, "good": !checks.isEmpty && checks.allSatisfy(\.isGood),
          "max_age": limit.map { Int($0.seconds) }, "newest": checks, "time": now,
        ])
      } else {
        try Output.lines(
          checks.isEmpty
            ? [global.style.bad("fault") + "  \(Printable.text(dir)): there is no backup"]
            : checks.map { $0.line(global.style) })
      }
      if checks.isEmpty || !checks.allSatisfy(\.isGood) { throw Finished(status: .findings) }
    }

    private func vault(of file: String, in listing: BackupListing) throws -> VaultID {
      let name = BackupName(fileName: file.split(separator: "/").last.map(String.init) ?? "")
      guard let entry = listing.rows.first(where: { $0.name == name })?.entry else {
        throw CommandError.usage(
          "--of", "must name a backup that is recorded in the folder", "`vault backup list DIR` shows the names")
      }
      return entry.vaultID
    }
  }
}

private struct NewestBackup: DocumentValue {
  /// Clocks of two machines differ a little. A larger difference means that the backup is from the future.
  private static let toleratedSeconds: Int64 = 300

  let newest: BackupListing.Row
  let ageSeconds: Int64
  private let checkedSeconds: Int64?
  /// Whether the line names the vault, because another vault has backups with the same stem.
  private let namesVault: Bool
  private var faults: [(code: String, text: String)] = []

  init(newest: BackupListing.Row, now: Timestamp, limit: Age?, namesVault: Bool) {
    (self.newest, self.namesVault) = (newest, namesVault)
    checkedSeconds = newest.entry?.checkedAt.map { now.secondsSinceEpoch - $0.secondsSinceEpoch }
    ageSeconds = now.secondsSinceEpoch - newest.name.time.secondsSinceEpoch
    switch newest.state {
    case .recorded: break
    case .changed where newest.hasOtherContent: faults.append(("changed", "its content differs from the recorded one"))
    case .changed: faults.append(("changed", "its size differs from the recorded one"))
    case .gone: faults.append(("gone", "its file is missing"))
    case .unrecorded: faults.append(("not_recorded", "it is not recorded in backups.json"))
    }
    if ageSeconds < -Self.toleratedSeconds {
      let ahead = BackupView.age(seconds: -ageSeconds)
      faults.append(("from_the_future", "it is \(ahead) in the future: a clock was set back, or was wrong"))
    } else if let limit, ageSeconds > limit.seconds {
      faults.append(("too_old", "it is older than \(BackupView.age(seconds: limit.seconds))"))
    }
  }

  var isGood: Bool { faults.isEmpty }

  /// Such as `ok     team-20261121T014028Z.cvault.age  12h old  verified (proof) …`.
  func line(_ style: Style) -> String {
    var parts = [newest.name.fileName]
    if ageSeconds >= -Self.toleratedSeconds { parts.append("\(BackupView.age(seconds: max(0, ageSeconds))) old") }
    if let entry = newest.entry { parts.append(BackupView.text(entry.verification)) }
    if let checkedSeconds { parts.append("content read \(BackupView.age(seconds: max(0, checkedSeconds))) ago") }
    if namesVault, let entry = newest.entry { parts.append("vault \(entry.vaultID.text)") }
    if !faults.isEmpty { parts.append(faults.map(\.text).joined(separator: "; ")) }
    return (isGood ? style.good("ok") + "     " : style.bad("fault") + "  ") + parts.joined(separator: "  ")
  }

  var document: JSONValue {
    .members([
      "age_seconds": Int(ageSeconds), "backup": newest, "faults": faults.map(\.code),
      "good": isGood, "name": newest.name.stem,
    ])
  }
}
