import ArgumentParser
import VaultCLI
import VaultDeposit
import VaultDocument
import VaultKit
import VaultTerminal

extension InboxCommand {
  struct Accept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "accept",
      abstract: "Store deposits as records and values.",
      discussion: """
        A new record gets the id of its deposit. A new value replaces the present one as `vault set` does: the \
        replaced value stays as a former one. The deposit is then removed. If a deposit cannot be accepted, the \
        command says why in one line, continues with the others, and exits with 4, or with 17 if it stored nothing.

        --all leaves out values for a field that has changed since the deposit was made: somebody may have put an old \
        deposit back. Accept such a deposit by its id. --signed leaves out every deposit without a valid signature by \
        a person of `vault inbox signers`.

        Example:
          vault inbox accept 3f2a51c0
          vault inbox accept --all --signed
        """)

    @OptionGroup var choice: DepositChoice

    @Flag(help: "Only deposits that are signed by a known person.")
    var signed = false

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      try choice.check()
      let session = try Session(vault, global)
      let opened = try await session.unlock(unlocking, to: .writing)
      let check = try SignatureCheck(opened.header)
      var outcome = Outcome()
      do {
        try await opened.inbox(choice.ids(in: opened)) { waiting in
          for deposit in waiting.sorted(by: WaitingDeposit.isEarlier) {
            try await take(deposit, in: opened, check, &outcome)
          }
        }
      } catch {
        if !outcome.stored.isEmpty { try report(outcome.stored) }
        throw error
      }
      if outcome.count == 0 { global.messages.note("the inbox is empty") }
      try report(outcome.stored)
      if !outcome.isWhole { throw Finished(status: outcome.stored.isEmpty ? .inputRefused : .partlyDone) }
    }

    private struct Outcome {
      var count = 0
      var stored: [RecordID] = []
      var isWhole = true
    }

    /// Accepts one deposit. A fault of it is reported, and any other error ends the run.
    private func take(
      _ deposit: WaitingDeposit, in vault: Vault, _ check: SignatureCheck, _ outcome: inout Outcome
    ) async throws {
      outcome.count += 1
      do {
        try requireAcceptable(deposit, check)
        outcome.stored.append(try await accept(deposit, in: vault))
      } catch let error as CommandError where error.isAboutDeposit {
        outcome.isWhole = false
        global.messages.report(error.about(deposit.subject(of: error)))
      }
    }

    private func requireAcceptable(_ waiting: WaitingDeposit, _ check: SignatureCheck) throws {
      if let fault = waiting.fault { throw fault }
      func refused(_ reason: String, _ hint: String) -> CommandError {
        CommandError(.inputRefused, "deposit_refused", subject: waiting.id.text, reason, hints: [hint])
      }
      if signed, case .success(let deposit) = waiting.deposit, try check.state(of: deposit).signer == nil {
        throw refused(
          "is not signed by a person of the vault's list of signers",
          "`vault inbox` shows the signature of each deposit")
      }
      switch waiting.state {
      case .mayBeOld where choice.all:
        throw refused(
          "gives a value to a field that has changed since: it may be an old deposit",
          "`vault inbox accept \(waiting.id.text)` accepts it anyway")
      case .hasNoTarget:
        throw refused(
          "names no single record of the vault", "`vault inbox drop \(waiting.id.text)` removes the deposit")
      default: break
      }
    }

    private func accept(_ waiting: WaitingDeposit, in vault: Vault) async throws -> RecordID {
      let accepted: AcceptedDeposit
      do throws(VaultError) { accepted = try await vault.accept(waiting) } catch { throw CommandError(error) }
      if let (record, effect) = accepted.change {
        let revision = accepted.replacedRevision.map { " (it was revision \($0))" } ?? ""
        global.messages.note(
          "\(record.shownName): \(accepted.wasThere ? "has the deposited value already" : "changed")\(revision)")
        global.report(effect, of: record)
      } else {
        noteAdded(waiting, accepted)
      }
      return accepted.record
    }

    private func noteAdded(_ waiting: WaitingDeposit, _ accepted: AcceptedDeposit) {
      let id = accepted.record.text
      global.messages.note(accepted.wasThere ? "\(id) was accepted already" : "\(id) is stored")
      if case .adds(let count) = waiting.state, count > 0, !accepted.wasThere {
        global.messages.note(
          "\(count == 1 ? "another record has" : "\(count) other records have") the name of \(id); use ids from now on")
      }
    }

    private func report(_ stored: [RecordID]) throws {
      try Output.afterwards("\(counted(stored.count, "deposit")) accepted") {
        guard global.json else { return try Output.lines(stored.map(\.text)) }
        try Output.document(["accepted": stored])
      }
    }
  }
}

extension CommandError {
  /// Whether only this deposit cannot be accepted, so that the others can.
  fileprivate var isAboutDeposit: Bool {
    switch status {
    case .inputRefused, .usage, .notFound, .alreadyExists, .changedUnderneath, .damaged: true
    default: false
    }
  }
}

extension WaitingDeposit {
  /// The subject of an error, with the id of the deposit.
  fileprivate func subject(of error: CommandError) -> String {
    guard let subject = error.subject else { return id.text }
    return subject.contains(id.text) ? subject : "\(id.text): \(subject)"
  }

  /// Deposits of one field are accepted in the order in which they were made. Other files come last.
  fileprivate static func isEarlier(_ left: WaitingDeposit, _ right: WaitingDeposit) -> Bool {
    guard case .success(let one) = left.deposit else { return false }
    guard case .success(let other) = right.deposit else { return true }
    return (one.createdAt, one.id) < (other.createdAt, other.id)
  }
}
