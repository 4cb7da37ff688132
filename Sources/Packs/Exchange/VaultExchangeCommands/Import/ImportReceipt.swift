import VaultCare
import VaultCLI
import VaultDocument
import VaultKit
import VaultSealing
import VaultStorage
import VaultTerminal

/// The records that an import has written, so that `vault import --undo` can take it back. The receipt lies in the
/// state of this machine and holds records only as their files have them, sealed.
struct ImportReceipt {
  /// A larger receipt is not kept. The state's files are read whole.
  private static let byteLimit = 8 << 20

  private(set) var added: [RecordID] = []
  /// The files of changed records before the import.
  private(set) var changed: [(id: RecordID, before: [UInt8])] = []
  private var endedAt = Timestamp.now()

  init(adding ids: [RecordID] = []) { added = ids }

  mutating func add(_ ids: [RecordID]) { added += ids }

  mutating func change(_ old: OpenRecord) { changed.append((old.id, old.bytes)) }

  private var isEmpty: Bool { added.isEmpty && changed.isEmpty }
}

extension ImportReceipt {
  /// Keeps the receipt in place of the one before, and tells a person at a terminal about it. If it cannot be kept, the
  /// import has succeeded all the same.
  func keep(for vault: Vault, _ global: GlobalOptions) {
    guard !isEmpty, let path = StateLocation.path else { return }
    var receipt = self
    receipt.endedAt = .now()
    let state = KnownVaults(directory: path)
    let bytes = (try? receipt.document.compactBytes(limits: .exchange)).flatMap { $0.count > Self.byteLimit ? nil : $0 }
    do throws(VaultError) {
      try state.keep(bytes, as: .imports, of: vault.header.vaultID)
    } catch {
      return global.messages.detail("the import is not remembered: \(error.reason)")
    }
    if bytes != nil, global.notesAreRead { global.messages.note("`vault import --undo` takes this import back") }
  }

  private var document: JSONValue {
    .members([
      "added": added, "ended_at": endedAt, "format": 1,
      "changed": changed.map { JSONValue.members(["before": Base64.encode($0.before), "id": $0.id]) },
    ])
  }

  /// Reads the receipt of the last import; nil if it has another form.
  private init?(_ bytes: [UInt8]) {
    guard let members = try? JSONParser.parse(bytes, limits: .exchange), members["format"]?.int == 1,
      let ids = members["added"]?.array?.map({ $0.string.flatMap { RecordID(parsing: $0) } }), !ids.contains(nil),
      let time = members["ended_at"]?.string.flatMap({ try? Timestamp(parsing: $0) }),
      let entries = members["changed"]?.array
    else { return nil }
    for entry in entries {
      guard let id = entry["id"]?.string.flatMap({ RecordID(parsing: $0) }),
        let before = entry["before"]?.string.flatMap({ try? Base64.decode($0) })
      else { return nil }
      changed.append((id, before))
    }
    (added, endedAt) = (ids.compactMap(\.self), time)
  }
}

// MARK: Undo

extension ImportReceipt {
  /// The last import into a vault.
  static func last(into vault: VaultID) throws -> ImportReceipt {
    guard let path = StateLocation.path else { throw CommandError.noStateFolder }
    let nothing = CommandError(
      .notFound, "no_import", subject: nil, "this machine remembers no import into this vault",
      hints: ["`vault remove RECORD…` removes records", "`vault restore RECORD FIELD --former` brings a value back"])
    guard let bytes = try KnownVaults(directory: path).document(.imports, of: vault), let receipt = ImportReceipt(bytes)
    else { throw nothing }
    return receipt
  }

  /// The effect of an undo: records that the import has added go to the trash, and changed ones get their content back.
  struct Undo {
    var removed: [RecordID] = []
    var restored: [RestorableRecord] = []
    /// Records that were changed or removed after the import, which stay as they are.
    var kept: [RecordID] = []
  }

  func undo(in vault: Vault) throws -> Undo {
    var undo = Undo()
    for id in added {
      if isUntouched(id, vault) { undo.removed.append(id) } else { undo.kept.append(id) }
    }
    for (id, before) in changed {
      guard isUntouched(id, vault) else {
        undo.kept.append(id)
        continue
      }
      undo.restored.append(try vault.restorableRecord(before, at: .record(id)))
    }
    return undo
  }

  /// Whether nobody has changed a record since the import ended.
  private func isUntouched(_ id: RecordID, _ vault: Vault) -> Bool {
    guard let stored = try? vault.locked.record(id) else { return false }
    return stored.envelope.updatedAt <= endedAt
  }

  /// Forgets the last import, which was undone.
  static func forget(_ vault: VaultID) throws {
    guard let path = StateLocation.path else { return }
    try KnownVaults(directory: path).keep(nil, as: .imports, of: vault)
  }
}

extension ImportCommand {
  /// Takes the last import back after a question: first the changed records, all or none, then the added ones.
  func undoImport() async throws {
    guard format == nil, file == nil else {
      throw CommandError.usage("--undo", "needs no file", "write `vault import --undo`")
    }
    let session = try Session(vault, global)
    let opened = try await session.unlock(unlocking, to: dryRun ? .reading : .writing)
    let id = opened.header.vaultID
    let undo = try ImportReceipt.last(into: id).undo(in: opened)
    let (removed, restored) = (undo.removed, undo.restored)
    let parts =
      (removed.isEmpty ? [] : ["\(counted(removed.count, "record")) to the trash"])
      + (restored.isEmpty ? [] : ["\(counted(restored.count, "record")) back to the earlier content"])
    if !dryRun, !parts.isEmpty {
      if global.canAsk || global.yes { try global.confirm("Take the import back: \(parts.joined(separator: ", "))?") }
      if !restored.isEmpty { _ = try await opened.bringBack(restored) }
      try await opened.remove(removed)
      if undo.kept.isEmpty { try ImportReceipt.forget(id) }
    }
    try report(undo, parts)
  }

  private func report(_ undo: ImportReceipt.Undo, _ parts: [String]) throws {
    if !undo.kept.isEmpty {
      let (count, verb) = (counted(undo.kept.count, "record"), undo.kept.count == 1 ? "was" : "were")
      global.messages.note("\(count) \(verb) changed after the import, and --undo leaves that as it is")
    }
    guard !global.json else {
      return try Output.document([
        "dry_run": dryRun, "kept": undo.kept, "removed": undo.removed, "restored": undo.restored.map(\.id),
      ])
    }
    let text = parts.isEmpty ? "nothing to take back" : parts.joined(separator: ", ")
    global.messages.note(dryRun ? "would take back: \(text)" : text)
  }
}
