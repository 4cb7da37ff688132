import Synchronization
import VaultAge
import VaultDocument
@testable import VaultKit
import VaultSealing
import VaultStorage
import VaultTestSupport

/// A clock that stands still until it is moved.
final class TestClock: Sendable {
  private let time = Mutex(Timestamp.now())

  var now: Timestamp { time.withLock { $0 } }

  func advance(_ seconds: Int64) {
    time.withLock { time in
      // A valid time some minutes later is valid.
      time =
        (try? Timestamp(secondsSinceEpoch: time.secondsSinceEpoch + seconds, nanoseconds: time.nanoseconds)) ?? time
    }
  }

  /// A vault in memory that lives by this clock.
  func vault() async throws -> (vault: Vault, store: MemoryStore) {
    let store = MemoryStore()
    var options = Vault.Options()
    options.now = { self.now }
    let identity = try AgeIdentity.generate()
    return (
      try await Vault.create(in: store, slots: [NewSlot(.recipient(identity.recipient))], options: options), store
    )
  }
}

/// A vault in a folder, to be damaged by hand.
struct FolderVault {
  private let folder = TemporaryFolder()
  let vault: Vault
  let identity: AgeIdentity
  var path: String { folder.path + "/v" }
  /// A folder for repairs; not made yet.
  var aside: String { folder.path + "/aside" }

  init() async throws {
    identity = try AgeIdentity.generate()
    vault = try await Vault.create(at: folder.path + "/v", slots: [NewSlot(.recipient(identity.recipient))])
  }

  func file(_ place: StoreLocation) -> String { path + "/" + place.relativePath }

  func bytes(_ place: StoreLocation) -> [UInt8]? { FileTree.contents(of: file(place)) }

  func write(_ bytes: [UInt8], at place: StoreLocation) { FileTree.write(bytes, to: file(place)) }

  func keptAside(_ name: String) -> [UInt8]? { FileTree.contents(of: aside + "/" + name) }
}

extension MemoryStore {
  /// Changes the tree of a document without making its MAC again: what somebody without the key can do.
  func edit(_ place: StoreLocation, _ edit: (inout JSONObject) -> Void) throws {
    guard let bytes = try read(place), case .object(var members) = try JSONParser.parse(bytes) else { return }
    edit(&members)
    try put(JSONValue.object(members).prettyBytes(), at: place)
  }
}

extension [UInt8] {
  /// The bytes with one of `text` changed, so that a JSON text stays one.
  func flipping(_ text: String) -> [UInt8] {
    var bytes = self
    let needle = Array(text.utf8)
    for start in 0...(count - needle.count) where self[start..<start + needle.count].elementsEqual(needle) {
      bytes[start] = bytes[start] == UInt8(ascii: "x") ? UInt8(ascii: "y") : UInt8(ascii: "x")
      return bytes
    }
    preconditionFailure("a test flips what is not there")
  }
}

extension Checkpoint {
  /// The bytes of `checkpoint.jsonl`.
  func fileBytes() throws -> [UInt8] {
    var bytes: [UInt8] = []
    try write { bytes += $0 }
    return bytes
  }
}
