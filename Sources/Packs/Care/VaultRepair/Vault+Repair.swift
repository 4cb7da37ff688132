internal import VaultDocument
internal import VaultFileStore
package import VaultKit
internal import VaultSealing
internal import VaultStorage
package import VaultTrust
internal import VaultCare

extension Vault {
  /// Carries out a plan, each step whole or not at all; a step that fails does not stop the others.
  ///
  /// Nothing is overwritten or removed before it lies durably in the folder aside, except files of attachments that no
  /// record names. A file that changed since the plan was made is left (`.changedUnderneath`).
  ///
  /// - Parameter path: a folder that does not exist, outside the vault; it is made when it is needed.
  package func repair(_ plan: RepairPlan, asideFolder path: String) async throws(VaultError) -> RepairResult {
    try await writing { lock throws(VaultError) in
      let repairer = Repairer(vault: self, lock: lock, aside: Aside(path))
      var result = RepairResult()
      for step in plan.steps {
        do throws(VaultError) {
          try repairer.carryOut(step)
          result.failures.append(nil)
        } catch {
          result.failures.append(error)
        }
      }
      result.asideFolder = repairer.aside.folder?.path
      return result
    }
  }
}

/// The folder aside, made at its first use.
private final class Aside {
  private let path: String
  private(set) var folder: AsideFolder?

  init(_ path: String) { self.path = path }

  func made() throws(VaultError) -> AsideFolder {
    if let folder { return folder }
    let new = try inStore { () throws(StoreError) in try AsideFolder(creatingAt: path) }
    folder = new
    return new
  }
}

/// Carries out the steps of a repair, under an exclusive lock.
private struct Repairer {
  let vault: Vault
  let lock: any StoreLock
  let aside: Aside

  func carryOut(_ step: RepairStep) throws(VaultError) {
    switch step.change {
    case .none: break
    case .journal: try settleJournal()
    case .replace(let place, let found, let isIrregular, let bytes, let home):
      try keep(place, found: found, isIrregular: isIrregular)
      try vault.apply(replacing(place, found: found, bytes: bytes, home: home), lock)
    case .restoreFromTrash(let id, let found, let isIrregular, let trashed):
      try keep(.record(id), found: found, isIrregular: isIrregular)
      try vault.apply(restoring(id, found: found, trashed: trashed), lock)
    case .move(let source, let target, let bytes):
      try vault.apply([StoreChange(source, from: bytes, to: nil), StoreChange(target, from: nil, to: bytes)], lock)
    case .salvage(let salvage):
      let bytes = try salvage.bytes()
      let folder = try aside.made()
      try inStore { () throws(StoreError) in try folder.write(bytes, to: salvage.fileName) }
    case .removeAttachments(let ids): try removeAttachments(ids)
    case .restoreAttachment(let attachment, let history): try restore(attachment, from: history)
    }
  }

  private func restore(_ attachment: Attachment, from history: any FileHistory) throws(VaultError) {
    try vault.restore(attachment, from: history, lock) { () throws(VaultError) in try aside.made() }
  }

  /// Removes only files that were unnamed when every record was verified, and still are.
  private func removeAttachments(_ ids: Set<AttachmentID>) throws(VaultError) {
    guard vault.header.unfinishedRotation == nil else {
      throw VaultError(
        .changedUnderneath, "were not checked again, because a rekey has begun",
        file: StoreLocation.attachmentsPath, remedies: [.finishRotation])
    }
    let removed = try vault.removeUnnamedAttachments(among: ids, lock)
    guard removed.count == ids.count else {
      throw VaultError(
        .changedUnderneath, "has files that are named, missing or unclear since the plan was made",
        file: StoreLocation.attachmentsPath)
    }
  }

  /// Moves a malformed journal aside; taking the lock has already finished a committed one.
  private func settleJournal() throws(VaultError) {
    guard let directory = vault.store as? DirectoryStore else { return }
    let state = try inStore { () throws(StoreError) in try directory.journalState() }
    switch state {
    case .none: break
    case .pending: throw VaultError(.ioFailed, "cannot be put in place", file: ".journal.json")
    case .malformed:
      let folder = try aside.made()
      try inStore { () throws(StoreError) in try directory.setAsideJournalAndStagedChanges(in: folder, under: lock) }
    }
  }

  /// Keeps the entry at a place: a file's bytes are copied, anything else is moved.
  private func keep(_ place: StoreLocation, found: [UInt8]?, isIrregular: Bool) throws(VaultError) {
    let name = place.relativePath.split(separator: "/").joined(separator: "-")
    if let found {
      try requireUnchanged(place, found)
      let folder = try aside.made()
      try inStore { () throws(StoreError) in try folder.write(found, to: name) }
    } else if isIrregular, let directory = vault.store as? DirectoryStore {
      let folder = try aside.made()
      try inStore { () throws(StoreError) in try directory.setAside(place, in: folder, as: name, under: lock) }
    }
  }

  private func replacing(
    _ place: StoreLocation, found: [UInt8]?, bytes: [UInt8], home: StoreLocation
  ) -> [StoreChange] {
    guard home != place else { return [StoreChange(place, from: found, to: bytes)] }
    let emptied = found.map { [StoreChange(place, from: $0, to: nil)] } ?? []
    return emptied + [StoreChange(home, from: nil, to: bytes)]
  }

  private func requireUnchanged(_ place: StoreLocation, _ found: [UInt8]) throws(VaultError) {
    guard try inStore({ () throws(StoreError) in try vault.store.read(place) }) == found else {
      throw VaultError(.changedUnderneath, "was changed since the plan was made", file: place.relativePath)
    }
  }

  private func restoring(_ id: RecordID, found: [UInt8]?, trashed: [UInt8]) throws(VaultError) -> [StoreChange] {
    let old = try vault.verifyTrashed(trashed, id).record
    let draft = EnvelopeDraft(next: old.verified, now: vault.currentTime())
    let restored = try vault.sealedBytes(old.stored, draft: draft, keys: old.verified.keys, in: .record(id))
    return [
      StoreChange(.record(id), from: found, to: restored), StoreChange(.trash(id), from: trashed, to: nil),
    ]
  }
}
