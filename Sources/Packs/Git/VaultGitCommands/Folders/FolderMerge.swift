import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultStorage
import VaultTerminal

/// A merge without git: other versions of a vault's files become one with the versions here.
struct FolderMerge {
  let session: Session
  let others: OtherVersions
  /// The ids of records that the user has named to adopt.
  private let named: [String]
  private let isDryRun: Bool
  private var global: GlobalOptions { session.global }

  /// The merge of the files and folders that words name, or of all conflict copies in the vault. Nil if the words name
  /// something else, such as a commit.
  init?(_ words: [String], _ options: VaultOptions, _ global: GlobalOptions, isDryRun: Bool) throws {
    let location = try VaultLocation.find(options)
    named = words.filter { RecordID(parsing: $0) != nil }
    let words = words.filter { RecordID(parsing: $0) == nil }
    guard words.isEmpty || Self.arePaths(words, beside: location.path) else { return nil }
    let found = try Session(options, global, refusingOtherVaults: false)
    let others = try words.isEmpty ? OtherVersions(in: found.locked) : OtherVersions(words, beside: found)
    guard !words.isEmpty || !others.isEmpty || !GitFolder.holds(location.path) else { return nil }
    session = try found.joining(others.states).confirmingUse(isDryRun ? .reading : .writing)
    (self.others, self.isDryRun) = (others, isDryRun)
  }

  /// Whether words name files and folders. A commit of the same name counts, unless the word begins like a path.
  private static func arePaths(_ words: [String], beside vault: String) -> Bool {
    words.allSatisfy { word in
      guard word.hasPrefix("/") || word.hasPrefix(".") || System.kind(of: word) != nil else { return false }
      return word.hasPrefix("/") || word.hasPrefix(".")
        || Git(at: vault).output(["rev-parse", "--verify", "--quiet", word + "^{commit}"]) == nil
    }
  }

  /// - Parameters:
  ///   - side: the side that wins; nil for the rule.
  ///   - adoption: makes the way to adopt versions under a replaced root key; nil to leave them.
  ///   - rule: the rule for fields that both sides have changed.
  func run(
    _ unlocking: UnlockOptions, preferring side: MergeSide?, adoption: ((Session, Vault) -> Adoption)?,
    by rule: (Vault) -> FolderRule
  ) async throws {
    guard !others.isEmpty || !twins().isEmpty else {
      if global.json { return try emptyReport.print("", global) }
      return global.messages.note("there is nothing to join: this vault has no conflict copies")
    }
    let opened = try await session.unlock(
      unlocking, to: isDryRun ? .reading : .writing, withRootKey: documentsNeedKey || adoption != nil)
    var report = emptyReport
    report.fingerprint = try? opened.header.fingerprint()
    let documents = try JoinedDocuments(of: others, in: opened, preferring: side)
    report.merged = documents.merged
    report.left = documents.left
    var records = try records(opened)
    if let adoption { records = try await adopting(records, adoption(session, opened)) }
    let (rule, held) = (rule(opened), try heldAttachments(opened))
    report.records = try records.map { checked(try $0.joined(opened, by: rule), held) }
    if !isDryRun { report.aside = try await write(report, records, documents, opened) }
    try report.print(isDryRun ? nil : "", global)
  }

  private var emptyReport: MergeReport {
    var report = MergeReport()
    report.isOfGit = false
    return report
  }

  private var documentsNeedKey: Bool {
    [StoreLocation.header, .checkpoint].contains { place in
      others.versions(of: place).contains { $0.version != session.locked.store.version(at: place) }
    }
  }

  // MARK: Records

  /// Records that are both live and in the trash, as after a removal here and a change on another machine.
  private func twins() -> [RecordID] {
    ((try? session.locked.store.trashed()) ?? []).filter { session.locked.store.version(at: .record($0)) != nil }
  }

  /// The records of which there are several versions, in the order of their ids.
  private func records(_ vault: Vault) throws -> [JoinedRecord] {
    var versions = try others.records(besides: vault.store)
    for id in twins() where versions[id] == nil { versions[id] = [] }
    return versions.sorted { $0.key < $1.key }.map { id, others in
      JoinedRecord(id, in: vault, at: session.location.path, others: others)
    }.filter { !$0.isJoined }
  }

  /// The record as it was joined, or left if a file of an attachment is nowhere.
  private func checked(_ record: MergeReport.Record, _ held: Set<AttachmentID>) -> MergeReport.Record {
    guard let bytes = record.bytes, NamedAttachments(in: bytes).attachments.contains(where: { !held.contains($0.id) })
    else { return record }
    return MergeReport.Record(record: record.record, name: record.name, conflicts: [MergeConflict(.missingFile)])
  }

  private func heldAttachments(_ vault: Vault) throws -> Set<AttachmentID> {
    let stores = [vault.store] + others.vaults.map(\.vault.store)
    return Set(try stores.flatMap { store in try inStore { () throws(StoreError) in try store.heldAttachments() } })
  }

  /// The records in which versions under a replaced root key were sealed again, after the user has confirmed them.
  private func adopting(_ records: [JoinedRecord], _ adoption: Adoption) async throws -> [JoinedRecord] {
    var records = records
    for (_, copy) in others.vaults {
      let root = copy.header.root.id.bytes
      let old = records.compactMap { $0.ofReplacedRoot(in: adoption.opened.header) }.filter { record in
        record.theirs?.envelope.map { root.starts(with: $0.wrappedKey.rootHint) } ?? false
      }
      guard !old.isEmpty else { continue }
      var adoption = adoption
      adoption.copy = copy
      let adopted = try await adoption.records(of: old, named: named, asks: !isDryRun)
      for before in old {
        guard let after = adopted[before.id], let index = records.firstIndex(where: { $0.id == before.id }) else {
          continue
        }
        records[index].adopt(after, insteadOf: before)
      }
    }
    return records
  }

  // MARK: Writing

  /// Writes the joined versions, and moves the copies out of the vault.
  ///
  /// - Returns: the folder with the copies; nil without any.
  private func write(
    _ report: MergeReport, _ records: [JoinedRecord], _ documents: JoinedDocuments, _ vault: Vault
  ) async throws -> String? {
    guard let state = StateLocation.path else { throw CommandError.noStateFolder }
    let before = Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0.here.map(\.bytes)) })
    let merged = report.mergedRecords.map { Vault.MergedRecord($0.record.id, $0.bytes, before: before[$0.record.id]) }
    if !merged.isEmpty {
      let stores = others.vaults.map(\.vault.store)
      _ = try await vault.put(merged, copying: stores.isEmpty ? nil : stores.attachmentFiles, isFinal: true)
    }
    try await documents.put()
    let left = Set(report.leftRecords.map(\.record.id))
    let joined = others.copies.filter { found in
      found.copy.place.recordID.map { !left.contains($0) } ?? !documents.leftPlaces.contains(found.copy.place)
    }
    guard !joined.isEmpty else { return nil }
    let name = "merged/\(vault.header.vaultID.text)-\(Timestamp.now().compactText)"
    return try await vault.moveAside(joined, to: System.join(state, name))
  }
}

extension [any RecordStore] {
  fileprivate var attachmentFiles: AttachmentFiles {
    { [self] ids, take throws(VaultError) in
      var missing = ids
      for store in self where !missing.isEmpty {
        try store.attachmentFiles(missing) { id, bytes, isLast throws(VaultError) in
          try take(id, bytes, isLast)
          if isLast { missing.remove(id) }
        }
      }
    }
  }
}
