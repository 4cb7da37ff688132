/// How a state of a record, a header or a checkpoint relates to the known one. This is the one rule of rollback (format
/// 1, sections 8, Checkpoint, and 9.1, Pin and seen).
///
/// Each such state has a number, which rises with every change, and a value that identifies its content.
package enum Succession: Equatable {
  /// No state was known, or one with a lower number.
  case newer
  case same
  /// The number is lower than the known one.
  case older(than: Int)
  /// The number is the known one, but the content differs.
  case forked

  init<Content: Equatable>(of found: (number: Int, content: Content), after known: (number: Int, content: Content)) {
    if found.number != known.number {
      self = found.number > known.number ? .newer : .older(than: known.number)
    } else {
      self = found.content == known.content ? .same : .forked
    }
  }
}

/// The knowledge of this machine about an outdated state.
package enum Provenance: Sendable, Equatable {
  /// This machine has verified exactly this state, and later ones since.
  case verified
  /// It was never seen, although earlier ones are remembered: it comes from another branch or is forged.
  case neverSeen
  /// It is older than all remembered states.
  case beyondMemory

  /// - Parameter known: the remembered states.
  init<Content: Equatable>(of found: (number: Int, content: Content), among known: [(number: Int, content: Content)]) {
    if known.contains(where: { $0 == found }) {
      self = .verified
    } else {
      self = known.allSatisfy { $0.number > found.number } ? .beyondMemory : .neverSeen
    }
  }

  /// The explanation of a state that is older than another.
  ///
  /// - Parameter number: `revision` or `sequence`.
  func rollbackText(to number: String, from newest: Int) -> String {
    let seen = "the newest that it has seen is \(newest)"
    return switch self {
    case .verified: "has gone back to \(number), which this machine has verified before; \(seen)"
    case .neverSeen: "is at \(number), in a version that this machine has never seen; \(seen)"
    case .beyondMemory: "is at \(number), which is older than anything that this machine remembers; \(seen)"
    }
  }
}

extension RecordVersion {
  package func succession(after known: RecordVersion) -> Succession {
    Succession(of: (revision, recordMAC), after: (known.revision, known.recordMAC))
  }
}

extension Succession {
  /// The fault of a version with this relation to the newest one seen; nil if it is good.
  package func fault(of version: RecordVersion, _ provenance: @autoclosure () -> Provenance) -> (
    code: VaultError.Code, reason: String
  )? {
    switch self {
    case .newer, .same: nil
    case .older(let newest):
      (.rolledBack, provenance().rollbackText(to: "revision \(version.revision)", from: newest))
    case .forked: (.forked, "is not the version of revision \(version.revision) that this machine has seen")
    }
  }
}
