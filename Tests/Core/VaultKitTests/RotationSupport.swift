import FoundationEssentials
import Testing
import VaultAge
import VaultCare
import VaultDocument
import VaultFileStore
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultSystem
import VaultTestSupport
import VaultTesting

/// A small vault with live and removed records, whose every secret is known, for rotations.
struct RotationVault {
  let folder: TemporaryFolder
  let path: String
  let identity: AgeIdentity
  let other: AgeIdentity
  let live: [RecordID]
  let removed: RecordID

  static func make() async throws -> RotationVault {
    let folder = TemporaryFolder()
    let path = folder.path + "/v"
    let (identity, other) = (try AgeIdentity.generate(), try AgeIdentity.generate())
    let slots = [
      NewSlot(.recipient(try identity.recipient), label: "a"), NewSlot(.recipient(try other.recipient), label: "b"),
    ]
    let store = try DirectoryStore.create(at: path, operations: quiet)
    let vault = try await Vault.create(in: store, slots: slots, options: options)
    var live: [RecordID] = []
    for name in ["one", "two", "gone"] { live.append(try await vault.add(customer(name))) }
    try await vault.remove([live[2]])
    return RotationVault(
      folder: folder, path: path, identity: identity, other: other, live: Array(live[..<2]), removed: live[2])
  }

  /// System calls without a real disk behind their syncs.
  static var quiet: FaultyFileOperations { FaultyFileOperations(recorder: SimulatedDisk()) }

  /// Goes on by a minute at each look, so that no two times are equal; all vaults share it.
  static let clock = TestClock.stopped()

  static var options: Vault.Options {
    var options = Vault.Options(state: nil)
    options.now = {
      clock.advance(by: .seconds(60))
      return clock.now
    }
    return options
  }

  static func customer(_ name: String) -> Customer {
    Customer(
      name: name, accessKey: EncryptedCodableString("key of " + name), atmCode: EncryptedCodableString("code"),
      addedOn: Date(timeIntervalSince1970: 1_597_863_026))
  }

  func store(_ operations: any FileOperations = Self.quiet) throws -> any RecordStore {
    try DirectoryStore(at: path, operations: operations)
  }

  func open(
    _ identity: AgeIdentity? = nil, _ operations: any FileOperations = Self.quiet,
    options: Vault.Options = Self.options
  ) async throws -> Vault {
    try await LockedVault(store: store(operations)).unlock(
      with: .identity(identity ?? self.identity), options: options)
  }

  /// A copy of the vault's folder, to begin anew from.
  func copy(to name: String) throws -> RotationVault {
    let target = folder.path + "/" + name
    FileTree.remove(target)
    FileTree.copy(path, to: target)
    return RotationVault(
      folder: folder, path: target, identity: identity, other: other, live: live, removed: removed)
  }

  /// Expects every record with every value, and a vault that verifies.
  func expectWhole(_ comment: Comment) async throws {
    for identity in [identity, other] {
      let vault = try await open(identity)
      try await expectValues(vault, comment)
      #expect(try await vault.verify().faults.map(\.description) == [], comment)
    }
  }

  /// Expects every record with every value.
  func expectValues(_ vault: Vault, _ comment: Comment) async throws {
    for (id, name) in zip(live, ["one", "two"]) {
      let customer = try await vault.record(id, as: Customer.self).value
      #expect(try customer.accessKey.reveal() == "key of " + name, comment)
    }
    #expect(try await vault.listedTrash().records.map(\.id) == [removed], comment)
  }
}
