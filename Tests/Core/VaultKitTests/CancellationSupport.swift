import Testing
import VaultAge
import VaultCare
import VaultDocument
import VaultFileStore
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport

/// A small vault whose every secret is known, of which there are copies in stores of several kinds.
struct CancellationBench: Sendable {
  enum Place: String, CaseIterable, Sendable {
    case memory, memoryWithoutReplacements, folder
    /// A stray entry among the records, so that there are no replacements.
    case folderWithStray
  }

  /// Made once.
  private static let shared = Task { try await CancellationBench() }

  static func make() async throws -> CancellationBench { try await shared.value }

  let identity: AgeIdentity
  let live: [RecordID]
  let removed: [RecordID]
  private let documents: [(StoreLocation, [UInt8])]

  static func name(_ number: Int) -> String { "number \(number)" }

  private init() async throws {
    identity = try AgeIdentity.generate()
    let store = MemoryStore()
    let slots = try [NewSlot(.recipient(identity.recipient)), NewSlot(.recipient(AgeIdentity.generate().recipient))]
    let vault = try await Vault.create(in: store, slots: slots, options: RotationVault.options)
    var ids: [RecordID] = []
    for number in 0..<8 { ids.append(try await vault.add(RotationVault.customer(Self.name(number)))) }
    (live, removed) = (Array(ids[..<6]), Array(ids[6...]))
    try await vault.remove(removed)
    let places =
      live.map(StoreLocation.record) + removed.map(StoreLocation.trash)
      + vault.header.slots.map { .slot($0.id) }
    documents = try (places + [.header]).map { ($0, try #require(try store.read($0))) }
  }

  /// A new copy. Each of its operations is a step of `cancellation`.
  ///
  /// - Parameter folder: where it is, if it is in a folder.
  func copy(
    to place: Place, in folder: TemporaryFolder, _ cancellation: Cancellation
  ) throws -> @Sendable () throws -> any RecordStore {
    switch place {
    case .memory, .memoryWithoutReplacements:
      let store = MemoryStore()
      for (location, bytes) in documents { try store.put(bytes, at: location) }
      let hasReplacements = place == .memory
      return { WatchedStore(store, hasReplacements: hasReplacements) { cancellation.step() } }
    case .folder, .folderWithStray:
      let path = folder.path + "/v"
      FileTree.remove(path)
      for (location, bytes) in documents { FileTree.writeWithFolder(bytes, to: path + "/" + location.relativePath) }
      if place == .folderWithStray { FileTree.write([], to: path + "/records/notes.txt") }
      return {
        try DirectoryStore(
          at: path, operations: FaultyFileOperations(.watched { cancellation.step() }, recorder: SimulatedDisk()))
      }
    }
  }

  func open(_ store: any RecordStore) async throws -> Vault {
    try await LockedVault(store: store).unlock(with: .identity(identity), options: RotationVault.options)
  }

  /// Expects that the vault verifies, which opens every sealed field, and that `kept` still say what they said.
  ///
  /// - Parameter removed: how many there have to be in the trash; nil for any number.
  func expectWhole(
    _ vault: Vault, _ kept: some Sequence<Int>, removed: Int? = nil, _ comment: Comment
  ) async throws {
    let found = try await vault.verify()
    #expect(found.faults.filter { $0.code != .strayEntry }.map(\.description) == [], comment)
    #expect(removed.map { $0 == found.trashedCount } ?? true, comment)
    for number in kept {
      let customer = try await vault.record(live[number], as: Customer.self).value
      #expect(try customer.accessKey.reveal() == "key of " + Self.name(number), comment)
    }
  }

  /// Expects that the next rotation leaves the vault whole under one root.
  func expectRotatable(_ vault: Vault, _ kept: some Sequence<Int>, _ comment: Comment) async throws {
    var renewal = SlotRenewal()
    if vault.header.unfinishedRotation == nil {
      renewal.dropped = Set(vault.header.slots.filter { $0.kind == .scrypt }.map(\.id))
    }
    _ = try await vault.rotate(.rewrap, slots: renewal)
    #expect(!vault.header.keyring.isEmpty, comment)
    #expect(vault.header.keyring.allSatisfy { $0.state == .retired }, comment)
    try await expectWhole(vault, kept, comment)
  }
}

extension Result where Failure == any Error {
  /// Whether it is the error of a cancelled task.
  var isCancelled: Bool { isCancelled { _ in true } }

  /// Whether it is one of which this is true.
  func isCancelled(where condition: (VaultError) -> Bool) -> Bool {
    if case .failure(let error as VaultError) = self { error.code == .cancelled && condition(error) } else { false }
  }
}
