import Testing
import VaultFileStore
import VaultStorage
import VaultSystem
import VaultTestSupport
import VaultTesting

@Suite("Every store keeps the contract") struct StoreConformanceTests {
  @Test("the memory store", arguments: StoreConformance.all)
  func memoryStore(_ conformance: StoreConformance) throws {
    try conformance.check(MemoryStore())
  }

  @Test("who waits for the memory store is told its own process")
  func memoryHolder() throws {
    let store = MemoryStore()
    let lock = try store.lock(.exclusive, timeout: .zero) { _ in }
    defer { lock.release() }
    let error = #expect(throws: StoreError.self) { try store.withLock(.shared, timeout: .zero) { _ in } }
    #expect(error?.code == .locked)
    #expect(error?.holder == LiveFileOperations().processIdentifier)
  }

  @Test("the directory store", arguments: StoreConformance.all)
  func directoryStore(_ conformance: StoreConformance) throws {
    let folder = TemporaryFolder()
    try conformance.check(try DirectoryStore.create(at: folder.path + "/vault"))
  }
}
