import VaultCLI
import VaultDocument
import VaultKit
import VaultMerge
import VaultTerminal

/// The changes between two versions of a vault's header. Neither is verified.
struct HeaderComparison {
  let isOtherVault: Bool
  /// Whether the root keys differ.
  let hasOtherRoot: Bool
  /// The fault if the revision did not rise; nil otherwise.
  let fault: VersionFault?
  let added: [Slot]
  let removed: [Slot]

  init(from old: VaultHeader, to new: VaultHeader) {
    isOtherVault = new.vaultID != old.vaultID
    hasOtherRoot = new.root.id != old.root.id
    fault = new.revision > old.revision ? nil : .notLater(revision: new.revision, than: old.revision)
    added = new.slots.filter { slot in !old.slots.contains { $0.opens(for: slot) } }
    removed = old.slots.filter { slot in !new.slots.contains { $0.opens(for: slot) } }
  }

  var notes: [String] {
    (hasOtherRoot ? ["has another root key"] : []) + added.map { "has a new way to unlock: \($0.line)" }
      + removed.map { "has lost a way to unlock: \($0.line)" }
  }

  var slotDocuments: [JSONValue] {
    added.map { $0.document(change: "added") } + removed.map { $0.document(change: "removed") }
  }
}

extension Slot {
  /// Whether both slots have the same holder. A rotation makes new slots for the same holders.
  fileprivate func opens(for other: Slot) -> Bool {
    id == other.id || recipient != nil && recipient == other.recipient && sameBytes(label, other.label)
  }

  /// Such as `Ada, laptop (age1…)`.
  fileprivate var line: String {
    let who = recipient?.shown ?? kind.name
    return label.isEmpty ? who : "\(label) (\(who))"
  }

  fileprivate func document(change: String) -> JSONValue {
    .members(["change": change, "id": id, "kind": kind.name, "label": label, "recipient": recipient.map { "\($0)" }])
  }
}
