import Testing
import VaultDocument
import VaultFileStore
import VaultStorage
import VaultTestSupport
import VaultSystem
import VaultKit

@Suite("Lists of versions")
struct VersionListTests {
  /// So many entries stay in memory.
  private static let memoryCount = SpilledBytes.Builder.memoryByteCount / 56

  private func entries(_ count: Int) -> [RecordVersion] {
    (0..<count).map { number in
      RecordVersion(id: .random(), revision: number + 1, mac: (0..<32).map { _ in .random(in: .min ... .max) })
    }.sorted { $0.id < $1.id }
  }

  private func built(_ entries: [RecordVersion]) -> VersionList {
    var builder = VersionList.Builder()
    for entry in entries { builder.append(entry) }
    return builder.finish()
  }

  @Test(
    "what was appended is there, whole, by folders and by ids, in memory and in a file",
    arguments: [0, 1, 5000, Self.memoryCount, Self.memoryCount + 20_000])
  func contents(_ count: Int) throws {
    let entries = entries(count)
    let list = built(entries)
    #expect(list.count == count)
    #expect(list.isEmpty == (count == 0))
    #expect(try list.all() == entries)
    var (byFolder, pieces): ([RecordVersion], [RecordVersion]) = ([], [])
    for folder in UInt8.min...UInt8.max { byFolder += try list.entries(inFolder: folder) }
    try list.forEachPiece { pieces += $0 }
    #expect(byFolder == entries)
    #expect(pieces == entries)
    #expect(list.folders == Set(entries.map(\.id.folder)).sorted())
    for entry in entries.shuffled().prefix(50) { #expect(try list.entry(of: entry.id) == entry) }
    #expect(try list.entry(of: .random()) == nil)
  }

  @Test("of equal ids the higher revision counts, in any order and in a list that lies in a file")
  func merging() throws {
    let entries = entries(Self.memoryCount + 10)
    let (old, new) = (entries[3], RecordVersion(id: entries[3].id, revision: 1 << 40, mac: entries[4].mac))
    let lower = RecordVersion(id: entries[70].id, revision: 0, mac: entries[4].mac)
    let further = self.entries(1)[0]
    let merged = try built(entries).merged(with: [further, new, lower])
    #expect(merged.count == entries.count + 1)
    #expect(try merged.entry(of: old.id) == new)
    #expect(try merged.entry(of: lower.id) == entries[70])
    #expect(try merged.entry(of: further.id) == further)
    #expect(try VersionList([old, further, new]).all() == [further, new].sorted { $0.id < $1.id })
  }

  @Test("a file without a name gives back what was written; a short one is an error")
  func spilling() throws {
    let folder = TemporaryFolder()
    let file = try AtomicFile<StoreError>.nameless(in: folder.path)
    #expect(FileTree.names(in: folder.path).isEmpty)
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
    try file.append(Array(bytes[..<60_000]))
    try file.append(Array(bytes[60_000...]))
    #expect(try file.read(bytes.count, from: 0) == bytes)
    #expect(try file.read(10, from: 59_995) == Array(bytes[59_995..<60_005]))
    #expect(throws: (any Error).self) { try file.read(10, from: 99_995) }
    #expect(throws: (any Error).self) { try AtomicFile<StoreError>.nameless(in: folder.path + "/none") }
  }
}
