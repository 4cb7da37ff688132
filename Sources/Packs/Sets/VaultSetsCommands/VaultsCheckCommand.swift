import ArgumentParser
import VaultAge
import VaultCLI
import VaultDocument
import VaultKit
import VaultRecords
import VaultSets
import VaultTerminal

extension VaultsCommand {
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Find records, ids and keys that are not where the set says.",
      discussion: """
        Example:
          vault vaults check

        The command uses no key. It finds records that a rule puts into another vault, and rules that overlap or use a \
        sealed field. It finds an id that two vaults have with the same kind, as after a move that was interrupted. It \
        finds recipients that differ from `members`, and names that no longer stand for the same vault on this machine.

        The exit status is 14 if the command finds anything.
        """)

    @OptionGroup var choice: SetOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let check = try await SetCheck(FoundSet.required(choice.vaults))
      if global.json {
        try Output.document(["findings": check.findings, "set": check.set.path, "verified": false])
      } else {
        try Output.lines(check.findings.map { Printable.text($0.line) })
        if check.findings.isEmpty, check.faults.isEmpty { global.messages.note("everything is where the set says") }
        global.messages.note(Messages.unverifiedNote)
      }
      for fault in check.faults { global.messages.report(fault) }
      if check.faults.contains(where: { $0.status == .unexpectedVault }) { throw Finished(status: .unexpectedVault) }
      if !check.findings.isEmpty { throw Finished(status: .findings) }
      if !check.faults.isEmpty { throw Finished(status: .partlyDone) }
    }
  }
}

private struct SetCheck {
  struct Finding: DocumentValue {
    /// The code for programs, such as `misplaced`.
    let code: String
    let vaults: [String]
    var record: RecordID?
    let text: String

    var line: String { vaults.joined(separator: ", ") + ": " + Sentence.about(record?.text, text) }

    var document: JSONValue {
      .members(["code": code, "reason": text, "record": record?.text, "vaults": vaults])
    }
  }

  let set: FoundSet
  private(set) var findings: [Finding] = []
  private(set) var faults: [CommandError] = []
  private var places: [RecordID: [(vault: String, kind: String)]] = [:]

  init(_ set: FoundSet) async throws {
    self.set = set
    var opened: [(member: SetMember, vault: LockedVault)] = []
    for member in set.all {
      do {
        opened.append((member, try member.opened()))
      } catch {
        faults.append(CommandError(any: error))
      }
    }
    for (member, vault) in opened { checkKeys(of: member, vault) }
    checkRules(opened)
    for (member, vault) in opened { try await checkRecords(of: member, vault) }
    for (id, found) in places.sorted(by: { $0.key < $1.key }) where found.count > 1 {
      for kind in Set(found.map(\.kind)).sorted() {
        let vaults = found.filter { $0.kind == kind }.map(\.vault)
        guard vaults.count > 1 else { continue }
        findings.append(
          Finding(
            code: "twice", vaults: vaults, record: id,
            text: "is in each of these vaults as \(kind): if a `vault move` was interrupted, run it again to finish it")
        )
      }
    }
  }

  private mutating func checkKeys(of member: SetMember, _ vault: LockedVault) {
    guard let wanted = member.vault.recipients else { return }
    for slot in vault.header.slots {
      guard let recipient = slot.recipient?.text else {
        findings.append(
          Finding(
            code: "passphrase", vaults: [member.name], text: "\(slot.words) is a passphrase, which belongs to no member"
          ))
        continue
      }
      guard !wanted.contains(recipient) else { continue }
      findings.append(
        Finding(code: "unexpected_key", vaults: [member.name], text: "\(slot.words) has a key but is not in `members`")
      )
    }
    for recipient in wanted where !vault.header.slots.contains(where: { $0.recipient?.text == recipient }) {
      findings.append(
        Finding(code: "missing_key", vaults: [member.name], text: "\(recipient) is in `members` but has no key"))
    }
  }

  private mutating func checkRules(_ opened: [(member: SetMember, vault: LockedVault)]) {
    let kinds = opened.map(\.vault.kinds) + [.builtIn]
    func isList(_ path: MemberPath) -> Bool {
      kinds.contains { catalog in catalog.names.contains { catalog[$0]?.value(at: path)?.isList ?? false } }
    }
    func isSealed(_ rule: PlacementRule, _ path: MemberPath) -> Bool {
      let named = rule.conditions.first { "\($0.path)" == "kind" }?.value
      return kinds.contains { catalog in
        catalog.names.contains { name in (named ?? name) == name && catalog[name]?.isSealed(path) == true }
      }
    }
    let all = set.set.members.flatMap { member in member.takes.map { (vault: member.name, rule: $0) } }
    for (index, one) in all.enumerated() {
      for condition in one.rule.conditions where isSealed(one.rule, condition.path) {
        findings.append(
          Finding(
            code: "sealed_condition", vaults: [one.vault],
            text: "the rule \(one.rule.description) uses \(condition.path), which is sealed: it matches no record"))
      }
      for other in all[(index + 1)...]
      where other.vault != one.vault && one.rule.overlaps(other.rule, isList: isList) {
        findings.append(
          Finding(
            code: "overlap", vaults: [one.vault, other.vault],
            text: "a record can match both \(one.rule.description) and \(other.rule.description)"))
      }
    }
  }

  private mutating func checkRecords(of member: SetMember, _ vault: LockedVault) async throws {
    let (rows, unreadable) = try await vault.listed()
    faults += unreadable.map { CommandError($0).about("\(member.name): \($0.subject ?? "")") }
    let hasRules = set.set.members.contains { !$0.takes.isEmpty }
    for row in rows {
      places[row.id, default: []].append((member.name, row.kind))
      guard hasRules, let record = try? vault.record(row.id) else { continue }
      let takers = set.set.takers(of: row.kind, vault.kinds[row.kind], record.fields).map(\.name)
      guard !takers.isEmpty, !takers.contains(member.name) else { continue }
      findings.append(
        Finding(
          code: "misplaced", vaults: [member.name], record: row.id,
          text: "belongs to \(takers.joined(separator: " and ")): `vault move \(member.name):\(row.id.text) --to "
            + "\(takers[0])`"))
    }
  }
}

extension ValueSchema {
  fileprivate var isList: Bool { if case .list = form { true } else { false } }
}
