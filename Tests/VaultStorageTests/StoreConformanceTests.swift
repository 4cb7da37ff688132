import Testing
import VaultFileStore
import VaultStorage
import VaultTestSupport

@Suite("Every store keeps the contract") struct StoreConformanceTests {
  @Test("the memory store", arguments: StoreConformance.all)
  func memoryStore(_ conformance: StoreConformance) throws {
    try conformance.check(MemoryStore())
  }

  @Test("the directory store", arguments: StoreConformance.all)
  func directoryStore(_ conformance: StoreConformance) throws {
    let folder = TemporaryFolder()
    try conformance.check(try DirectoryStore.create(at: folder.path + "/vault"))
  }
}
