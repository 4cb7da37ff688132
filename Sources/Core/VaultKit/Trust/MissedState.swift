internal import VaultDocument
internal import VaultStorage
internal import VaultTrust

/// The newest state of a file that a machine has seen and that the vault's folder does not have.
///
/// It may not be lost: `git switch` and `git stash` put another state there, and keep this one.
package struct MissedState {
  /// The possible places of the file, below the vault's folder.
  package let files: [String]
  package let isMissed: ([UInt8]) -> Bool
  /// Whether these bytes are a later state than that of the folder.
  package let isLater: ([UInt8]) -> Bool

  /// - Parameter found: the present version; nil if there is no version.
  package init(_ seen: SeenVersion, found: RecordVersion?) {
    let id = seen.id
    files = StoreLocation.places(of: id).map(\.relativePath)
    isMissed = { SeenVersion(parsing: $0, of: id)?.version == seen.version }
    isLater = { bytes in
      guard let found, let version = SeenVersion(parsing: bytes, of: id)?.version else { return true }
      return !found.succession(after: version).isForward
    }
  }

  package init(_ seen: Pin.Header, found: VaultHeader) {
    files = [VaultHeader.fileName]
    isMissed = { (try? VaultHeader(parsing: $0).hash()) == seen.hash }
    isLater = { bytes in
      guard let header = try? VaultHeader(parsing: bytes), let hash = try? header.hash() else { return true }
      let difference = try? Pin.Header(revision: header.revision, hash: hash).difference(from: found)
      return difference != nil
    }
  }

  init(_ seen: Pin.CheckpointMark, found: Pin.CheckpointMark?) {
    files = [Checkpoint.fileName]
    let mark = { (bytes: [UInt8]) in try? Pin.CheckpointMark(Checkpoint(parsing: bytes)) }
    isMissed = { mark($0) == seen }
    isLater = { bytes in mark(bytes).map { $0.difference(from: found) != nil } ?? true }
  }
}

/// Names the place that keeps a state beside the vault's folder, as in `the branch other`; nil if there is no such
/// place.
package typealias OtherStates = @Sendable (MissedState) -> String?

extension Succession {
  /// Whether the found state is the known one or a later one.
  fileprivate var isForward: Bool { self == .newer || self == .same }
}
