/// How a state relates to one that is known, be it of a record, a header or a checkpoint: the one rule of rollback
/// (format 1, sections 8, Checkpoint, and 9.1, Pin and seen).
///
/// Each such state has a number, which rises with every change, and something that tells its content.
package enum Succession: Equatable {
  /// Nothing was known, or something of a lower number.
  case newer
  case same
  /// The number is lower than the known one.
  case older(than: Int)
  /// The number is the known one, and the content is not.
  case forked

  init<Content: Equatable>(of found: (number: Int, content: Content), after known: (number: Int, content: Content)) {
    if found.number != known.number {
      self = found.number > known.number ? .newer : .older(than: known.number)
    } else {
      self = found.content == known.content ? .same : .forked
    }
  }
}

/// What this machine knows of a state that is not the newest one it has seen.
package enum Provenance: Sendable, Equatable {
  /// It has verified this very state, and later ones since.
  case verified
  /// It has never seen it, although it remembers earlier ones: it comes from a branch of its own, or is forged.
  case neverSeen
  /// It is older than all that is remembered.
  case beyondMemory

  /// - Parameter known: what is remembered.
  init<Content: Equatable>(of found: (number: Int, content: Content), among known: [(number: Int, content: Content)]) {
    if known.contains(where: { $0 == found }) {
      self = .verified
    } else {
      self = known.allSatisfy { $0.number > found.number } ? .beyondMemory : .neverSeen
    }
  }

  /// What has happened to a state that is older than another.
  ///
  /// - Parameter number: `revision` or `sequence`.
  func rollbackText(to number: String, from newest: Int) -> String {
    let seen = "the newest that it has seen is \(newest)"
    return switch self {
    case .verified: "went back to \(number), which this machine has verified before; \(seen)"
    case .neverSeen: "is at \(number), in a version that this machine has never seen; \(seen)"
    case .beyondMemory: "is at \(number), from before what this machine remembers; \(seen)"
    }
  }
}

extension RecordVersion {
  /// How this version relates to one that is known of the same record.
  package func succession(after known: RecordVersion) -> Succession {
    Succession(of: (revision, recordMAC), after: (known.revision, known.recordMAC))
  }
}

extension Succession {
  /// What is wrong with a version of a record that relates so to the newest one that was seen; nil for nothing.
  package func fault(of version: RecordVersion, _ provenance: @autoclosure () -> Provenance) -> (
    code: VaultError.Code, reason: String
  )? {
    switch self {
    case .newer, .same: nil
    case .older(let newest):
      (.rolledBack, provenance().rollbackText(to: "revision \(version.revision)", from: newest))
    case .forked: (.forked, "is another version of revision \(version.revision) than this machine has seen")
    }
  }
}
