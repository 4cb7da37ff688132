import Testing
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport

@Suite("Verifying a vault")
struct VerifyTests {
  @Test("counts records, trash and slots of a good vault and finds nothing")
  func good() async throws {
    let (vault, _, _) = try await memoryVault()
    let ids = [try await vault.add(sampleCustomer("First")), try await vault.add(sampleCustomer("Second"))]
    try await vault.remove([ids[0]])
    var count = 0
    let result = try await vault.verify { count += 1 }
    #expect(result.isGood)
    #expect(result.notes.isEmpty)
    #expect(result.recordCount == 1)
    #expect(result.trashedCount == 1)
    #expect(result.slotCount == 1)
    #expect(count == 2)
  }

  @Test("goes on after a fault, and names each file with its code")
  func codes() async throws {
    let (vault, _, store) = try await memoryVault()
    var expected: [String: VaultError.Code] = [:]
    func damage(_ code: VaultError.Code, _ change: (RecordID, [UInt8]) throws -> [UInt8]) async throws {
      let id = try await vault.add(sampleCustomer())
      try store.put(change(id, #require(try store.read(.record(id)))), at: .record(id))
      expected[StoreLocation.record(id).relativePath] = code
    }
    try await damage(.notAuthentic) { $1.flipping("Albuquerque") }
    try await damage(.malformedDocument) { Array($1.prefix($1.count / 2)) }
    try await damage(.malformedDocument) { _, _ in [] }
    try await damage(.malformedEnvelope) { _, _ in Array("{}".utf8) }
    try await damage(.newerFormat) { $1.replacing("\"format\" : 1", "\"format\" : 2") }
    try await damage(.unknownRoot) { $1.replacing("k1:", "k1:AAAAAAAAAAA:", dropping: 12) }
    let other = try await vault.add(sampleCustomer("Other"))
    let foreign = try #require(try store.read(.record(other)))
    try await damage(.misplaced) { _, _ in foreign }
    let good = try await vault.add(sampleCustomer("Good"))
    let result = try await vault.verify()
    #expect(result.recordCount == expected.count + 2)
    #expect(Dictionary(uniqueKeysWithValues: result.faults.map { ($0.file, $0.code) }) == expected)
    #expect(result.faults.allSatisfy { $0.record != nil && $0.record != good })
    #expect(result.faults.map(\.file) == result.faults.map(\.file).sorted())
  }

  @Test("what verifies but lies on the wrong side of the trash is a fault")
  func wrongPlace() async throws {
    let (vault, _, store) = try await memoryVault()
    let live = try await vault.add(sampleCustomer("Live"))
    let removed = try await vault.add(sampleCustomer("Removed"))
    try await vault.remove([removed])
    let bytes = (try #require(try store.read(.record(live))), try #require(try store.read(.trash(removed))))
    try store.apply([
      StoreChange(.record(live), from: bytes.0, to: nil), StoreChange(.trash(live), from: nil, to: bytes.0),
      StoreChange(.trash(removed), from: bytes.1, to: nil), StoreChange(.record(removed), from: nil, to: bytes.1),
    ])
    let faults = try await vault.verify().faults
    #expect(faults.map(\.code) == [.wrongPlace, .wrongPlace])
    #expect(faults.map(\.record) == [removed, live])
  }

  @Test("the same id live and removed: the higher revision counts, with a note; equal ones are a fault")
  func twins() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer("One"))
    var versions = [try #require(try store.read(.record(id)))]
    for name in ["Two", "Three"] {
      try await vault.update(id, as: Customer.self) { $0.name = name }
      versions.append(try #require(try store.read(.record(id))))
    }
    try store.put(versions[0], at: .record(id))
    try await vault.remove([id])
    for (index, counting) in [(0, "trash/"), (2, "records/")] {
      try store.put(versions[index], at: .record(id))
      let result = try await vault.verify()
      #expect(result.isGood)
      try #require(result.notes.count == 1)
      #expect(result.notes[0].contains(": \(counting)"))
    }
    try store.put(versions[1], at: .record(id))
    #expect(try await vault.verify().faults.map(\.code) == [.equalRevisions])
  }

  @Test("reads and writes of a record that is removed as well go by the higher revision, and stop at equal ones")
  func readingTwins() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer("One"))
    var versions = [try #require(try store.read(.record(id)))]
    for name in ["Two", "Three"] {
      try await vault.update(id, as: Customer.self) { $0.name = name }
      versions.append(try #require(try store.read(.record(id))))
    }
    try store.put(versions[0], at: .record(id))
    try await vault.remove([id])
    let trashed = try #require(try store.read(.trash(id)))

    for (version, code) in [(0, VaultError.Code.noSuchRecord), (1, .damaged)] {
      try store.put(versions[version], at: .record(id))
      await #expect(throws: VaultError(code, "")) { try await vault.record(id) }
      await #expect(throws: VaultError(code, "")) { try await vault.update(id, as: Customer.self) { $0.name = "Four" } }
      #expect(try store.read(.trash(id)) == trashed)
    }
    // Of equal ones the person decides, by removing this one.
    #expect(try await vault.recordToRemove(named: id.text).envelope.revision == 2)

    try store.put(versions[0], at: .record(id))
    await #expect(throws: VaultError(.noSuchRecord, "")) { try await vault.remove([id]) }
    #expect(try store.read(.trash(id)) == trashed)
    #expect(try await vault.listed().records.isEmpty)
    #expect(try await vault.listed().faults.isEmpty)
    #expect(try await vault.records(of: Customer.self).isEmpty)

    try store.put(versions[2], at: .record(id))
    let record = try await vault.record(id)
    #expect(record.name == "Three")
    #expect(record.hasOlderInTrash)
    #expect(try await vault.records(of: Customer.self).map(\.name) == ["Three"])

    // A file in the trash that does not verify says nothing.
    try store.put(versions[0], at: .record(id))
    try store.edit(.trash(id)) { $0["name"] = .string("Somebody Else") }
    #expect(try await vault.record(id).name == "One")
  }

  @Test("a slot that is missing, damaged or another's is a fault, without opening it")
  func slots() async throws {
    let folder = try await FolderVault()
    let slot = StoreLocation.slot(folder.vault.slot.id)
    let good = try #require(folder.bytes(slot))
    folder.write(good.dropLast() + [good[good.count - 1] ^ 1], at: slot)
    #expect(try await folder.vault.verify().faults.map(\.code) == [.damagedSlot])
    folder.write(Array("no age file".utf8), at: slot)
    #expect(try await folder.vault.verify().faults.map(\.code) == [.damagedSlot])
    FileTree.remove(folder.file(slot))
    let faults = try await folder.vault.verify().faults
    #expect(faults.map(\.code) == [.missingSlot])
    #expect(faults.first?.file == slot.relativePath)
  }

  @Test("what does not belong among the records, and what is no file, is a fault")
  func strays() async throws {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    FileTree.write([1], to: folder.path + "/records/note.txt")
    FileTree.write([1], to: folder.path + "/trash/" + id.text + ".json.bak")
    FileTree.remove(folder.file(.record(id)))
    FileTree.makeFolder(folder.file(.record(id)))
    let faults = try await folder.vault.verify().faults
    #expect(Set(faults.map(\.code)) == [.strayEntry, .wrongFileType])
    #expect(
      Set(faults.map(\.file)) == [
        "records/note.txt", "trash/\(id.text).json.bak", StoreLocation.record(id).relativePath,
      ])
  }

  @Test("with a malformed journal it says so and still verifies the files as they are")
  func journal() async throws {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    FileTree.write(Array("{}".utf8), to: folder.path + "/.journal.json")
    var result = try await folder.vault.verify()
    #expect(result.faults.map(\.code) == [.malformedJournal])
    #expect(result.recordCount == 1)
    folder.write(try #require(folder.bytes(.record(id))).flipping("Albuquerque"), at: .record(id))
    result = try await folder.vault.verify()
    #expect(result.faults.map(\.code) == [.malformedJournal, .notAuthentic])
  }

  @Test("files that others may read are a note, not a fault")
  func permissions() async throws {
    let folder = try await FolderVault()
    #expect(try await folder.vault.verify().notes.isEmpty)
    FileTree.setMode(0o755, of: folder.path)
    let result = try await folder.vault.verify()
    #expect(result.isGood)
    try #require(result.notes.count == 1)
    #expect(result.notes[0].contains("chmod"))
    FileTree.makeFolder(folder.path + "/.git")
    #expect(try await folder.vault.verify().notes.isEmpty, "a work tree of git")
    FileTree.setMode(0o757, of: folder.path)
    let writable = try await folder.vault.verify()
    #expect(writable.isGood)
    try #require(writable.notes.count == 1, "\(writable.notes)")
    #expect(writable.notes[0].hasPrefix("everybody can write to "), "\(writable.notes)")
  }

  @Test("no fault holds a value of the record")
  func redaction() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer("MARKER-NAME", key: "MARKER-SECRET"))
    let good = try #require(try store.read(.record(id)))
    for bad in [good.flipping("Albuquerque"), Array(good.prefix(good.count - 20)), good.flipping("es1:")] {
      try store.put(bad, at: .record(id))
      let text = try await vault.verify().faults.map { "\($0)" }.joined()
      #expect(!text.isEmpty)
      #expect(!text.contains("MARKER"))
    }
  }
}

extension [UInt8] {
  /// The bytes with the first `old` replaced, and some bytes behind it dropped.
  fileprivate func replacing(_ old: String, _ new: String, dropping count: Int = 0) -> [UInt8] {
    let text = String(decoding: self, as: UTF8.self)
    guard let start = text.firstRange(of: old) else { preconditionFailure("a test replaces what is not there") }
    return Array((text[..<start.lowerBound] + new + text[start.upperBound...].dropFirst(count)).utf8)
  }
}
