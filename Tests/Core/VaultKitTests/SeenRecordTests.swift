import Synchronization
import Testing
import VaultDocument
import VaultKit
import VaultStorage
import VaultTestSupport

/// Whether a record is as this machine has seen it, when an older state is found.
@Suite("Records as they were seen") struct SeenRecordTests {
  private final class Fault: Sendable {
    let error = Mutex<StoreError?>(nil)
  }

  @Test(
    "a store that cannot be read now says nothing about a record, live or removed",
    arguments: [FaultCode<StoreLayer>.ioFailed, .permissionDenied, .locked])
  func unreadable(_ code: FaultCode<StoreLayer>) async throws {
    let bench = try await CancellationBench.make()
    let folder = TemporaryFolder()
    let inner = try bench.copy(to: .memory, in: folder, Cancellation())()
    let fault = Fault()
    let vault = try await bench.open(WatchedStore(inner, fault: { fault.error.withLock { $0 } }, watch: {}))
    for id in [bench.live[0], bench.removed[0]] {
      fault.error.withLock { $0 = nil }
      #expect(try vault.isAsSeen(id))
      fault.error.withLock { $0 = StoreError(code, reason: "is away") }
      let error = #expect(throws: VaultError.self) { _ = try vault.isAsSeen(id) }
      #expect(error?.reason == "is away")
    }
  }

  @Test("a removed record that does not verify is not what was seen")
  func damaged() async throws {
    let bench = try await CancellationBench.make()
    let folder = TemporaryFolder()
    let store = try bench.copy(to: .folder, in: folder, Cancellation())()
    let vault = try await bench.open(store)
    let (id, place) = (bench.removed[1], StoreLocation.trash(bench.removed[1]))
    #expect(try vault.isAsSeen(id))
    FileTree.write(Array("{}".utf8), to: folder.path + "/v/" + place.relativePath)
    #expect(try !vault.isAsSeen(id))
  }
}
