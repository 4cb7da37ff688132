package import VaultDocument
internal import VaultSealing

extension RecordFile {
  /// The sealed members that differ from those of another version, and the side that sealed each later. A side that has
  /// the other's token as a former value has replaced it, whatever the clocks said.
  ///
  /// - Parameter other: the other side; this version is ours.
  package func laterSeals(beside other: RecordFile) -> [MemberPath: MergeSide] {
    var sides: [MemberPath: MergeSide] = [:]
    for difference in JSONValue.object(other.fields).differences(from: .object(fields)) {
      guard let own = difference.before?.token, let others = difference.after?.token else { continue }
      let (isOurs, isTheirs) = (hasReplaced(others), other.hasReplaced(own))
      let isLater = isOurs == isTheirs ? RecordMerge.isPreferred(own, to: others) : isOurs
      sides[difference.path] = isLater ? .ours : .theirs
    }
    return sides
  }

  private func hasReplaced(_ token: String) -> Bool { envelope.former.all.contains { sameBytes($0.token, token) } }

  /// The later of two versions by time, then by MAC, so that the sides can be exchanged.
  package func laterSide(beside other: RecordFile) -> MergeSide {
    let (own, others) = (envelope, other.envelope)
    if own.updatedAt != others.updatedAt { return own.updatedAt > others.updatedAt ? .ours : .theirs }
    return others.mac.lexicographicallyPrecedes(own.mac) ? .ours : .theirs
  }
}
