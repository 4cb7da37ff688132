import Testing
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTesting

@Suite("The trash of a vault")
struct TrashTests {
  @Test("lists what was removed, the latest first, with and without a key")
  func list() async throws {
    let clock = TestClock.stopped()
    let (vault, store) = try await clock.vault()
    let first = try await vault.add(sampleCustomer("First"))
    let second = try await vault.add(sampleCustomer("Second"))
    try await vault.remove([first])
    clock.advance(by: .seconds(60))
    try await vault.remove([second])
    for (records, faults) in [try await vault.listedTrash(), try LockedVault(store: store).listedTrash()] {
      #expect(records.map(\.id) == [second, first])
      #expect(records.map(\.summary.name) == ["Second", "First"])
      #expect(records[0].deletedAt.secondsSinceEpoch - records[1].deletedAt.secondsSinceEpoch == 60)
      #expect(records.map(\.summary.revision) == [2, 2])
      #expect(faults.isEmpty)
    }
  }

  @Test("a damaged file is a fault of the verified list; the others are still listed")
  func damagedFile() async throws {
    let (vault, _, store) = try await memoryVault()
    let ids = [try await vault.add(sampleCustomer("First")), try await vault.add(sampleCustomer("Second"))]
    try await vault.remove(ids)
    try store.edit(.trash(ids[0])) { $0["name"] = .string("Somebody Else") }
    let (records, faults) = try await vault.listedTrash()
    #expect(records.map(\.id) == [ids[1]])
    #expect(faults.map(\.code) == [.damaged])
    #expect(faults.first?.record == ids[0])
  }

  @Test("what a newer version of the program wrote there is not replaced by a removal, and not emptied")
  func newerFormat() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let live = try #require(try store.read(.record(id)))
    try await vault.remove([id])
    try store.edit(.trash(id)) { $0.editEnvelope { $0["requires"] = .array(["later"]) } }
    let trashed = try store.read(.trash(id))
    try store.put(live, at: .record(id))
    await #expect(throws: VaultError(.newerFormat, "")) { try await vault.remove([id]) }
    #expect(try await vault.emptyTrash().faults.map(\.code) == [.newerFormat])
    #expect(try store.read(.trash(id)) == trashed)
    #expect(try store.read(.record(id)) == live)
  }

  @Test("a record in it without deleted_at is damage, with and without a key")
  func notRemoved() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let bytes = try #require(try store.read(.record(id)))
    try store.apply([
      StoreChange(.record(id), from: bytes, to: nil), StoreChange(.trash(id), from: nil, to: bytes),
    ])
    for (records, faults) in [try await vault.listedTrash(), try LockedVault(store: store).listedTrash()] {
      #expect(records.isEmpty)
      #expect(faults.map(\.code) == [.damaged])
    }
    await #expect(throws: VaultError(.damaged, "")) { try await vault.restore([id]) }
  }

  @Test(
    "restoring writes the next revision without deleted_at, tokens as they were, and empties the place in the trash")
  func restore() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let before = try await vault.record(id)
    try await vault.remove([id])
    try await vault.restore([id])
    let after = try await vault.record(id)
    #expect(after.envelope.revision == 3)
    #expect(after.envelope.deletedAt == nil)
    #expect(after.fields == before.fields)
    #expect(after.envelope.createdAt == before.envelope.createdAt)
    #expect(try store.read(.trash(id)) == nil)
  }

  @Test("restoring several is one batch: one that cannot be restored leaves all in the trash")
  func restoreAllOrNone() async throws {
    let (vault, _, store) = try await memoryVault()
    let ids = [try await vault.add(sampleCustomer("First")), try await vault.add(sampleCustomer("Second"))]
    try await vault.remove(ids)
    try store.edit(.trash(ids[1])) { $0["name"] = .string("Somebody Else") }
    await #expect(throws: VaultError(.damaged, "")) { try await vault.restore(ids) }
    await #expect(throws: VaultError(.noSuchRecord, "")) { try await vault.restore([ids[0], .random()]) }
    #expect(try store.trashed() == ids.sorted())
    #expect(try store.read(.record(ids[0])) == nil)
  }

  @Test("restoring replaces an older live record, refuses a newer one, and an equal revision is damage")
  func twins() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer("One"))
    var versions = [try #require(try store.read(.record(id)))]
    for name in ["Two", "Three"] {
      try await vault.update(id, as: Customer.self) { $0.name = name }
      versions.append(try #require(try store.read(.record(id))))
    }
    try store.put(versions[0], at: .record(id))
    try await vault.remove([id])  // revision 2 in the trash
    let trashed = try #require(try store.read(.trash(id)))
    try store.put(versions[2], at: .record(id))
    await #expect(throws: VaultError(.alreadyExists, "")) { try await vault.restore([id]) }
    try store.put(versions[1], at: .record(id))
    await #expect(throws: VaultError(.damaged, "")) { try await vault.restore([id]) }
    #expect(try store.read(.trash(id)) == trashed)
    try store.put(versions[0], at: .record(id))
    try await vault.restore([id])
    #expect(try await vault.record(id).envelope.revision == 3)
    #expect(try await vault.record(id).name == "One")
  }

  @Test("deleting for good takes what verifies and keeps what does not, unless that is asked for")
  func delete() async throws {
    let (vault, _, store) = try await memoryVault()
    let ids = [try await vault.add(sampleCustomer("First")), try await vault.add(sampleCustomer("Second"))]
    try await vault.remove(ids)
    try store.edit(.trash(ids[1])) { $0["name"] = .string("Somebody Else") }
    await #expect(throws: VaultError(.noSuchRecord, "")) { try await vault.deleteTrashed(ids + [.random()]) }
    #expect(try store.trashed().count == 2)
    let report = try await vault.deleteTrashed(ids)
    #expect(report.deleted == [ids[0]])
    #expect(report.faults.map(\.record) == [ids[1]])
    #expect(try store.trashed() == [ids[1]])
    #expect(try await vault.deleteTrashed([ids[1]], evenDamaged: true).deleted == [ids[1]])
    #expect(try store.trashed().isEmpty)
  }

  @Test("emptying takes what was removed by a time and nothing that is younger")
  func emptyByAge() async throws {
    let clock = TestClock.stopped()
    let (vault, store) = try await clock.vault()
    let old = try await vault.add(sampleCustomer("Old"))
    let young = try await vault.add(sampleCustomer("Young"))
    try await vault.remove([old])
    clock.advance(by: .seconds(3600))
    try await vault.remove([young])
    let limit = try Timestamp(secondsSinceEpoch: clock.now.secondsSinceEpoch - 60)
    #expect(try await vault.emptyTrash(removedBy: limit).deleted == [old])
    #expect(try store.trashed() == [young])
    #expect(try await vault.emptyTrash().deleted == [young])
  }

  @Test("a removed record is named by its id, an exact name, or the beginning of its id")
  func names() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer("First"))
    let live = try await vault.add(sampleCustomer("Second"))
    try await vault.remove([id])
    let locked = try LockedVault(store: store)
    for word in [id.text, "first", String(id.text.prefix(6))] { #expect(try locked.resolveTrashed(word) == id) }
    for word in [live.text, "Second", String(id.text.prefix(3)), "nobody"] {
      #expect(throws: VaultError(.noSuchRecord, "")) { try locked.resolveTrashed(word) }
    }
    let twin = try await vault.add(sampleCustomer("First"))
    try await vault.remove([twin])
    #expect(throws: VaultError(.ambiguousRecord, "")) { try locked.resolveTrashed("First") }
  }
}
