package import VaultDocument
package import VaultKit
package import VaultSealing
internal import VaultStorage
package import VaultTrust

/// The effect of restoring an earlier version of a record.
package struct VersionChange: Sendable {
  /// The present record; nil if it is not among the live ones.
  package let now: OpenRecord?
  /// The new members, sealed fields as tokens: the same ones if the secrets are the same.
  package let fields: JSONObject
  /// Attachments of that version that are gone now; they are not restored into a live record.
  package fileprivate(set) var lostAttachments: [Attachment] = []

  package var isNothing: Bool { now.map { $0.fields == fields } ?? false }
}

extension Vault {
  /// The root key whose id begins with `hint` (8 bytes), current or still in use.
  package func recordRoot(hint: [UInt8]) throws(SealingError) -> RootKey { try keyring.root(hint: hint) }

  /// The changes that ``bringBack(_:only:expecting:)`` would make.
  package func change(
    byRestoring version: RestorableRecord, only paths: [MemberPath] = []
  ) throws(VaultError) -> VersionChange {
    guard version.record.verified.keys.vaultID == header.vaultID else {
      throw VaultError(.unexpectedVault, "is a record of another vault", record: version.id)
    }
    guard let live = try liveRecord(version.id) else {
      guard paths.isEmpty else {
        throw VaultError(
          .noSuchRecord, "is not among the live records: only the whole version can be restored", record: version.id
        )
      }
      return VersionChange(now: nil, fields: version.record.fields)
    }
    let fields = try FieldEditor(live, now: currentTime()).taking(paths, of: version.record)
    let lost = paths.isEmpty ? version.record.attachments.filter { !live.attachments.contains($0) } : []
    return VersionChange(now: live, fields: fields, lostAttachments: lost)
  }

  /// Makes an earlier version of a record, or some fields of it, the next revision of the present one.
  ///
  /// A secret that is the same keeps its token; others are sealed again if the data key differs.
  ///
  /// - Parameters:
  ///   - paths: the fields; empty for all. Fields that the version lacks are removed.
  ///   - expected: the effect that a person has confirmed; nil for any.
  /// - Returns: whether anything changed.
  package func bringBack(
    _ version: RestorableRecord, only paths: [MemberPath] = [], expecting expected: VersionChange? = nil
  ) async throws(VaultError) -> Bool {
    try await writing { lock throws(VaultError) in
      let change = try change(byRestoring: version, only: paths)
      if let expected, expected.now?.bytes != change.now?.bytes {
        throw VaultError(
          .changedUnderneath, "was changed by someone else in the meantime", record: version.id,
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

  /// The verified live record; nil if it does not exist, or the trash has a newer revision.
  private func liveRecord(_ id: RecordID) throws(VaultError) -> OpenRecord? {
    do throws(VaultError) {
      return try verifiedRecord(id)
    } catch {
      guard error.code == .noSuchRecord else { throw error }
      return nil
    }
  }
}
