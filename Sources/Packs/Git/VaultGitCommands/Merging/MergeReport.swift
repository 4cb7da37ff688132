import VaultDocument
import VaultKit
import VaultMerge
import VaultStorage
import VaultTerminal

struct MergeReport {
  var records: [Record] = []
  /// Merged files other than records.
  var merged: [String] = []
  /// Unmerged files other than records, with reasons.
  var left: [(file: String, reason: String)] = []
  /// The vault's fingerprint, for the line that accepts a record.
  var fingerprint: String?
  /// The folder with the conflict copies that were joined; nil for a merge of git, or if there were none.
  var aside: String?
  /// Whether git has the sides.
  var isOfGit = true

  struct Record: DocumentValue {
    let record: UnmergedRecord
    let name: String
    /// Nil also for a record that is deleted for good.
    var bytes: [UInt8]?
    /// Empty for a merged record.
    var conflicts: [MergeConflict] = []
    /// The conflicts that a rule has decided.
    var decided: [MergeConflict] = []

    private var title: String { "\(record.files.first ?? record.id.text) (\(name))" }
    fileprivate var line: String { "merged \(title)" }
    fileprivate var conflictLines: [String] { conflicts.map { "left \(title): \($0.line)" } }

    fileprivate var decidedLines: [String] { decided.map { "\(name): \($0.line): the later one counts" } }

    var document: JSONValue {
      .members([
        "conflicts": conflicts.map {
          JSONValue.members(["field": $0.path?.description, "reason": $0.reason.rawValue])
        },
        "file": record.files.first, "name": name, "record": record.id,
      ])
    }
  }

  var mergedRecords: [Record] { records.filter(\.conflicts.isEmpty) }
  var leftRecords: [Record] { records.filter { !$0.conflicts.isEmpty } }

  mutating func addOthers(_ files: [String]) {
    for file in files where !merged.contains(file) && !left.contains(where: { $0.file == file }) {
      left.append((file, "not a record"))
    }
  }

  /// Prints the report.
  ///
  /// - Parameter ending: the command that finishes the operation after everything is merged; nil if nothing was begun.
  func print(_ ending: String?, _ global: GlobalOptions) throws {
    let isDryRun = ending == nil
    let isWhole = leftRecords.isEmpty && left.isEmpty
    if global.json {
      func members(_ file: String) -> JSONValue { .members(["file": file]) }
      try Output.document([
        "aside": aside, "dry_run": isDryRun, "left": leftRecords.map(\.document) + left.map { members($0.file) },
        "merged": mergedRecords.map(\.document) + merged.map(members),
      ])
    } else {
      try Output.lines(mergedRecords.map { Printable.text($0.line) } + merged.map { "merged \($0)" })
      try Output.lines(leftRecords.flatMap(\.conflictLines).map(Printable.text))
      try Output.lines(left.map { Printable.text("left " + Sentence.about($0.file, $0.reason)) })
      for line in mergedRecords.flatMap(\.decidedLines) { global.messages.note(Printable.text(line)) }
      for hint in isOfGit ? hints(ending) : hintsOfFolder { global.messages.note(hint) }
    }
    guard isWhole else { throw Finished(status: .partlyDone) }
  }

  private var leftReasons: [MergeConflict.Reason] { leftRecords.flatMap { $0.conflicts.map(\.reason) } }

  /// The hint that accepts the records of which this machine has seen a later version.
  private var acceptance: [String] {
    let seen = leftRecords.filter { $0.conflicts.contains { $0.reason == .seen } }.map(\.record.id)
    return seen.isEmpty ? [] : Remedy.acceptRecords(seen, fingerprint: fingerprint).sentences
  }

  private var hintsOfFolder: [String] {
    let hints = Set(leftReasons.compactMap(\.adviceInFolder)).sorted() + acceptance
    return hints + (aside.map { ["the joined copies are kept in \($0)"] } ?? [])
  }

  private func hints(_ ending: String?) -> [String] {
    var hints = acceptance + Set(leftReasons.compactMap(\.advice)).sorted()
    guard let ending else { return hints }
    if !left.isEmpty {
      hints.append("`git checkout --ours -- FILE` (or --theirs), then `git add FILE`, keeps one side")
    }
    if (left.map(\.file) + merged).contains(StoreLocation.checkpoint.relativePath) {
      hints.append("after the commit, `vault checkpoint` makes a checkpoint of both sides")
    }
    if leftRecords.isEmpty, left.isEmpty, !(mergedRecords.isEmpty && merged.isEmpty) {
      hints.append(ending)
    }
    return hints
  }
}
