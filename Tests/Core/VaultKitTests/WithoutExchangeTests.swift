import Synchronization
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

/// The names that something was given in the place of something else.
private final class RenameLog: DiskRecorder {
  private let names = Mutex<[String]>([])

  var journals: Int { names.withLock { names in names.count { $0 == ".journal.json" } } }

  func willRename(_ name: String, in source: Int32, to newName: String, in target: Int32) {
    names.withLock { $0.append(newName) }
  }
  func willChange(_ names: [String], in directory: Int32) {}
  func willExchange(_ name: String, in source: Int32, with other: String, in target: Int32) {}
  func didWrite(to file: Int32) {}
  func didSync(_ file: Int32) -> Bool { false }
  func didSyncAll() -> Bool { false }
}

/// A vault on a file system that cannot exchange two names in one step.
@Suite("Where folders cannot be exchanged")
struct WithoutExchangeTests {
  private let folder = TemporaryFolder()
  private let identity: AgeIdentity
  private var path: String { folder.path + "/v" }

  init() async throws {
    identity = try AgeIdentity.generate()
    let quiet = FaultyFileOperations(recorder: RenameLog())
    let store = try DirectoryStore.create(at: folder.path + "/v", operations: quiet)
    _ = try await Vault.create(
      in: store, slots: [NewSlot(.recipient(identity.recipient))], options: Vault.Options(state: nil))
  }

  private func open(_ operations: any FileOperations) async throws -> Vault {
    var options = Vault.Options(state: nil)
    let clock = TestClock.stopped()
    options.now = {
      clock.advance(by: .seconds(60))
      return clock.now
    }
    return try await LockedVault(store: DirectoryStore(at: path, operations: operations)).unlock(
      with: .identity(identity), options: options)
  }

  /// So many at once that they would be a replacement.
  private func addMany(_ vault: Vault) async throws -> [RecordID] {
    let inputs = try (0..<40).map { number in
      try JSONObject([("title", .string("login \(number)")), ("password", .string("secret \(number)"))])
    }
    return try await vault.add(inputs, kind: RecordKind(of: Login.self))
  }

  private func expectWhole(_ ids: [RecordID], _ comment: Comment) async throws {
    let vault = try await open(LiveFileOperations())
    #expect(try await vault.verify().faults.map(\.description) == [], comment)
    for (number, id) in ids.enumerated() {
      #expect(try await vault.record(id, as: Login.self).value.password?.reveal() == "secret \(number)", comment)
    }
    #expect(try await vault.listed().records.count == ids.count, comment)
    #expect(FileTree.names(in: path + "/.staging").isEmpty, comment)
    #expect(!FileTree.names(in: path).contains(".journal.json"), comment)
  }

  @Test(
    "an import of many, a rewrap and a reseal go through the journal, verify, and leave no staged folder",
    arguments: [FaultyFileOperations.FlaggedRenames.exclusiveAlone, .none])
  func journal(_ renames: FaultyFileOperations.FlaggedRenames) async throws {
    let log = RenameLog()
    let vault = try await open(FaultyFileOperations(recorder: log, renames: renames))
    let ids = try await addMany(vault)
    #expect(log.journals == 1)
    try await expectWhole(ids, "imported")
    for reason in [KeyringEntry.Reason.rewrap, .reseal] {
      let before = log.journals
      _ = try await vault.rotate(reason)
      #expect(log.journals > before, "\(reason)")
      try await expectWhole(ids, "\(reason)")
    }
  }

  @Test("where they can be, the same import needs no journal")
  func replacement() async throws {
    let log = RenameLog()
    let ids = try await addMany(open(FaultyFileOperations(recorder: log)))
    #expect(log.journals == 0)
    try await expectWhole(ids, "imported")
  }
}
