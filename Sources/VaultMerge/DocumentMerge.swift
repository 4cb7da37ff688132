internal import VaultDocument

/// Merges three versions of a document that is taken whole: the header and the checkpoint.
///
/// Each is authenticated as one, and what both sides have written is for somebody with a key to bring together.
public enum DocumentMerge {
  /// Merges the bytes of three files.
  ///
  /// - Parameter number: the member that rises with each version.
  public static func merge(
    base: [UInt8], ours: [UInt8], theirs: [UInt8], risingBy number: String, labels: ConflictLabels = ConflictLabels()
  ) -> MergeOutcome {
    func refused(_ reason: MergeConflict.Reason) -> MergeOutcome {
      .conflict([MergeConflict(reason)], text: ConflictText.whole(ours, theirs, labels))
    }
    guard let one = tree(ours), let other = tree(theirs) else { return refused(.unreadable) }
    // Of two spellings of one tree the smaller, whoever merges.
    if one == other { return .merged(theirs.lexicographicallyPrecedes(ours) ? theirs : ours) }
    guard let before = tree(base), one == before || other == before else { return refused(.bothChanged) }
    let (changed, bytes) = one == before ? (other, theirs) : (one, ours)
    guard let old = before[number]?.int, let new = changed[number]?.int, new >= old else { return refused(.older) }
    return .merged(bytes)
  }

  private static func tree(_ bytes: [UInt8]) -> JSONValue? {
    guard let tree = try? JSONParser.parse(bytes, limits: .list), tree.object != nil else { return nil }
    return tree
  }
}
