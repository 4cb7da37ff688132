import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultTerminal

/// How to choose a side if both have changed something.
enum MergeRule {
  case nobody
  case side(MergeSide)
  /// The later side, by authenticated times.
  case newer
  /// The choice of the user at the terminal.
  case asking(MergeQuestions)
}

extension UnmergedRecord {
  /// Merges by field. If that is impossible, the rule decides each changed field, or the record as a whole.
  func outcome(_ vault: Vault, by rule: MergeRule) throws -> Outcome {
    if case .side(let side) = rule { return try outcome(vault, preferring: MergePreference(side)) }
    let outcome = try outcome(vault, preferring: MergePreference())
    guard case .left(let conflicts) = outcome else { return outcome }
    let preference: MergePreference? =
      switch rule {
      case .nobody, .side: nil
      case .newer: later(in: conflicts)
      case .asking(let questions): try questions.preference(in: conflicts, of: self)
      }
    return try preference.map { try self.outcome(vault, preferring: $0) } ?? outcome
  }

  /// The later side for each conflict; nil if times do not decide all conflicts.
  private func later(in conflicts: [MergeConflict]) -> MergePreference? {
    guard let one = ours?.envelope, let other = theirs?.envelope else { return nil }
    func later(_ one: Timestamp, _ other: Timestamp) -> MergeSide? {
      one == other ? nil : one > other ? .ours : .theirs
    }
    let ofRecord = later(one.updatedAt, other.updatedAt)
    if conflicts.map(\.reason) == [.removed] { return ofRecord.map { MergePreference($0) } }
    var members: [MemberPath: MergeSide] = [:]
    for conflict in conflicts {
      guard let path = conflict.path, conflict.isOfValues else { return nil }
      var side = ofRecord
      if case .sealed(let one)? = conflict.ours, case .sealed(let other)? = conflict.theirs {
        side = later(one, other) ?? side
      }
      guard let side else { return nil }
      members[path] = side
    }
    return MergePreference(members: members)
  }
}

extension MergeConflict {
  /// Whether both sides have changed one member.
  var isOfValues: Bool { path != nil && [.value, .sealed, .removedMember].contains(reason) }
}

/// Asks at the terminal which side wins: for each field that both have changed, or for a record as a whole.
final class MergeQuestions {
  private enum Answer { case side(MergeSide), leave, stop }

  private let vault: Vault
  private let global: GlobalOptions
  /// Whether the user wants no more questions.
  private var isStopped = false

  init(_ vault: Vault, _ global: GlobalOptions) { (self.vault, self.global) = (vault, global) }

  /// The preference of the user in the conflicts of a record; nil to leave the record unmerged.
  func preference(in conflicts: [MergeConflict], of record: UnmergedRecord) throws -> MergePreference? {
    let isOfFields = conflicts.allSatisfy(\.isOfValues)
    // Any other conflict is about the whole record, so the first one is enough.
    let asked = isOfFields ? conflicts : Array(conflicts.prefix(1))
    guard !isStopped, asked.allSatisfy({ $0.isOfValues || $0.isForAPerson }),
      let terminal = Terminal(noInput: global.noInput)
    else { return nil }
    try terminal.say("\(Printable.text("\(record.name(vault)) (\(record.id.text))"))\n")
    var members: [MemberPath: MergeSide] = [:]
    for conflict in asked {
      switch try answer(conflict, record: record, terminal: terminal) {
      case .side(let side):
        guard let path = conflict.path, isOfFields else { return MergePreference(side) }
        members[path] = side
      case .leave: return nil
      case .stop:
        isStopped = true
        return nil
      }
    }
    return MergePreference(members: members)
  }

  private func answer(
    _ conflict: MergeConflict, record: UnmergedRecord, terminal: borrowing Terminal
  ) throws -> Answer {
    let isSecret = conflict.reason == .sealed
    let about = conflict.path.map { "\($0): " } ?? ""
    try terminal.say(Printable.text("  \(about)\(conflict.reason.words)") + "\n")
    for (side, name) in [(MergeSide.ours, "ours  "), (.theirs, "theirs")] {
      try terminal.say(Printable.text("    \(name)  \(record.words(on: side, conflict))") + "\n")
    }
    let permission = isSecret ? try? global.revealing("merge") : nil
    var shownLines = 0
    while true {
      let reveal = permission != nil && shownLines == 0 ? "[r]eveal, " : ""
      let text = try terminal.answer("  [o]urs, [t]heirs, \(reveal)[l]eave, [s]top: ").lowercased()
      if shownLines > 0 { try terminal.erase(lines: shownLines + 1) }
      let wasShown = shownLines > 0
      shownLines = 0
      switch text {
      case "o", "ours": return .side(.ours)
      case "t", "theirs": return .side(.theirs)
      case "l", "leave": return .leave
      case "s", "stop": return .stop
      case "r", "reveal":
        guard let permission, !wasShown, let path = conflict.path else { continue }
        for (side, name) in [(record.ours, "ours  "), (record.theirs, "theirs")] {
          try terminal.say("    \(name)  \(try secret(side, of: record.id, at: path, by: permission))\n")
          shownLines += 1
        }
      default: continue
      }
    }
  }

  /// A sealed value on one line. The middle of a long value is cut.
  private func secret(
    _ side: StoredVersion?, of id: RecordID, at path: MemberPath, by _: Revealing
  ) throws -> String {
    guard let side else { return "" }
    let text = try vault.authentic(side.bytes, id).withSecret(at: path) { bytes in
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
    return Printable.text(Printable.cut(text ?? "", front: 40, back: 20))
  }
}

extension MergeConflict {
  fileprivate var isForAPerson: Bool {
    [.removed, .older, .schema, .resealed, .moved, .otherRecord, .envelope].contains(reason)
  }
}

extension UnmergedRecord {
  /// The readable content of one side.
  fileprivate func words(on side: MergeSide, _ conflict: MergeConflict) -> String {
    guard let version = self[side] else { return "deleted it for good" }
    guard let file = version.record else { return "not a record" }
    guard let path = conflict.path, conflict.isOfValues else {
      let time = file.envelope.deletedAt ?? file.envelope.updatedAt
      return
        "\(file.envelope.deletedAt == nil ? "changed" : "removed") at \(time.text), revision \(file.envelope.revision)"
    }
    switch side == .ours ? conflict.ours : conflict.theirs {
    case .absent?, nil: return "removed it at \(file.envelope.updatedAt.text)"
    case .sealed(let time)?: return "\(Printable.mask) sealed \(time.text)"
    case .readable?:
      let value = try? JSONValue.object(file.fields).value(at: path)
      return "\(value?.brief ?? "")  at \(file.envelope.updatedAt.text)"
    }
  }
}
