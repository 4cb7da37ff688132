import Testing
import VaultAge
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport

@Suite("Rotation")
struct RotationTests {
  private static let reasons: [KeyringEntry.Reason] = [.rewrap, .reseal]

  private func lines(_ bytes: [UInt8]?) throws -> [Substring] {
    String(decoding: try #require(bytes), as: UTF8.self).split(separator: "\n")
  }

  private func tokens(_ lines: [Substring]) -> [Substring] { lines.filter { $0.contains("\"es1:") } }

  /// Sealing times stand between the second and the third colon of a token.
  private func times(_ lines: [Substring]) -> [Substring] {
    tokens(lines).map { $0.split(separator: "es1:")[1].split(separator: ":")[1] }
  }

  @Test("a rewrap changes one line of each record, live and removed, and nothing in the tokens")
  func rewrap() async throws {
    let vault = try await RotationVault.make()
    let store = try vault.store()
    let places = vault.live.map(StoreLocation.record) + [.trash(vault.removed)]
    let before = try places.map { try lines(store.read($0)) }
    let rotation = try await vault.open().rotate(.rewrap)
    #expect(rotation.recordCount == 2)
    #expect(rotation.trashedCount == 1)
    #expect(!rotation.isResumed)
    for (place, old) in zip(places, before) {
      let new = try lines(store.read(place))
      #expect(new.count == old.count)
      let changed = zip(old, new).filter { $0 != $1 }.map(\.0)
      try #require(changed.count == 1)
      #expect(changed[0].contains("\"key\" : \"k1:"))
    }
    try await vault.expectWhole("rewrapped")
  }

  @Test("a reseal makes every token new at its old sealing time, and raises revisions")
  func reseal() async throws {
    let vault = try await RotationVault.make()
    let store = try vault.store()
    let places = vault.live.map(StoreLocation.record) + [.trash(vault.removed)]
    let before = try places.map { try lines(store.read($0)) }
    _ = try await vault.open().rotate(.reseal)
    for (place, old) in zip(places, before) {
      let new = try lines(store.read(place))
      #expect(times(new) == times(old))
      #expect(times(new).count == 2)
      #expect(Set(tokens(new)).isDisjoint(with: tokens(old)))
    }
    let opened = try await vault.open()
    #expect(try await opened.record(vault.live[0]).envelope.revision == 2)
    let checkpoint = try #require(try opened.checkpoint())
    #expect(checkpoint.sequence == 2)
    #expect(checkpoint.rootID == opened.header.root.id)
    #expect(checkpoint.entries.count == 3)
    try await vault.expectWhole("resealed")
  }

  @Test("every older root ends retired, and its records are refused", arguments: reasons)
  func retired(_ reason: KeyringEntry.Reason) async throws {
    let vault = try await RotationVault.make()
    let store = try vault.store()
    let place = StoreLocation.record(vault.live[0])
    let old = try #require(try store.read(place))
    let opened = try await vault.open()
    for count in 1...2 {
      _ = try await opened.rotate(reason)
      #expect(opened.header.keyring.count == count)
      #expect(opened.header.keyring.allSatisfy { $0.state == .retired && $0.reason == reason })
      #expect(opened.header.unfinishedRotation == nil)
    }
    try store.apply([StoreChange(place, from: store.read(place), to: old)])
    await #expect(throws: VaultError(.damaged, "")) { try await opened.record(vault.live[0]) }
  }

  @Test("labels and order of the slots stay, ids and files are new, and age reads them", arguments: reasons)
  func slots(_ reason: KeyringEntry.Reason) async throws {
    let vault = try await RotationVault.make()
    let opened = try await vault.open()
    let old = opened.header.slots
    _ = try await opened.rotate(reason)
    let new = opened.header.slots
    #expect(new.map(\.label) == ["a", "b"])
    #expect(new.map(\.recipient) == old.map(\.recipient))
    #expect(Set(new.map(\.id)).isDisjoint(with: old.map(\.id)))
    #expect(try Set(vault.store().slots()) == Set(new.map(\.id)))
  }

  @Test("a passphrase slot needs its passphrase or is given up by name, never in silence", arguments: reasons)
  func passphrases(_ reason: KeyringEntry.Reason) async throws {
    let vault = try await RotationVault.make()
    let opened = try await vault.open()
    let words = try secret("words")
    let slot = try await opened.addSlot(NewSlot(.passphrase(words, workFactor: 10), label: "p"))
    await #expect(throws: VaultError(.noKey, "")) { try await opened.rotate(reason) }
    var renewal = SlotRenewal()
    renewal.workFactor = 10
    renewal.passphrases[slot.id] = try secret("other")
    await #expect(throws: VaultError(.wrongPassphrase, "")) { try await opened.rotate(reason, slots: renewal) }
    #expect(opened.header.keyring.isEmpty)
    renewal.passphrases[slot.id] = words
    _ = try await opened.rotate(reason, slots: renewal)
    // The passphrase that unlocks is known.
    var options = RotationVault.options
    options.keepsPassphrase = true
    let byWords = try await LockedVault(store: vault.store()).unlock(with: .passphrase(words), options: options)
    renewal.passphrases = [:]
    _ = try await byWords.rotate(reason, slots: renewal)
    renewal.dropped = [byWords.header.slots[2].id]
    let rotation = try await vault.open().rotate(reason, slots: renewal)
    #expect(rotation.dropped.map(\.label) == ["p"])
    await #expect(throws: VaultError(.noMatchingSlot, "")) {
      try await LockedVault(store: vault.store()).unlock(with: .passphrase(words), options: Vault.Options(state: nil))
    }
  }

