import Dispatch
import Synchronization
import Testing
import VaultAge
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTesting

private struct Door: VaultRecord, Equatable {
  var name: String
  var city: String?
  var code: EncryptedCodableString
}

/// The events that an observer received.
private final class Diary: Sendable {
  private let events = Mutex<[VaultEvent]>([])

  var observer: VaultObserver { VaultObserver { event in self.events.withLock { $0.append(event) } } }

  /// The events since the last call.
  func take(_ observer: VaultObserver) async -> [VaultEvent] {
    await observer.finish()
    return events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}

@Suite("An observer is told what a vault does, by ids alone") struct ObserverTests {
  private let diary = Diary()
  private let observer: VaultObserver
  private let test: TestVault

  init() async throws {
    observer = diary.observer
    var options = Vault.Options(state: nil)
    (options.observer, options.lockTimeout) = (observer, .zero)
    test = try await TestVault(types: [Door.self], options: options)
  }

  private func kinds() async -> [VaultEvent.Kind] { await diary.take(observer).map(\.kind) }

  private func add() async throws -> RecordID {
    let id = try await test.vault.add(Door(name: "Robert Jones", code: "secret-7"))
    _ = await diary.take(observer)
    return id
  }

  @Test("made, and opened by which slot")
  func opened() async throws {
    _ = try await test.reopened()
    let events = await diary.take(observer)
    #expect(events.map(\.kind) == [.created, .opened])
    #expect(events.allSatisfy { $0.slots == [test.vault.slot.id] && $0.vault == test.vault.header.vaultID })
    #expect(events[1].duration != nil)
    #expect(events[1].time == test.clock.now)
  }

  @Test("another key is refused, with the code")
  func refusedKey() async throws {
    _ = await diary.take(observer)
    var options = Vault.Options(state: nil)
    options.observer = observer
    let key = VaultKey.identity(try AgeIdentity.generate())
    await #expect(throws: VaultError(.noMatchingSlot, "")) {
      try await Vault.open(in: test.store, unlockingWith: key, options: options)
    }
    let events = await diary.take(observer)
    #expect(events.map(\.kind) == [.refused])
    #expect(events.first?.code == .noMatchingSlot)
  }

  @Test("added, changed, removed, restored, deleted: which records")
  func records() async throws {
    _ = await diary.take(observer)
    let vault = test.vault
    let id = try await vault.add(Door(name: "Robert Jones", code: "secret-7"))
    try await vault.update(id, as: Door.self) { $0.city = "Santa Fe" }
    try await vault.update(id, as: Door.self) { $0.city = "Santa Fe" }
    try await vault.remove([id])
    try await vault.restore([id])
    try await vault.remove([id])
    _ = try await vault.deleteTrashed([id])
    let events = await diary.take(observer)
    #expect(events.map(\.kind) == [.added, .changed, .removed, .restored, .removed, .deleted])
    #expect(events.allSatisfy { $0.records == [id] && $0.recordCount == 1 })
  }

  @Test("many at once are one event, in a batch, in a replacement and in a transaction", arguments: [3, 40])
  func many(_ count: Int) async throws {
    _ = await diary.take(observer)
    let doors = (0..<count).map { Door(name: "door \($0)", code: "secret-7") }
    let ids = try await test.vault.add(contentsOf: doors)
    var events = await diary.take(observer)
    #expect(events.map(\.kind) == [.added])
    #expect(events.first?.records == ids)
    let new = try await test.vault.write { transaction in
      try await transaction.update(ids[0], as: Door.self) { $0.city = "Lima" }
      try await transaction.remove(ids[1])
      return try await transaction.add(doors[0])
    }
    events = await diary.take(observer)
    #expect(events.map(\.kind) == [.added, .changed, .removed])
    #expect(events.map(\.records) == [[new], [ids[0]], [ids[1]]])
  }

  @Test("revealed: a former value too, once it is opened, and not when it is listed or brought back")
  func revealedFormer() async throws {
    let id = try await add()
    let path = try MemberPath(parsing: "code")
    try await test.vault.update(id, as: Door.self) { $0.code = "secret-8" }
    _ = await diary.take(observer)
    let record = try await test.vault.record(id)
    let former = try #require(try record.formerSecrets(at: path).first)
    try await test.vault.restore(former, of: id)
    #expect(await kinds() == [.changed])
    #expect(try former.value.reveal() == "secret-7")
    _ = try record.secret(former)
    let events = await diary.take(observer)
    #expect(events.map(\.kind) == [.revealed, .revealed])
    #expect(events.allSatisfy { $0.records == [id] })
  }

