package import VaultDocument

/// Merges three versions of a document that is taken as a whole: the header or the checkpoint.
///
/// Each version is authenticated as a whole, so only a person with a key can join changes of both sides.
package enum DocumentMerge {
  /// Merges the bytes of three files.
  ///
  /// - Parameters:
  ///   - number: the member that rises with each version.
  ///   - said: returns the content of a file; nil if it is not such a document.
  package static func merge(
    base: [UInt8], ours: [UInt8], theirs: [UInt8], risingBy number: String, labels: ConflictLabels = ConflictLabels(),
    reading said: ([UInt8]) -> JSONObject?
  ) -> MergeOutcome {
    func refused(_ reason: MergeConflict.Reason) -> MergeOutcome {
      .conflict([MergeConflict(reason)], text: ConflictText.whole(ours, theirs: theirs, labels: labels))
    }
    guard let one = said(ours), let other = said(theirs) else { return refused(.unreadable) }
    // Of two spellings of one tree, take the smaller, so that all mergers agree.
    if one == other { return .merged(theirs.lexicographicallyPrecedes(ours) ? theirs : ours) }
    guard let before = said(base), one == before || other == before else { return refused(.bothChanged) }
    let (changed, bytes) = one == before ? (other, theirs) : (one, ours)
    guard let old = before[number]?.int, let new = changed[number]?.int, new >= old else { return refused(.older) }
    return .merged(bytes)
  }
}