  @Test("at least one slot stays")
  func lastSlot() async throws {
    let vault = try await RotationVault.make()
    let opened = try await vault.open()
    var renewal = SlotRenewal()
    renewal.dropped = Set(opened.header.slots.map(\.id))
    await #expect(throws: VaultError(.slotRefused, "")) { try await opened.rotate(.rewrap, slots: renewal) }
    renewal.dropped = [.random()]
    await #expect(throws: VaultError(.noSuchSlot, "")) { try await opened.rotate(.rewrap, slots: renewal) }
  }

  @Test("who held the old keys in memory opens and writes nothing any more", arguments: reasons)
  func oldKeys(_ reason: KeyringEntry.Reason) async throws {
    let vault = try await RotationVault.make()
    let leaver = try await vault.open(vault.other)
    var renewal = SlotRenewal()
    renewal.dropped = [leaver.slot.id]
    _ = try await vault.open().rotate(reason, slots: renewal)
    await #expect(throws: VaultError(.changedUnderneath, "")) { try await leaver.record(vault.live[0]) }
    await #expect(throws: VaultError(.changedUnderneath, "")) { try await leaver.add(RotationVault.customer("x")) }
    await #expect(throws: VaultError(.changedUnderneath, "")) { try await leaver.rotate(reason) }
    await #expect(throws: VaultError(.noMatchingSlot, "")) { try await vault.open(vault.other) }
  }

  @Test("a vault that does not verify is not rotated", arguments: reasons)
  func damaged(_ reason: KeyringEntry.Reason) async throws {
    let vault = try await RotationVault.make()
    let store = try vault.store()
    let place = StoreLocation.trash(vault.removed)
    let bytes = try #require(try store.read(place))
    try store.apply([StoreChange(place, from: bytes, to: bytes.flipping("gone"))])
    let header = try store.read(.header)
    await #expect(throws: VaultError(.damaged, "")) { try await vault.open().rotate(reason) }
    #expect(try store.read(.header) == header)
  }

  @Test("a checkpoint goes on under the new root, with a rewrap as the same list")
  func checkpoints() async throws {
    let vault = try await RotationVault.make()
    let opened = try await vault.open()
    _ = try await opened.rotate(.reseal)
    let first = try #require(try opened.checkpoint())
    _ = try await opened.rotate(.rewrap)
    let second = try #require(try opened.checkpoint())
    #expect(try second.entries.all() == first.entries.all())
    #expect(second.sequence == first.sequence)
    #expect(second.rootID == opened.header.root.id)
    #expect(first.rootID != second.rootID)
  }

  @Test("a record that is live and in the trash stops a reseal, which lists one of the two only")
  func twins() async throws {
    let vault = try await RotationVault.make()
    let store = try vault.store()
    let old = try #require(try store.read(.trash(vault.removed)))
    let opened = try await vault.open()
    try await opened.restore([vault.removed])
    try store.apply([StoreChange(.trash(vault.removed), from: nil, to: old)])
    await #expect(throws: VaultError(.damaged, "")) { try await opened.rotate(.reseal) }
    _ = try await opened.rotate(.rewrap)
    #expect(try await opened.verify().isGood)
  }
}
