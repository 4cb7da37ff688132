import Testing
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport
import VaultRepair

@Suite("Verifying against a checkpoint")
struct CheckpointVerificationTests {
  /// A vault with three customers, and the bytes of the first one's first revision.
  private func filled() async throws -> (vault: Vault, store: MemoryStore, ids: [RecordID], first: [UInt8]) {
    let (vault, _, store) = try await memoryVault()
    var ids: [RecordID] = []
    for name in ["One", "Two", "Three"] { ids.append(try await vault.add(sampleCustomer(name))) }
    return (vault, store, ids, try #require(try store.read(.record(ids[0]))))
  }

  private func rename(_ id: RecordID, _ name: String, in vault: Vault) async throws {
    try await vault.update(id, as: Customer.self) { $0.name = name }
  }

  @Test("a checkpoint lists what is live and what is removed, and names its predecessor and the header")
  func lists() async throws {
    let (vault, store, ids, _) = try await filled()
    #expect(try vault.checkpoint() == nil)
    let first = try #require(try await vault.makeCheckpoint().checkpoint)
    #expect(first.sequence == 1)
    #expect(first.previous == nil)
    #expect(first.rootID == vault.header.root.id)
    try await vault.remove([ids[1]])
    var count = 0
    let second = try #require(try await vault.makeCheckpoint { count += 1 }.checkpoint)
    #expect(count == 3)
    #expect(second.sequence == 2)
    #expect(try second.previous == first.hash())
    #expect(try second.headerHash == vault.header.hash())
    #expect(try second.entries.all().map(\.id) == ids.sorted())
    #expect(try second.entries.entry(of: ids[1])?.revision == 2)
    for id in [ids[0], ids[2]] {
      #expect(try await second.entries.entry(of: id) == RecordVersion(vault.record(id)))
    }
    let read = try #require(try vault.checkpoint())
    #expect(try read.hash() == second.hash())
    #expect(try store.read(.checkpoint) == second.fileBytes())
  }

  @Test("what was added, changed and removed since is told, and is no fault")
  func changes() async throws {
    let (vault, _, ids, _) = try await filled()
    #expect(try await vault.verify().changes == nil)
    _ = try await vault.makeCheckpoint()
    #expect(try await vault.verify().changes?.isEmpty == true)
    try await rename(ids[0], "Other", in: vault)
    try await vault.remove([ids[1]])
    let added = try await vault.add(sampleCustomer("Four"))
    let result = try await vault.verify()
    let changes = try #require(result.changes)
    #expect(result.isGood)
    #expect(changes.sequence == 1)
    #expect(changes.added == [added])
    #expect(changes.changed == [ids[0]])
    #expect(changes.removed == [ids[1]])
    #expect(result.recordCount == 3)
    #expect(result.trashedCount == 1)
  }

  @Test("a record that went back, forked or is gone is a fault, and no damage")
  func rollback() async throws {
    let (vault, store, ids, first) = try await filled()
    try await rename(ids[0], "Second revision", in: vault)
    try await rename(ids[1], "Second revision", in: vault)
    _ = try await vault.makeCheckpoint()
    try store.put(first, at: .record(ids[0]))
    try await rename(ids[0], "Another second revision", in: vault)
    let gone = StoreChange(.record(ids[2]), from: try store.read(.record(ids[2])), to: nil)
    try store.apply([gone])
    #expect(try await codes(vault) == [ids[0]: .forked, ids[2]: .vanished])
    try store.put(first, at: .record(ids[0]))
    #expect(try await codes(vault) == [ids[0]: .rolledBack, ids[2]: .vanished])
    #expect(try await vault.verify().faults.allSatisfy(\.code.isRollback))
  }

  private func codes(_ vault: Vault) async throws -> [RecordID: VaultError.Code] {
    let faults = try await vault.verify().faults
    return Dictionary(uniqueKeysWithValues: try faults.map { (try #require($0.record), $0.code) })
  }

  @Test("a live record replaced by an older one from the trash went back")
  func trashedBack() async throws {
    let (vault, store, ids, _) = try await filled()
    try await vault.remove([ids[0]])
    let trashed = try #require(try store.read(.trash(ids[0])))
    try await vault.restore([ids[0]])
    _ = try await vault.makeCheckpoint()
    let live = try store.read(.record(ids[0]))
    try store.apply([
      StoreChange(.record(ids[0]), from: live, to: nil), StoreChange(.trash(ids[0]), from: nil, to: trashed),
    ])
    #expect(try await codes(vault) == [ids[0]: .rolledBack])
    #expect(try await vault.verify().faults.map(\.file) == [StoreLocation.trash(ids[0]).relativePath])
  }

  @Test("no checkpoint is made of a vault that is damaged, and of one that went back only when that is accepted")
  func refused() async throws {
    let (vault, store, ids, first) = try await filled()
    try await rename(ids[0], "Second revision", in: vault)
    _ = try await vault.makeCheckpoint()
    let before = try store.read(.checkpoint)
    try store.put(first, at: .record(ids[0]))
    let refused = try await vault.makeCheckpoint()
    #expect(refused.checkpoint == nil)
    #expect(refused.verification.faults.map(\.code) == [.rolledBack])
    #expect(try store.read(.checkpoint) == before)
    let accepted = try #require(try await vault.makeCheckpoint(acceptingRollback: true).checkpoint)
    #expect(accepted.sequence == 2)
    #expect(try accepted.entries.entry(of: ids[0])?.revision == 1)
    #expect(try await vault.verify().isGood)
    try store.put(first.flipping("Albuquerque"), at: .record(ids[0]))
    #expect(try await vault.makeCheckpoint(acceptingRollback: true).checkpoint == nil)
  }

  @Test(
    "a checkpoint that is forged, of an unknown root or no JSON is damage, and the records are verified all the same")
  func damaged() async throws {
    let (vault, store, ids, _) = try await filled()
    _ = try await vault.makeCheckpoint()
    let good = try #require(try store.read(.checkpoint))
    let (other, _, otherStore) = try await memoryVault()
    _ = try await other.makeCheckpoint()
    let cases: [([UInt8], VaultError.Code)] = [
      (try #require(try otherStore.read(.checkpoint)), .unknownRoot), (Array(good.dropLast(20)), .otherDamage),
    ]
    for (bytes, code) in cases {
      try store.put(bytes, at: .checkpoint)
      let result = try await vault.verify()
      #expect(result.faults.map(\.code) == [code])
      #expect(result.changes == nil)
      #expect(result.recordCount == ids.count)
      #expect(result.faults.map(\.file) == ["checkpoint.jsonl"])
      #expect(try await vault.makeCheckpoint(acceptingRollback: true).checkpoint == nil)
    }
    try store.put(
      Array(String(decoding: good, as: UTF8.self).replacing("\"sequence\":1", with: "\"sequence\":7").utf8),
      at: .checkpoint)
    let forged = try await vault.verify()
    #expect(forged.faults.map(\.reason) == ["does not authenticate: it was changed or damaged"])
  }

  @Test("since the checkpoint, a record that it lists is verified by its MAC alone; without one there is no since")
  func sinceCheckpoint() async throws {
    let (vault, store, ids, _) = try await filled()
    let scope = VerificationScope(sinceCheckpoint: true)
    await #expect(throws: VaultError(.noCheckpoint, "")) { try await vault.verify(scope) }
    _ = try await vault.makeCheckpoint()
    try await rename(ids[0], "Changed", in: vault)
    let result = try await vault.verify(scope)
    #expect(result.isGood)
    #expect(result.recordCount == 3)
    #expect(result.changes?.changed == [ids[0]])
    // `mac` and `revision` of the list say nothing of a file that only claims them.
    try store.put(try #require(try store.read(.record(ids[1]))).flipping("Albuquerque"), at: .record(ids[1]))
    #expect(try await vault.verify(scope).faults.map(\.code) == [.notAuthentic])
  }

  @Test("the parts of a vault are the whole, each record in one; a part that does not exist is none")
  func parts() async throws {
    let (vault, store, ids, _) = try await filled()
    for _ in 0..<40 { try await vault.add(sampleCustomer()) }
    try await vault.remove([ids[0]])
    _ = try await vault.makeCheckpoint()
    var counts = (records: 0, trashed: 0)
    for number in 1...7 {
      let part = try #require(VerificationScope.Part(number, of: 7))
      let result = try await vault.verify(VerificationScope(part: part))
      #expect(result.isGood)
      #expect(result.changes?.isEmpty == true)
      counts = (counts.records + result.recordCount, counts.trashed + result.trashedCount)
    }
    #expect(counts == (42, 1))
    for (number, count) in [(0, 1), (2, 1), (1, 0), (1, 257), (-1, 5)] {
      #expect(VerificationScope.Part(number, of: count) == nil)
    }
    try store.apply([StoreChange(.record(ids[1]), from: try store.read(.record(ids[1])), to: nil)])
    var gone = 0
    for number in 1...7 {
      let part = try #require(VerificationScope.Part(number, of: 7))
      gone += try await vault.verify(VerificationScope(part: part)).faults.count
    }
    #expect(gone == 1)
  }

  @Test("a repair restores what is gone from a history and leaves what went back to a person")
  func repair() async throws {
    let folder = try await FolderVault()
    let vault = folder.vault
    let ids = [try await vault.add(sampleCustomer("One")), try await vault.add(sampleCustomer("Two"))]
    let old = try #require(folder.bytes(.record(ids[0])))
    try await rename(ids[0], "Second revision", in: vault)
    _ = try await vault.makeCheckpoint()
    let gone = try #require(folder.bytes(.record(ids[1])))
    folder.write(old, at: .record(ids[0]))
    FileTree.remove(folder.file(.record(ids[1])))
    let alone = try await vault.repairPlan()
    #expect(alone.steps.map(\.action) == [.leave, .leave])
    let plan = try await vault.repairPlan([TestHistory([.record(ids[1]): [gone]])])
    #expect(plan.steps.map(\.action) == [.leave, .restore])
    _ = try await vault.repair(plan, asideFolder: folder.aside)
    #expect(try await vault.verify().faults.map(\.code) == [.rolledBack])
  }
}
