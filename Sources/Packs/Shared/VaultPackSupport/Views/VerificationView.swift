package import VaultCare
package import VaultDocument
package import VaultKit
package import VaultTerminal

extension VerificationScope.Part {
  /// The value of `--subset`.
  package static func argument(_ text: String) throws -> VerificationScope.Part {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { JSONNumber(literal: String($0)) }
    guard numbers.count == 2, let number = numbers[0]?.int, let count = numbers[1]?.int,
      let part = VerificationScope.Part(number, of: count)
    else { throw CommandError.usage("--subset", "takes n/t, such as 1/7, with 1 ≤ n ≤ t ≤ 256") }
    return part
  }
}

extension CheckpointChanges: DocumentValue {
  fileprivate var lists: [(action: String, ids: [RecordID])] {
    [("added", added), ("changed", changed), ("removed", removed)]
  }

  /// Such as `since checkpoint 3 of 2026-11-21T01:40:28Z: 2 added, 1 changed, 0 removed`.
  fileprivate var summary: String {
    "since checkpoint \(sequence) of \(createdAt.text): "
      + lists.map { "\($0.ids.count) \($0.action)" }.joined(separator: ", ")
  }

  package var document: JSONValue {
    func list(_ ids: [RecordID]) -> JSONValue { .array(ids.map { .string($0.text) }) }
    return .members([
      "added": list(added), "changed": list(changed), "created_at": createdAt, "removed": list(removed),
      "sequence": sequence,
    ])
  }
}

extension Verification {
  package func lines(listingChanges: Bool = false) -> [String] {
    var lines = [summary]
    guard let changes else { return lines }
    lines.append(changes.summary)
    guard listingChanges else { return lines }
    for (action, ids) in changes.lists { lines += ids.map { "\(action) \($0.text)" } }
    return lines
  }

  package var members: KeyValuePairs<String, any DocumentValue> {
    [
      "checkpoint": changes, "faults": faults, "notes": notes, "records": recordCount, "slots": slotCount,
      "trashed": trashedCount, "verified": isGood,
    ]
  }

  /// Such as `24 records, 1 in the trash, 1 slot: all verified`.
  fileprivate var summary: String {
    let slots = counted(slotCount, "slot")
    let outcome = isGood ? "all verified" : counted(faults.count, "fault")
    return "\(counts), \(slots): \(outcome)"
  }

  /// Such as `24 records, 1 in the trash`.
  package var counts: String {
    counted(recordCount, "record") + ", \(trashedCount) in the trash"
  }
}

extension [VaultFault] {
  /// The exit code: damage precedes a rollback, and both precede unreadable data.
  package var status: ExitStatus? {
    let all = Set(map(\.status))
    return [ExitStatus.damaged, .unexpectedVault, .inputOutput, .findings].first(where: all.contains)
  }

  /// Reports each finding on stderr in its own line, and then the remedies.
  package func report(_ global: GlobalOptions, _ remedies: [Remedy]) {
    for (index, fault) in enumerated() {
      var error = CommandError(
        fault.status, snakeCase(fault.code.description), subject: fault.subject, fault.reason)
      error.file = fault.file
      error.record = fault.record?.text
      error.field = fault.field
      if index == count - 1 { error.hints = remedies.flatMap(\.sentences) }
      global.messages.report(error)
    }
  }
}

extension VaultFault: DocumentValue {
  fileprivate var status: ExitStatus {
    if code.isRollback { return .unexpectedVault }
    return switch code {
    case .unreadable: .inputOutput
    case .misfit, .unmergedCopy: .findings
    default: .damaged
    }
  }

  package var document: JSONValue {
    .members([
      "code": snakeCase(code.description), "field": field, "file": file, "reason": reason, "record": record?.text,
    ])
  }
}
