internal import VaultDocument
internal import VaultSealing

/// Why a version of a record cannot follow another, as far as can be told without a key.
package enum VersionFault: Sendable, Equatable {
  /// It has the MAC of the other but different content: it was changed without a key.
  case unauthenticated
  /// Its revision is not above that of the other: it is an older version, or a merge has lost the other.
  case notLater(revision: Int, than: Int)
  /// Its id, kind or creation differs.
  case otherRecord
}

extension RecordFile {
  /// The fault of this version as the successor of another; nil if it is good.
  package func fault(after other: RecordFile) -> VersionFault? {
    if contradicts(other) { return .unauthenticated }
    let (own, others) = (envelope, other.envelope)
    guard own.id == others.id, sameBytes(own.kind, others.kind), sameBytes(createdAtText, other.createdAtText) else {
      return .otherRecord
    }
    if own.revision > others.revision || equals(exceptKey: other) { return nil }
    return .notLater(revision: own.revision, than: others.revision)
  }
}
