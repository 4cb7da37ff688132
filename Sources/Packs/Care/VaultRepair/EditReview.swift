package import VaultDocument
package import VaultKit
internal import VaultRecords
package import VaultSealing
internal import VaultStorage
package import VaultTrust
package import VaultCare

/// A record whose readable fields were edited by hand, and the effect of accepting it. It is made and shown before
/// anything changes.
package struct EditReview: Sendable {
  /// The newest version that verifies.
  package struct Baseline: Sendable {
    package let revision: Int
    /// Its source, in words: `git commit 1a2b3c4`.
    package let origin: String
  }

  package let found: StoredRecord
  /// Path below the vault's directory.
  package let file: String
  /// Nil if no version verifies: there is nothing to compare with, and a person must look at the whole record.
  package let baseline: Baseline?
  /// The readable fields that differ from the baseline, in the order of paths, never a sealed value; empty without a
  /// baseline.
  package let changes: [TreeDifference]
  /// The attachments that differ from the baseline, which ``requireAcceptable()`` refuses; empty without a baseline.
  package let attachments: [AttachmentChange]
  package let revision: Int
  /// The content of the file, and its replacement once that is authenticated.
  let bytes: [UInt8]
  let keys: RecordKeys
  let createdAtText: String
}

extension EditReview {
  /// Refuses edits that nobody may authenticate, even after looking at them: other attachments than in the baseline,
  /// which are sealed like a sealed value.
  package func requireAcceptable() throws(VaultError) {
    guard attachments.isEmpty else {
      throw EditedRecord.refused(
        "does not have the attachments of the version that verifies: only readable fields can be accepted", file: file,
        id: found.id, path: EditedRecord.path(of: RecordEnvelope.attachmentsMemberName))
    }
  }
}

extension Vault {
  /// Reviews a live record that was edited by hand.
  ///
  /// Its sealed values must be those of the newest version that verifies, at the same paths. In `$vault` only the MAC,
  /// the revision and the time of the last change may differ; different attachments are listed in the review. Without
  /// such a version, each sealed value must open as one of this record.
  ///
  /// - Parameter histories: sources of older versions, the most trusted first.
  /// - Returns: nil if the record verifies as it is.
  package func editReview(
    of id: RecordID, _ histories: [any FileHistory] = []
  ) async throws(VaultError) -> EditReview? {
    guard let bytes = try locked.read(id) else { throw .noSuchRecord }
    if let record = try? verify(bytes, id), record.opens { return nil }
    let candidate = try RepairPlanner(self, histories: histories, faults: []).best(for: .record(id), id)
    return try EditedRecord(bytes, id: id, vault: self).editReview(comparedWith: candidate)
  }

  /// Authenticates the records as they were reviewed, all or none, each as its next revision.
  package func accept(_ reviews: [EditReview]) async throws(VaultError) {
    guard !reviews.isEmpty else { return }
    try await writing { lock throws(VaultError) in
      let now = currentTime()
      var changes: [StoreChange] = []
      for review in reviews {
        try review.requireAcceptable()
        let id = review.found.id
        let draft = EnvelopeDraft(
          accepting: review.found.envelope, createdAtText: review.createdAtText, revision: review.revision,
          now: now)
        let sealed = try sealedBytes(review.found.stored, draft: draft, keys: review.keys, in: .record(id))
        try verify(sealed, id).check()
        changes.append(StoreChange(.record(id), from: review.bytes, to: sealed))
      }
      try apply(changes, lock)
    }
  }
}

