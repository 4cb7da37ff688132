import VaultCLI
import VaultDeposit
import VaultDocument
import VaultKit
import VaultRecords
import VaultTerminal

/// A deposit as `vault inbox` shows it. Values are never in it.
struct InboxRow {
  let id: DepositID
  let kind: String
  let name: String
  let field: String
  let from: String
  let signature: SignatureState
  let createdAt: Timestamp
  let state: String

  /// Nil for a file that is not a deposit.
  init?(_ waiting: WaitingDeposit, in vault: Vault, _ check: SignatureCheck) throws {
    guard case .success(let deposit) = waiting.deposit else { return nil }
    id = waiting.id
    from = Printable.cut(deposit.from ?? "", front: 60, back: 0)
    createdAt = deposit.createdAt
    signature = try check.state(of: deposit)
    state = waiting.stateWords
    switch deposit.content {
    case .record(let kind, let members):
      let known = vault.kinds[kind]
      self.kind = Printable.cut(kind, front: 60, back: 0)
      name = Printable.cut(known?.title(of: members) ?? "", front: 100, back: 0)
      field = ""
    case .value(let record, let path, _, _):
      kind = "value"
      name = Printable.cut(waiting.target ?? record, front: 100, back: 0)
      field = Printable.cut(path.description, front: 60, back: 0)
    }
  }

  /// The name, and the field that gets a new value.
  var label: String { field.isEmpty ? name : "\(name): \(field) \(Printable.mask)" }

  /// The row without a header, for programs.
  var line: String {
    [id.text, kind, label, from.isEmpty ? "-" : from, signature.words, createdAt.text, state]
      .map { Printable.text($0) }.joined(separator: "  ")
  }

  var document: JSONValue {
    .members([
      "created_at": createdAt, "field": field.isEmpty ? nil : field, "from": from.isEmpty ? nil : from, "id": id,
      "kind": kind, "name": name, "signature": signature.words, "signer": signature.signer, "state": state,
    ])
  }
}

extension WaitingDeposit {
  /// The effect of accepting it, for people.
  var stateWords: String {
    switch state {
    case .adds(0): "new"
    case .adds(let count): "new, \(counted(count, "record")) with this name"
    case .replaces: "replaces the value"
    case .mayBeOld: "may be old: the field has changed since"
    case .isAccepted: "accepted already"
    case .doesNotFit: "does not fit its kind"
    case .hasNoTarget: "no such record"
    case nil: "not a deposit"
    }
  }
}
