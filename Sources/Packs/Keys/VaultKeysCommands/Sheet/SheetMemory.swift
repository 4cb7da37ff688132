import VaultAge
import VaultCLI
import VaultDocument
import VaultKit
import VaultTerminal

/// The recovery sheets of a vault that this machine knows of, in its state. Nothing in it is secret.
struct SheetMemory {
  struct Entry {
    let recipient: String
    var madeAt: Timestamp?
    var checkedAt: Timestamp?
  }

  private(set) var entries: [Entry] = []
  private let vault: VaultID

  /// Reads the memory; without one, or if it cannot be read, it is empty.
  init(of vault: VaultID) {
    self.vault = vault
    guard let path = StateLocation.path, let bytes = try? KnownVaults(directory: path).document(.sheets, of: vault),
      let members = try? JSONParser.parse(bytes), members["format"]?.int == 1
    else { return }
    entries = (members["sheets"]?.array ?? []).compactMap { entry in
      guard let recipient = entry["recipient"]?.string else { return nil }
      func time(_ name: String) -> Timestamp? { entry[name]?.string.flatMap { try? Timestamp(parsing: $0) } }
      return Entry(recipient: recipient, madeAt: time("made_at"), checkedAt: time("checked_at"))
    }
  }

  func entry(of recipient: AgeRecipient?) -> Entry? {
    recipient.flatMap { recipient in entries.first { $0.recipient == recipient.text } }
  }

  /// Notes that a sheet was made or checked now. If that cannot be kept, `--verbose` says why.
  mutating func note(_ recipient: AgeRecipient, _ time: WritableKeyPath<Entry, Timestamp?>, _ messages: Messages) {
    if entry(of: recipient) == nil { entries.append(Entry(recipient: recipient.text)) }
    for index in entries.indices where entries[index].recipient == recipient.text {
      entries[index][keyPath: time] = .now()
    }
    guard let path = StateLocation.path else { return }
    do {
      try KnownVaults(directory: path).keep(document.compactBytes(), as: .sheets, of: vault)
    } catch {
      messages.detail("the sheet is not remembered: \(CommandError(any: error).reason)")
    }
  }

  private var document: JSONValue {
    .members([
      "format": 1,
      "sheets": entries.map { entry in
        JSONValue.object(
          JSONObject(present: [
            "checked_at": entry.checkedAt, "made_at": entry.madeAt, "recipient": entry.recipient,
          ]))
      },
    ])
  }
}

extension SheetMemory.Entry {
  /// Such as `sheet, checked 2026-11-29`, for the list of keys.
  var words: String {
    checkedAt.map { "sheet, checked \($0.text.prefix(10))" } ?? "sheet, never checked on this machine"
  }

  var document: JSONValue { .members(["checked_at": checkedAt, "made_at": madeAt]) }
}
