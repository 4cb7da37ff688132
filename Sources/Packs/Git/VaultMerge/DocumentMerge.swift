package import VaultDocument

/// Merges three versions of a document that is taken whole: the header and the checkpoint.
///
/// Each is authenticated as one, and what both sides have written is for somebody with a key to bring together.
package enum DocumentMerge {
  /// Merges the bytes of three files.
  ///
  /// - Parameters:
  ///   - number: the member that rises with each version.
  ///   - said: gives what a file says as a whole; nil for one that is no such document.
  package static func merge(
    base: [UInt8], ours: [UInt8], theirs: [UInt8], risingBy number: String, labels: ConflictLabels = ConflictLabels(),
    reading said: ([UInt8]) -> JSONObject?
  ) -> MergeOutcome {
    func refused(_ reason: MergeConflict.Reason) -> MergeOutcome {
      .conflict([MergeConflict(reason)], text: ConflictText.whole(ours, theirs: theirs, labels: labels))
    }
    guard let one = said(ours), let other = said(theirs) else { return refused(.unreadable) }
    // Of two spellings of one tree the smaller, whoever merges.
    if one == other { return .merged(theirs.lexicographicallyPrecedes(ours) ? theirs : ours) }
    guard let before = said(base), one == before || other == before else { return refused(.bothChanged) }
    let (changed, bytes) = one == before ? (other, theirs) : (one, ours)
    guard let old = before[number]?.int, let new = changed[number]?.int, new >= old else { return refused(.older) }
    return .merged(bytes)
  }
}
