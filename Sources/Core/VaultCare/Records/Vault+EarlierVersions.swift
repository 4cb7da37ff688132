package import VaultDocument
package import VaultKit
package import VaultSealing
internal import VaultStorage
package import VaultTrust

/// What bringing an earlier version of a record back would change.
package struct VersionChange: Sendable {
  /// The record as it is; nil where it is not among the live ones.
  package let now: OpenRecord?
  /// The members that it would have, sealed fields as tokens: the same ones where the secrets are the same.
  package let fields: JSONObject
  /// What was attached to that version and is not now: into a live record it does not come back.
  package fileprivate(set) var lostAttachments: [Attachment] = []

  /// Whether the record says that already.
  package var isNothing: Bool { now.map { $0.fields == fields } ?? false }
}

extension Vault {
  /// The root key whose id begins with `hint` (8 bytes), current or still in use.
  package func recordRoot(hint: [UInt8]) throws(SealingError) -> RootKey { try keyring.root(hint: hint) }

  /// What ``bringBack(_:only:expecting:)`` would change.
  package func change(
    byBringingBack version: RecordToBringBack, only paths: [MemberPath] = []
  ) throws(VaultError) -> VersionChange {
    guard version.record.verified.keys.vaultID == header.vaultID else {
      throw VaultError(.unexpectedVault, "is a record of another vault", record: version.id)
    }
    guard let live = try liveRecord(version.id) else {
      guard paths.isEmpty else {
        throw VaultError(
          .noSuchRecord, "is not among the live records: only the whole version can be brought back", record: version.id
        )
      }
      return VersionChange(now: nil, fields: version.record.fields)
    }
    let fields = try FieldEditor(live, now: currentTime()).taking(paths, of: version.record)
    let lost = paths.isEmpty ? version.record.attachments.filter { !live.attachments.contains($0) } : []
    return VersionChange(now: live, fields: fields, lostAttachments: lost)
  }

  /// Makes an earlier version of a record, or some fields of it, the next revision of what is here.
  ///
  /// A secret that is the same keeps its token; others are sealed anew where the data key is another.
  ///
  /// - Parameters:
  ///   - paths: the fields; none for all. What the version does not have is taken away.
  ///   - expected: what it would change, as somebody was told; nil for whatever it does.
  /// - Returns: whether anything changed.
  package func bringBack(
    _ version: RecordToBringBack, only paths: [MemberPath] = [], expecting expected: VersionChange? = nil
  ) async throws(VaultError) -> Bool {
    try await writing { lock throws(VaultError) in
      let change = try change(byBringingBack: version, only: paths)
      if let expected, expected.now?.bytes != change.now?.bytes {
        throw VaultError(
          .changedUnderneath, "was changed by someone else meanwhile", record: version.id,
          remedies: ["look at the record again and repeat the change"])
      }
      if let live = change.now { return try replace(live, with: change.fields, lock) }
      let old = version.record
      try addingAttachments(lock) { () throws(VaultError) in
        try apply(bringingBack(old, now: currentTime(), lock: lock), lock)
        try removeSealedAnew([old], lock)
      }
      return true
    }
  }

  /// The live record, verified; nil where there is none, or the trash has a newer revision.
  private func liveRecord(_ id: RecordID) throws(VaultError) -> OpenRecord? {
    do throws(VaultError) {
      return try verifiedRecord(id)
    } catch {
      guard error.code == .noSuchRecord else { throw error }
      return nil
    }
  }
}
