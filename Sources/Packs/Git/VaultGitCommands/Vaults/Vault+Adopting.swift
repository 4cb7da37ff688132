import VaultCare
import VaultDocument
import VaultKit
import VaultSealing
import VaultStorage

// Versions of a record that were written under a root key which was replaced meanwhile, as on a branch from before a
// rotation. With that key they are converted to the present keys.

extension VaultHeader {
  /// The replaced root key that wraps a data key; nil if the root is current, still in use, or not listed.
  func replacedRoot(hint: [UInt8]) -> KeyringEntry? {
    keyring.first { $0.state == .retired && $0.id.bytes.starts(with: hint) }
  }

  /// Whether a root key was replaced and is not in use any more.
  var hasReplacedRoots: Bool { keyring.contains { $0.state == .retired } }

  /// Whether a holder of a root key may have left since, because that root or a later one was replaced by a reseal.
  func hasResealed(since root: KeyringEntry) -> Bool {
    keyring.drop { $0.id != root.id }.contains { $0.reason == .reseal }
  }
}

/// One side of a record under the present keys, and its base.
struct AdoptedVersions {
  /// Nil if there is no base that these keys can verify.
  let base: [UInt8]?
  let adopted: [UInt8]
}

extension Vault {
  /// Converts a version under a replaced root key to the present keys.
  ///
  /// After a rewrap it is the same version, with another wrap. After a reseal its secrets are sealed again, under the
  /// data key of the other side, so that the two can be joined, and with the tokens of that side for equal secrets. No
  /// token has a sealing time after the reseal, because holders of the old keys could read or have made it.
  ///
  /// - Parameters:
  ///   - base: the common base.
  ///   - other: the other side, under the present keys; nil for none.
  ///   - earlier: the vault when the root key was in use.
  func adopting(
    _ bytes: [UInt8], of id: RecordID, base: [UInt8]?, beside other: [UInt8]?, from earlier: Vault
  ) throws(VaultError) -> AdoptedVersions {
    let version = try earlier.authentic(bytes, id)
    let before = base.flatMap { try? earlier.authentic($0, id) }
    let root = header.replacedRoot(hint: version.envelope.wrappedKey.rootHint)
    guard root.map(header.hasResealed) ?? false else {
      return AdoptedVersions(
        base: try before.map { before throws(VaultError) in try rewrapped(before, from: earlier) },
        adopted: try rewrapped(version, from: earlier))
    }
    guard let other else { return AdoptedVersions(base: nil, adopted: try sealedAnew(version)) }
    let others = try authentic(other, id)
    guard [version, before, others].allSatisfy({ $0?.attachments.isEmpty ?? true }) else {
      throw VaultError(
        .inputRefused, "has attachments, which cannot be adopted from before a reseal", record: id,
        remedies: ["take one side of the record, and attach what the other side has again"])
    }
    return try joinable(version, before, with: others)
  }

  private func rewrapped(_ record: OpenRecord, from earlier: Vault) throws(VaultError) -> [UInt8] {
    let wrapped = record.envelope.wrappedKey
    let again = try inSealing(file: record.file, record: record.id) { () throws(SealingError) in
      let root = try earlier.recordRoot(hint: wrapped.rootHint)
      return try keyring.current.rewrapping(wrapped, from: root, record: record.id)
    }
    return try verifiedBytes(of: RecordSeal.rewrapped(record.verified, with: again), in: record.place)
  }

  private func sealedAnew(_ record: OpenRecord) throws(VaultError) -> [UInt8] {
    var draft = EnvelopeDraft(next: record.verified, now: currentTime())
    draft.deletedAt = record.envelope.deletedAt
    let sealed = try inSealing(file: record.file, record: record.id) { () throws(SealingError) in
      try RecordSeal.resealed(
        record.verified, under: keyring.current, as: draft, sealedUntil: header.lastMomentBeforeReseal)
    }
    return try verifiedBytes(of: sealed, in: record.place)
  }

  /// Both versions with the data key of `other`. If that only seals `before` again, it counts as the common base, and
  /// the version follows it.
  private func joinable(
    _ version: OpenRecord, _ before: OpenRecord?, with other: OpenRecord
  ) throws(VaultError) -> AdoptedVersions {
    let old = try before.map { before throws(VaultError) in try content(of: before, like: [other.stored], other) }
    let new = try content(of: version, like: [other.stored, old?.fields ?? JSONObject()], other)
    let (own, others) = (version.envelope, other.envelope)
    var draft = EnvelopeDraft(next: version.verified, now: max(own.updatedAt, others.updatedAt))
    (draft.deletedAt, draft.wrappedKey) = (own.deletedAt, others.wrappedKey)
    if let before, old?.fields == other.stored, (before.envelope.deletedAt == nil) == (others.deletedAt == nil) {
      draft.revision = max(own.revision, others.revision) + 1
      return AdoptedVersions(base: other.bytes, adopted: try made(new, draft, with: other))
    }
    (draft.revision, draft.updatedAt) = (own.revision, own.updatedAt)
    let adopted = try made(new, draft, with: other)
    guard let before, let old else { return AdoptedVersions(base: nil, adopted: adopted) }
    draft = EnvelopeDraft(next: before.verified, now: before.envelope.updatedAt)
    draft.revision = before.envelope.revision
    (draft.deletedAt, draft.wrappedKey) = (before.envelope.deletedAt, others.wrappedKey)
    return AdoptedVersions(base: try made(old, draft, with: other), adopted: adopted)
  }

  private typealias Content = (fields: JSONObject, former: FormerValues)

  /// The members of a version with tokens of `other`, and with the token of a `known` member wherever the secret is the
  /// same; and its former values.
  private func content(
    of version: OpenRecord, like known: [JSONObject], _ other: OpenRecord
  ) throws(VaultError) -> Content {
    try inSealing(file: version.file, record: version.id) { () throws(SealingError) in
      let keys = other.verified.keys
      var fields = try keys.taking(
        version.stored, of: version.verified.keys, sealedUntil: header.lastMomentBeforeReseal)
      for members in known { fields = try keys.keepingTokens(of: members, in: fields) }
      let former = try keys.taking(
        version.envelope.former, of: version.verified.keys, sealedUntil: header.lastMomentBeforeReseal)
      return (fields, former)
    }
  }

  private func made(
    _ content: Content, _ draft: EnvelopeDraft, with other: OpenRecord
  ) throws(VaultError) -> [UInt8] {
    var draft = draft
    (draft.former, draft.predecessor, draft.formerCount) = (content.former, nil, header.formerCount)
    let place: StoreLocation = draft.deletedAt == nil ? .record(draft.id) : .trash(draft.id)
    let sealed = try inSealing(file: place.relativePath, record: draft.id) { [draft] () throws(SealingError) in
      try RecordSeal.seal(content.fields, draft, keys: other.verified.keys)
    }
    return try verifiedBytes(of: sealed, in: place)
  }
}

extension OpenRecord {
  /// The place of a record in this state.
  var place: StoreLocation { envelope.deletedAt == nil ? .record(id) : .trash(id) }
}

extension VaultHeader {
  /// Values sealed until then are due after the newest reseal; nil if there was no reseal.
  fileprivate var lastMomentBeforeReseal: Timestamp? {
    newestReseal.flatMap { try? Timestamp(secondsSinceEpoch: $0.secondsSinceEpoch - 1) }
  }
}
