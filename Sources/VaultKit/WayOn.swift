internal import VaultDocument

// What a person can do about something that is wrong. Each way has the same words, whichever command meets the fault:
// errors of a single record and reports of many take them from here.

/// The ways on that more than one command names.
enum WayOn {
  /// For files in which git left both sides of a conflict.
  static func choose(_ files: [String]) -> [String] {
    guard !files.isEmpty else { return [] }
    var hints = [
      "two branches changed it: `git checkout --ours -- \(list(files, "FILE"))`, or --theirs, takes one side whole"
    ]
    let (header, checkpoint) = (files.contains(VaultHeader.fileName), files.contains(Checkpoint.fileName))
    if files.count > (header ? 1 : 0) + (checkpoint ? 1 : 0) {
      hints.append(
        "then make the other change again with `vault set`; one that was removed on one side, `vault repair` puts in its place"
      )
    }
    if header { hints.append("then change slots, kinds or keys again as the other side had") }
    if checkpoint { hints.append("then `vault checkpoint` makes a new one") }
    return hints
  }

  /// For records of which only readable fields can have been changed past this program.
  static func accept(_ ids: [RecordID]) -> String {
    "if somebody edited it by hand, `vault accept \(list(ids.map(\.text), "RECORD"))` shows what differs and takes it"
  }

  /// For records of which this machine has seen another version, or a newer one.
  static func pin(_ ids: [RecordID], of fingerprint: String) -> String {
    // Without any record all that this machine knows of the vault would be given up.
    let records = ids.count > limit ? " --record ID…" : ids.map { " --record \($0.text)" }.joined()
    return "when it is meant to be so, `vault pin accept --fingerprint \(fingerprint)\(records)` takes it as it is now"
  }

  /// For records of which the checkpoint lists another version, or a newer one.
  static func list(isLast: Bool) -> String {
    (isLast ? "then" : "when it is meant to be so,") + " `vault checkpoint --accept-rollback` makes a new list"
  }

  static let repair = "`vault repair --dry-run` shows what can be restored"

  /// More than that fit no line.
  private static let limit = 8

  private static func list(_ words: [String], _ word: String) -> String {
    words.count > limit ? word : words.joined(separator: " ")
  }
}

extension VaultFault {
  /// Who knows of another version of a record, where that is what is wrong.
  struct Witnesses: OptionSet, Sendable {
    let rawValue: UInt8
    /// What this machine remembers.
    static let machine = Witnesses(rawValue: 1)
    static let checkpoint = Witnesses(rawValue: 2)
  }
}

extension [VaultFault] {
  /// What to do about them, a sentence each.
  ///
  /// - Parameter fingerprint: the vault's, 40 hex digits; where there may be none that is known, a word for it stands
  ///   there.
  public func waysOn(fingerprint: String = "HEX") -> [String] {
    let edited = filter(\.isEdited).compactMap(\.record)
    var hints = WayOn.choose(filter { $0.code == .conflicted }.map(\.file))
    if !edited.isEmpty { hints.append(WayOn.accept(edited)) }
    if contains(where: { !$0.code.isRollback && $0.code != .unreadable && $0.code != .conflicted }) {
      hints.append(WayOn.repair)
    }
    guard contains(where: \.code.isRollback) else { return hints }
    hints.append("an older state was put back, or two branches changed the same: find out why before you go on")
    let seen = filter { $0.witnesses.contains(.machine) }
    if !seen.isEmpty {
      // What is no record is remembered with the vault.
      let isWhole = seen.contains { $0.record == nil }
      hints.append(WayOn.pin(isWhole ? [] : seen.compactMap(\.record), of: fingerprint))
    }
    if contains(where: { $0.witnesses.contains(.checkpoint) }) { hints.append(WayOn.list(isLast: !seen.isEmpty)) }
    return hints
  }
}
