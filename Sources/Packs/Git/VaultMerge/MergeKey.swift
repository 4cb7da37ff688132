package import VaultDocument
package import VaultSealing

/// The verdict of a key on a version.
package enum MergeVerdict: Sendable {
  /// Its MAC verifies under the keys of its record.
  case authentic
  /// Its MAC does not verify.
  case refused
  /// It was wrapped under a root key that is unknown, dropped, or not available now.
  case unknownRoot
}

/// The root keys of a vault, as a merge of its records uses them.
package struct RecordMergeKey {
  private let root: ([UInt8]) throws(SealingError) -> RootKey
  private let seen: (revision: Int, mac: [UInt8])?
  private let isReplayed: Bool
  private let formerCount: Int
  private let write: (SealedRecord) -> [UInt8]?

  /// - Parameters:
  ///   - root: gives the root key whose id begins with the 8 bytes.
  ///   - seen: the newest version of the record that this machine has seen.
  ///   - isReplayed: whether that version is on the branch whose changes are being replayed, one by one. It then does
  ///     not object, and each result gets a higher revision.
  ///   - formerCount: how many former values of one field stay.
  ///   - write: the stored bytes of a record, checked like any other; nil if they are refused.
  package init(
    root: @escaping ([UInt8]) throws(SealingError) -> RootKey, seen: (revision: Int, mac: [UInt8])? = nil,
    isReplayed: Bool = false, formerCount: Int = FormerValues.defaultCount,
    write: @escaping (SealedRecord) -> [UInt8]? = { try? $0.document.prettyBytes() }
  ) {
    (self.root, self.seen, self.isReplayed, self.formerCount, self.write) = (
      root, seen, isReplayed, formerCount, write
    )
  }

  private func verified(_ file: RecordFile) throws(SealingError) -> VerifiedRecord {
    try RecordSeal.verify(file.document, as: file.envelope.id, root: root)
  }

  /// Whether a version was written with the vault's keys.
  package func verdict(on file: RecordFile) -> MergeVerdict {
    do throws(SealingError) {
      _ = try verified(file)
      return .authentic
    } catch {
      // A holder elsewhere that does not use its key has said nothing about the version.
      return [.unknownRoot, .rootKeyElsewhere].contains(error.code) ? .unknownRoot : .refused
    }
  }

  /// Whether two tokens of a record hold the same text; nil if one does not open.
  func holdsSame(_ one: String, _ other: String, in file: RecordFile) -> Bool? {
    guard let keys = try? verified(file).keys else { return nil }
    return try? keys.holdSame(one, other)
  }

  /// The former values after one side was taken whole: those of both sides, and the sealed values of the other side.
  func former(of side: RecordFile, beside other: RecordFile) -> FormerValues {
    guard let other = try? verified(other), let former = try? verified(side).former(replacing: other) else {
      return side.envelope.former
    }
    return former
  }

  /// Whether this machine has seen a later version than all of these, or another version with the latest revision. The
  /// result of their merge does not count.
  func hasSeenOther(than versions: [RecordEnvelope], besides result: RecordEnvelope) -> Bool {
    guard !isReplayed, let seen, seen != (result.revision, result.mac), let latest = versions.map(\.revision).max()
    else {
      return false
    }
    if seen.revision != latest { return seen.revision > latest }
    return !versions.contains { $0.revision == latest && $0.mac == seen.mac }
  }

  /// The bytes of a record that was merged, authenticated and read back; nil if they cannot be made.
  package func authenticated(_ fields: JSONObject, _ draft: EnvelopeDraft) -> [UInt8]? {
    var draft = draft
    draft.formerCount = formerCount
    if isReplayed, let seen, draft.revision <= seen.revision, seen.revision < Int.max {
      draft.revision = seen.revision + 1
    }
    guard let root = try? root(draft.wrappedKey.rootHint),
      let keys = try? root.recordKeys(from: draft.wrappedKey, record: draft.id),
      let record = try? RecordSeal.seal(fields, draft, keys: keys)
    else { return nil }
    return write(record)
  }
}