extension EditedRecord {
  func editReview(comparedWith candidate: RepairPlanner.Candidate?) throws(VaultError) -> EditReview {
    let (checkpoint, known) = (try vault.checkpoint(), try vault.memory?.folder(stored.id.folder))
    let entry = try checkpoint?.entries.entry(of: stored.id)
    let (listed, seen) = (entry?.revision ?? 0, known?.versions[stored.id]?.revision ?? 0)
    try checkTokens()
    var changes: [TreeDifference] = []
    var attachments: [AttachmentChange] = []
    if let candidate {
      guard candidate.revision >= max(listed, seen) else { throw try outdated(candidate, listed: listed, seen: seen) }
      let baseline = try parseDocument(candidate.bytes, file: file, record: stored.id)
      let known = NamedAttachments(in: candidate.bytes).attachments
      attachments = AttachmentChange.changes(from: known, to: stored.envelope.attachments)
      try compareEnvelope(baseline.envelopeMembers, withAttachments: attachments.isEmpty)
      let fields = baseline.recordFields
      try compareTokens(fields)
      changes = JSONValue.object(stored.stored).differences(from: .object(fields))
    } else {
      try checkAttachments()
    }
    return EditReview(
      found: stored, file: file,
      baseline: candidate.map { EditReview.Baseline(revision: $0.revision, origin: $0.origin) }, changes: changes,
      attachments: attachments,
      revision: try nextRevision(after: max(candidate?.revision ?? 0, listed, seen)), bytes: bytes, keys: keys,
      createdAtText: envelope["created_at"]?.string ?? stored.envelope.createdAt.text)
  }

  /// The number in the file is unverified. It counts only if no other is known, and only if the record could still be
  /// changed afterwards.
  private func nextRevision(after known: Int) throws(VaultError) -> Int {
    if known > 0 { return known + 1 }
    guard stored.envelope.revision <= Self.plausibleRevision else {
      throw refused(
        "is higher than any record can have", Self.path(of: "revision"))
    }
    return stored.envelope.revision + 1
  }

  private static let plausibleRevision = 1_000_000_000

  private func compareTokens(_ baseline: JSONObject) throws(VaultError) {
    let old = Dictionary(uniqueKeysWithValues: baseline.tokens)
    let new = Dictionary(uniqueKeysWithValues: stored.stored.tokens)
    for (path, token) in stored.stored.tokens where old[path] != token {
      throw refused(
        "does not have the sealed value of the version that verifies: another one was moved or copied here", path)
    }
    for (path, _) in baseline.tokens where new[path] == nil {
      throw refused("had a sealed value in the version that verifies, which is missing now", path)
    }
  }

  /// A record that was wrapped again has another `key` for the same data key, so the key is not compared; opening the
  /// values checks it.
  ///
  /// - Parameter isWithAttachments: whether the members about attachments are compared; if not, the review shows them.
  private func compareEnvelope(_ baseline: JSONObject, withAttachments isWithAttachments: Bool) throws(VaultError) {
    var free: Set<String> = ["deleted_at", "key", "mac", "revision", "updated_at"]
    if !isWithAttachments { free.formUnion([RecordEnvelope.attachmentsMemberName, Requirements.memberName]) }
    for name in Set(envelope.names + baseline.names).subtracting(free).sorted() where envelope[name] != baseline[name] {
      throw refused(
        "does not match the version that verifies: only readable fields can be accepted", Self.path(of: name))
    }
  }

  /// Checks that each file is sealed for this record and id, and has the size and hash in the record. Only a person can
  /// check the names.
  private func checkAttachments() throws(VaultError) {
    let (keyring, envelope) = (vault.keyring, stored.envelope)
    for attachment in envelope.attachments {
      let key = try inSealing(file: file, record: stored.id) { () throws(SealingError) in
        let wrapped = envelope.wrappedKey
        return try keyring.root(hint: wrapped.rootHint).attachmentKey(of: attachment.id, record: stored.id, wrapped)
      }
      do {
        try AttachmentStream.open(attachment, from: vault.store, key: key) { _ in }
      } catch let error as VaultError {
        throw error
      } catch {
        preconditionFailure("a body that does nothing throws nothing")
      }
    }
  }

  private func outdated(_ candidate: RepairPlanner.Candidate, listed: Int, seen: Int) throws(VaultError) -> VaultError {
    let known = listed >= seen ? "the checkpoint lists \(listed)" : "this machine has seen \(seen)"
    return VaultError(
      .unexpectedVault, "the newest version that verifies is revision \(candidate.revision), but \(known)",
      file: file, record: stored.id,
      remedies: [
        "look for a newer version in version control or a backup before you accept an edit of an older one",
        listed >= seen
          ? .acceptInCheckpoint(isLast: false)
          : .acceptRecords([stored.id], fingerprint: try vault.header.fingerprint()),
      ])
  }
}
