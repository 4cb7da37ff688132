import Testing
import VaultDocument
import VaultFileStore
import VaultStorage
import VaultTestSupport

/// The view of a reader without a lock while batches are put in place.
@Suite("Reading beside a batch") struct SnapshotOrderTests {
  private static let ids = (0..<4).map { RecordID(bytes: [7, UInt8($0)] + Array(repeating: 0, count: 14)) }

  /// The batch names the second record first: it is in place while the third and fourth are still staged.
  private static let changes = [1, 2, 3].map { StoreChange(.record(ids[$0]), from: [1], to: [2]) }

  private func makeVault() throws -> StoreFolder {
    let vault = try StoreFolder()
    try vault.store.apply(Self.ids.map { .put(.record($0), [1]) })
    return vault
  }

  /// Applies the batch with a death at a call; whether it is committed and the first of its files alone is in place.
  private func isHalfway(_ vault: StoreFolder, dyingAt number: Int) -> Bool {
    let dying = FaultyFileOperations(.dying, at: number, recorder: SimulatedDisk())
    _ = try? vault.reopen(dying).apply(Self.changes)
    return FileTree.contents(of: vault[".journal.json"]) != nil
      && FileTree.contents(of: vault[.record(Self.ids[1])]) == [2]
      && FileTree.contents(of: vault[.record(Self.ids[2])]) == [1]
  }

  @Test("a folder that is read while a batch begins never shows the new state and then the old one")
  func batchBeginsInFolder() throws {
    let number = try #require(try (1..<200).first { isHalfway(try makeVault(), dyingAt: $0) })
    let vault = try makeVault()
    var seen: [[UInt8]] = []
    let reader = try vault.reopen(FaultyFileOperations(isReadOnly: true))
    try reader.readRecords(inFolder: 7) { id, bytes in
      seen.append((try? bytes.get()) ?? [])
      if id == Self.ids[0] { #expect(isHalfway(vault, dyingAt: number)) }
      return true
    }
    #expect(seen == [[1], [2], [2], [2]])
  }

  @Test("a journal that takes the place of another of the same moment, size and inode is read afresh")
  func journalsOfOneMoment() throws {
    let vault = try StoreFolder()
    let ids = (0..<2).map { RecordID(bytes: [9, UInt8($0)] + Array(repeating: 0, count: 14)) }
    try vault.store.apply(ids.map { .put(.record($0), [1]) })
    let reader = try vault.reopen(MutantOperations(.noClock, FaultyFileOperations(isReadOnly: true)))
    for round in 0..<20 {
      // Removed and made again: most file systems give the next file the inode that just became free.
      let path = StoreLocation.record(ids[round % 2]).relativePath
      let journal = #"{"entries":[{"path":"\#(path)","staged":"remove"}]}"#
      FileTree.write(Array(journal.utf8), to: vault[".journal.json"])
      #expect(try reader.read(.record(ids[round % 2])) == nil)
      #expect(try reader.read(.record(ids[(round + 1) % 2])) == [1])
    }
  }
}
