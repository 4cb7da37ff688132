import ArgumentParser
import VaultDocument
import VaultKit

/// `vault verify`: everything is checked with the key.
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check every record, slot and file of the vault with the key.",
    discussion: """
      Every MAC, every sealed field, what the kinds say, names against ids, the trash, and what does not belong there. It \
      goes on after a fault and names each file with its reason.

      Example:
        vault verify --identity identity.txt
      """)

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let opened = try await Session(vault, global).unlock(unlocking)
    let progress = Progress("verified", global)
    let result = try await opened.verify { progress.advance() }
    progress.end()
    if global.json { try Output.document(members(result)) } else { try Output.line(result.summary) }
    for note in result.notes { global.messages.note(note) }
    result.faults.report(global)
    if let status = result.faults.status { throw Finished(status: status) }
  }

  private func members(_ result: Verification) -> KeyValuePairs<String, JSONValue> {
    [
      "faults": .array(result.faults.map(\.document)), "notes": .array(result.notes.map { .string($0) }),
      "records": .number(JSONNumber(result.recordCount)), "slots": .number(JSONNumber(result.slotCount)),
      "trashed": .number(JSONNumber(result.trashedCount)), "verified": .bool(result.isGood),
    ]
  }
}

extension Verification {
  /// `24 records, 1 in the trash, 1 slot: all verified`
  fileprivate var summary: String {
    let counts = [
      recordCount == 1 ? "1 record" : "\(recordCount) records", "\(trashedCount) in the trash",
      slotCount == 1 ? "1 slot" : "\(slotCount) slots",
    ]
    let outcome = isGood ? "all verified" : faults.count == 1 ? "1 fault" : "\(faults.count) faults"
    return counts.joined(separator: ", ") + ": " + outcome
  }
}

extension [VaultFault] {
  /// Damage comes before what could only not be read.
  var status: ExitStatus? {
    guard !isEmpty else { return nil }
    return contains { $0.code != .unreadable } ? .damaged : .inputOutput
  }

  /// Each on stderr in its own line, and then what to do.
  func report(_ global: GlobalOptions) {
    for (index, fault) in enumerated() {
      let status: ExitStatus = fault.code == .unreadable ? .inputOutput : .damaged
      var error = CommandError(
        status, snakeCase(fault.code.description), subject: fault.field.map { "\(fault.file): \($0)" } ?? fault.file,
        fault.reason)
      error.file = fault.file
      error.record = fault.record?.text
      error.field = fault.field
      if index == count - 1, self.status == .damaged {
        error.hints = ["`vault repair --dry-run` shows what can be restored"]
      }
      global.messages.report(error)
    }
  }
}

extension VaultFault {
  var document: JSONValue {
    .members([
      "code": .string(snakeCase(code.description)), "field": .optional(field), "file": .string(file),
      "reason": .string(reason), "record": .optional(record?.text),
    ])
  }
}
