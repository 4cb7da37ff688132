internal import Synchronization
internal import VaultDocument
internal import VaultStorage
internal import VaultSystem

/// A committed journal, read by a process that cannot finish it: the places of the new bytes until they are moved.
struct Overlay: Sendable {
  enum Entry: Sendable, Equatable {
    case staged(String)
    case removed
  }

  private let entries: [StoreLocation: Entry]

  init(_ entries: [StoreLocation: Entry]) { self.entries = entries }

  func entry(at location: StoreLocation) -> Entry? { entries[location] }

  /// The folders of live records that the journal changes.
  var recordFolders: [UInt8] { entries.keys.compactMap(\.directory.number) }

  /// The ids of a directory that the journal changes, each with whether it exists afterwards.
  func changes(in directory: StoreDirectory) -> [(id: Identifier, isPresent: Bool)] {
    entries.compactMap { location, entry in
      guard location.directory == directory else { return nil }
      switch location {
      case .record(let id), .trash(let id): return (id, entry != .removed)
      case .header, .checkpoint, .slot, .attachment, .inbox: return nil
      }
    }
  }
}

/// The last journal that was parsed, because a bulk read needs it once per record.
///
/// Its file stays open, so that the system cannot give its inode to a later journal. By time and size alone, the two
/// could be confused if both were written within one tick of the file system's clock.
final class OverlayCache: Sendable {
  private struct Cached: ~Copyable {
    let file: OpenFile
    let status: FileStatus
    let overlay: Overlay
  }

  private let cached = Mutex<Cached?>(nil)

  /// The overlay of the journal with this status; nil if the journal is another one.
  func overlay(for status: FileStatus) -> Overlay? {
    cached.withLock { cached in
      switch cached {
      case .some(let cached)
      where cached.status.isSameFile(as: status) && cached.status.modified == status.modified
        && cached.status.byteCount == status.byteCount:
        return cached.overlay
      default: return nil
      }
    }
  }

  /// Keeps the overlay of a journal, and the journal open.
  func store(_ overlay: Overlay, of file: consuming OpenFile, _ status: FileStatus) {
    var new: Cached? = Cached(file: file, status: status, overlay: overlay)
    cached.withLock { swap(&$0, &new) }
  }

  /// Forgets the overlay when there is no journal any more.
  func clear() { cached.withLock { $0 = nil } }
}