  @Test("revealed: once for each value that somebody asks for, and not for what a vault compares and writes")
  func revealed() async throws {
    let id = try await add()
    let door = try await test.vault.record(id, as: Door.self).value
    try await test.vault.update(id, as: Door.self) { $0.city = "Lima" }
    _ = door == door
    #expect(await kinds() == [.changed])
    #expect(try door.code.reveal() == "secret-7")
    try door.code.withUTF8 { #expect($0.byteCount == 8) }
    let record = try await test.vault.record(id)
    _ = try record.revealed()
    _ = try record.revealed(at: MemberPath(parsing: "name"))
    try record.withSecret(at: MemberPath(parsing: "code")) { _ in }
    let events = await diary.take(observer)
    #expect(events.map(\.kind) == [.revealed, .revealed, .revealed, .revealed])
    #expect(events.allSatisfy { $0.records == [id] })
  }

  @Test("a lock that was not to be had, and one that came late")
  func locks() async throws {
    let id = try await add()
    let lock = try test.store.lock(.exclusive, timeout: .zero) { _ in }
    await #expect(throws: VaultError(.lockedByOther, "")) { try await test.vault.remove([id]) }
    let refused = await diary.take(observer)
    #expect(refused.map(\.kind) == [.refused])
    #expect(refused.first?.code == .lockedByOther)
    var options = Vault.Options(state: nil)
    (options.observer, options.types) = (observer, [Door.self])
    options.onLockWait = { _ in lock.release() }
    let patient = try await Vault.open(in: test.store, unlockingWith: .identity(test.identity), options: options)
    try await patient.remove([id])
    let events = await diary.take(observer)
    #expect(events.map(\.kind) == [.opened, .waited, .removed])
    #expect(try #require(events[1].duration) >= .milliseconds(900))
  }

  @Test("a record that does not verify, alone and among all")
  func damaged() async throws {
    let id = try await add()
    try test.store.edit(.record(id)) { $0["name"] = .string("Mallory") }
    await #expect(throws: VaultError(.damaged, "")) { try await test.vault.record(id) }
    await #expect(throws: VaultError(.damaged, "")) { try await test.vault.records(of: Door.self) }
    await #expect(throws: VaultError(.noSuchRecord, "")) { try await test.vault.record(.random()) }
    let events = await diary.take(observer)
    #expect(events.map(\.kind) == [.refused, .refused])
    #expect(events.allSatisfy { $0.records == [id] && $0.code == .damaged })
  }

  @Test("a rotation is one event, with its slots", arguments: [KeyringEntry.Reason.rewrap, .reseal])
  func rotated(_ reason: KeyringEntry.Reason) async throws {
    let removed = try await add()
    try await test.vault.remove([removed])
    _ = try await add()
    _ = try await test.vault.rotate(reason)
    let events = await diary.take(observer)
    #expect(events.map(\.kind) == [.slotsChanged, .rotated])
    #expect(events.last?.recordCount == 2)
    #expect(events.last?.duration != nil)
    #expect(events.first?.slots.count == 2)
  }

  @Test("a slow observer holds nothing up, and is told everything in the end")
  func slow() async throws {
    let told = Mutex(0)
    let gate = DispatchSemaphore(value: 0)
    let slow = VaultObserver { _ in
      if told.withLock({ $0 }) == 0 { gate.wait() }
      told.withLock { $0 += 1 }
    }
    var options = Vault.Options(state: nil)
    options.observer = slow
    let test = try await TestVault(options: options)
    for number in 0..<20 { try await test.vault.add(SecureNote(title: "note \(number)", text: "secret-7")) }
    #expect(told.withLock { $0 } == 0)
    gate.signal()
    await slow.finish()
    #expect(told.withLock { $0 } == 21)
  }

  @Test("no event holds a name, a value or a path")
  func secrecy() async throws {
    let id = try await add()
    _ = try await test.vault.record(id, as: Door.self).value.code.reveal()
    try test.store.edit(.record(id)) { $0["name"] = .string("Mallory") }
    _ = try? await test.vault.record(id)
    for event in await diary.take(observer) {
      var text = event.description
      dump(event, to: &text)
      for word in ["Robert", "Mallory", "secret-7", ".json", "records/"] { #expect(!text.contains(word)) }
    }
  }
}
