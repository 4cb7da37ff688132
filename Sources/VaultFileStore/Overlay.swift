internal import Synchronization
internal import VaultDocument
internal import VaultStorage

/// A committed journal as a reader sees it who may not finish it: where the new bytes are until they are in place.
struct Overlay: Sendable {
  enum Entry: Sendable, Equatable {
    case staged(String)
    case removed
  }

  private let entries: [StoreLocation: Entry]

  init(_ entries: [StoreLocation: Entry]) { self.entries = entries }

  func entry(at location: StoreLocation) -> Entry? { entries[location] }

  /// The ids of a directory that the journal changes, each with whether it is there afterwards.
  func changes(in directory: StoreDirectory) -> [(id: Identifier, isPresent: Bool)] {
    entries.compactMap { location, entry in
      guard location.directory == directory else { return nil }
      switch location {
      case .record(let id), .trash(let id): return (id, entry != .removed)
      case .header, .checkpoint, .slot: return nil
      }
    }
  }
}

/// The last journal that was parsed, since a bulk read asks for it once per folder.
final class OverlayCache: Sendable {
  private let cached = Mutex<(status: FileStatus, overlay: Overlay)?>(nil)

  func overlay(for status: FileStatus) -> Overlay? {
    cached.withLock { cached in
      guard let cached, cached.status.isSameFile(as: status), cached.status.modified == status.modified,
        cached.status.byteCount == status.byteCount
      else { return nil }
      return cached.overlay
    }
  }

  func store(_ overlay: Overlay, for status: FileStatus) {
    cached.withLock { $0 = (status, overlay) }
  }
}
