import VaultAge
package import VaultDocument
import VaultKit
import VaultTerminal

extension Slot: DocumentValue {
  package var document: JSONValue {
    let recipient = recipient?.text
    var members = JSONObject(members: [
      "created_at": createdAt, "id": id, "kind": kind.name, "label": label, "recipient": recipient,
    ])
    if let plugin { members["plugin"] = plugin.document }
    return .object(members)
  }

  private var plugin: String? { recipient?.pluginName }
}

extension Slot {
  /// The slot in questions and notes: its label and the beginning of its id, or without a label its kind and that id.
  package var words: String {
    let start = id.text.prefix(8)
    return label.isEmpty ? "\(start) (\(kind.name))" : "\"\(label)\" (\(start))"
  }

  /// The kind in lists, with the name of a plugin.
  package var kindWords: String { plugin.map { "\(kind.name) \($0)" } ?? kind.name }

  /// The holder of the slot, for eyes.
  package var who: String { recipient?.shown ?? "passphrase" }
}

extension SlotState: DocumentValue {
  package var document: JSONValue {
    guard case .object(var members) = slot.document else { preconditionFailure("a slot is an object") }
    members["work_factor"] = workFactor.document
    members["weak"] = .bool(isWeak)
    members["fault"] = (fault?.reason).document
    return .object(members)
  }

  /// The slot in a line of `key list`.
  package var line: String {
    var columns = [slot.id.text, Printable.padded(slot.kindWords, to: 6), slot.createdAt.text]
    columns.append(slot.recipient?.text ?? slot.who)
    if let strength { columns.append(strength) }
    if !slot.label.isEmpty { columns.append(slot.label) }
    return columns.joined(separator: "  ")
  }

  /// The cost of guessing a passphrase, or that the file is damaged; nil for a recipient.
  package var strength: String? {
    if fault != nil { return "damaged" }
    return workFactor.map { "work factor \($0)\(isWeak ? ", weak" : "")" }
  }

  /// The warning for a passphrase slot that is cheaper to guess than a new one.
  var weakness: String? {
    guard isWeak, let workFactor else { return nil }
    return
      "slot \(slot.words) has work factor \(workFactor), and new slots have \(SlotFile.defaultWorkFactor): "
      + "`vault key change-passphrase \(slot.id.text.prefix(8))` raises it"
  }
}
