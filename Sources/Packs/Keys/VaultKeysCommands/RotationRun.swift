import VaultAge
import VaultCLI
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultTerminal

/// The rotation of a command: questions before it, a report after it.
struct RotationRun {
  let opened: Vault
  let location: VaultLocation
  let global: GlobalOptions
  var renewal = SlotRenewal()

  init(opened: Vault, at location: VaultLocation, global: GlobalOptions) {
    (self.opened, self.location, self.global) = (opened, location, global)
  }

  /// Rotates, and prints the new fingerprint or the document of `--json`.
  func report(_ reason: KeyringEntry.Reason) async throws {
    let plan = try opened.rotationPlan(renewal)
    try confirm(plan)
    let renewal = try withPassphrases(plan)
    if reason == .reseal, plan.unfinished != .reseal, !location.isDatabase {
      global.messages.note(Self.branchWarning)
    }
    let progress = Progress("records", global) { plan.recordCount }
    defer { progress.end() }
    let done = try await opened.rotate(reason, slots: renewal) { progress.advance(by: $0) }
    progress.end()
    let fingerprint = try opened.header.fingerprint()
    let notes = notes(done)
    guard !global.json else { return try Output.document(members(done, fingerprint: fingerprint, notes: notes)) }
    try Output.line(fingerprint)
    for note in notes { global.messages.note(note) }
  }

  func preview(_ reason: KeyringEntry.Reason) throws {
    let plan = try opened.rotationPlan(renewal)
    guard !global.json else {
      return try Output.document([
        "dropped": plan.dropped, "dry_run": true, "needs_passphrase": plan.needsPassphrase.map(\.id),
        "reason": reason.rawValue, "records": plan.recordCount, "slots": plan.slots, "trashed": plan.trashedCount,
        "unfinished": plan.unfinished?.rawValue,
      ])
    }
    var lines = plan.unfinished.map { ["finish  the \($0.rawValue) that was interrupted"] } ?? []
    if plan.unfinished == nil || (plan.unfinished == .rewrap && reason == .reseal) {
      lines.append("\(reason.rawValue)  \(plan.recordCount) records, \(plan.trashedCount) in the trash")
      lines += plan.slots.map { slot in
        let isNeeded = plan.needsPassphrase.contains { $0.id == slot.id }
        return "slot    \(slot.id.text)  \(slot.who)  \(slot.label)\(isNeeded ? "  needs its passphrase" : "")"
      }
      lines += plan.dropped.map { "drop    \($0.id.text)  \($0.who)  \($0.label)" }
    }
    try Output.lines(lines.map(Printable.text))
  }

  private func confirm(_ plan: RotationPlan) throws {
    guard plan.dropped.contains(where: { $0.id == opened.slot.id }) else { return }
    try global.confirm("You unlocked the vault with the slot \(opened.slot.words). Drop the slot?")
  }

  /// Asks for the passphrases of other people's slots.
  private func withPassphrases(_ plan: RotationPlan) throws -> SlotRenewal {
    try AgeRecipient.checkLibrary(for: plan.slots.compactMap(\.recipient), of: location.path)
    var renewal = renewal
    for slot in plan.needsPassphrase { renewal.passphrases[slot.id] = try passphrase(of: slot, plan) }
    return renewal
  }

  private func passphrase(of slot: Slot, _ plan: RotationPlan) throws -> SecretBytes {
    guard let terminal = Terminal(noInput: global.noInput) else {
      throw CommandError(
        .cannotUnlock, "no_key", subject: slot.path, "cannot be made again without its passphrase",
        hints: plan.needsPassphrase.flatMap { slot in
          [
            "give the passphrase of \(slot.words) with --key-passphrase-file \(slot.id.text)=FILE",
            "or drop the slot with --drop-key \(slot.id.text)",
          ]
        })
    }
    for attempt in 1...3 {
      let passphrase = try terminal.secret("Passphrase of the slot \(Printable.text(slot.words)): ")
      do throws(VaultError) {
        try opened.requirePassphrase(passphrase, opens: slot, renewal)
        return passphrase
      } catch {
        guard error.code == .wrongPassphrase, attempt < 3 else {
          throw CommandError(error).hinting("nothing was changed; --drop-key \(slot.id.text) drops the slot")
        }
        try terminal.say("That is not the passphrase of this slot. Try again.\n")
      }
    }
    preconditionFailure("the third attempt ends the loop")
  }

  private static let branchWarning =
    "merge open branches first: after a rekey, their changes need `vault merge --adopt-old-root`"

  private func notes(_ done: Rotation) -> [String] {
    var notes = done.isResumed ? ["the \(done.reason.rawValue) that was interrupted is finished"] : []
    notes += done.dropped.map { "the slot \($0.words) was dropped and got no new key" }
    notes.append("other machines must accept the new fingerprint: `vault pin update --fingerprint HEX`")
    if done.isResumed, done.reason == .rewrap {
      notes.append("this was not a reseal: if somebody left or a key leaked, run `vault rekey --reseal`")
    }
    guard done.reason == .reseal else { return notes }
    return notes + [
      "somebody who had the old key can still read what is in \(location.keepers)",
      "`vault due --leaver` lists the secrets to replace at their source",
    ]
  }

  private func members(
    _ done: Rotation, fingerprint: String, notes: [String]
  ) -> KeyValuePairs<String, any DocumentValue> {
    [
      "dropped": done.dropped, "fingerprint": fingerprint, "notes": notes, "reason": done.reason.rawValue,
      "records": done.recordCount, "resumed": done.isResumed, "slots": opened.header.slots,
      "trashed": done.trashedCount,
    ]
  }
}

extension VaultLocation {
  /// The places that keep older states of the vault.
  var keepers: String { isDatabase ? "backups" : "git history and backups" }
}
