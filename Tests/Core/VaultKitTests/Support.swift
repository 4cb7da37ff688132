import VaultAge
import VaultDocument
import VaultKit
import VaultSealing
import VaultStorage
import VaultTestSupport
import VaultTesting

extension TestClock {
  /// A clock that stands still at the start of the test; other code uses the system's clock.
  static func stopped() -> TestClock { TestClock(at: .now()) }

  /// A vault in memory that lives by this clock.
  func vault() async throws -> (vault: Vault, store: MemoryStore) {
    let test = try await TestVault(clock: self)
    return (test.vault, test.store)
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
    vault = try await Vault.create(
      at: folder.path + "/v", slots: [NewSlot(.recipient(identity.recipient))], options: Vault.Options(state: nil))
  }

  func file(_ place: StoreLocation) -> String { path + "/" + place.relativePath }

  func bytes(_ place: StoreLocation) -> [UInt8]? { FileTree.contents(of: file(place)) }

  func write(_ bytes: [UInt8], at place: StoreLocation) { FileTree.write(bytes, to: file(place)) }

  func keptAside(_ name: String) -> [UInt8]? { FileTree.contents(of: aside + "/" + name) }
}

extension MemoryStore {
  /// Changes the tree of a document without making its MAC again, as an attacker without the key can.
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
