import Testing
import VaultAge
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultSealing
import VaultStorage
import VaultTestSupport
import VaultTesting

@Suite("Slots")
struct SlotTests {
  @Test("a new slot opens the vault, and no other slot's file changes")
  func adding() async throws {
    let folder = try await FolderVault()
    let first = folder.vault.slot
    let file = folder.bytes(.slot(first.id))
    let identity = try AgeIdentity.generate()
    let slot = try await folder.vault.addSlot(NewSlot(.recipient(identity.recipient), label: "second"))
    #expect(folder.bytes(.slot(first.id)) == file)
    #expect(folder.vault.header.slots.map(\.id) == [first.id, slot.id])
    #expect(folder.vault.header.revision == 2)
    let opened = try await Vault.open(
      at: folder.path, unlockingWith: .identity(identity), options: Vault.Options(state: nil))
    #expect(opened.slot.label == "second")
    #expect(
      try await Vault.open(
        at: folder.path, unlockingWith: .identity(folder.identity), options: Vault.Options(state: nil)
      ).slot.id == first.id)
  }

  @Test("a recipient gets one slot")
  func twice() async throws {
    let folder = try await FolderVault()
    await #expect(throws: VaultError(.alreadyExists, "")) {
      try await folder.vault.addSlot(NewSlot(.recipient(folder.identity.recipient)))
    }
    #expect(FileTree.names(in: folder.path + "/slots").count == 1)
  }

  @Test("a removed slot opens nothing, and the last one stays")
  func removing() async throws {
    let folder = try await FolderVault()
    await #expect(throws: VaultError(.slotRefused, "")) { try await folder.vault.removeSlot(folder.vault.slot.id) }
    let identity = try AgeIdentity.generate()
    let slot = try await folder.vault.addSlot(NewSlot(.recipient(identity.recipient)))
    try await folder.vault.removeSlot(slot.id)
    #expect(folder.bytes(.slot(slot.id)) == nil)
    await #expect(throws: VaultError(.noMatchingSlot, "")) {
      try await Vault.open(at: folder.path, unlockingWith: .identity(identity), options: Vault.Options(state: nil))
    }
    await #expect(throws: VaultError(.noSuchSlot, "")) { try await folder.vault.removeSlot(slot.id) }
  }

  @Test("anybody's damaged slot stops changes of slots, not reading, and only its own removal ends that")
  func damage() async throws {
    let folder = try await FolderVault()
    let other = try AgeIdentity.generate()
    let slot = try await folder.vault.addSlot(NewSlot(.recipient(other.recipient)))
    let extra = try await folder.vault.addSlot(NewSlot(.recipient(AgeIdentity.generate().recipient)))
    let attacker = try AgeIdentity.generate()
    folder.write(try AgeFile.seal(RawSpan(), to: [attacker.recipient]), at: .slot(slot.id))
    let opened = try await Vault.open(
      at: folder.path, unlockingWith: .identity(folder.identity), options: Vault.Options(state: nil))
    #expect(try opened.slotStates().map { $0.fault?.code } == [nil, .damaged, nil])
    let new = NewSlot(.recipient(try AgeIdentity.generate().recipient))
    await #expect(throws: VaultError(.damaged, "")) { try await opened.addSlot(new) }
    await #expect(throws: VaultError(.damaged, "")) { try await opened.removeSlot(extra.id, evenDamaged: true) }
    await #expect(throws: VaultError(.damaged, "")) { try await opened.removeSlot(slot.id) }
    await #expect(throws: VaultError(.damaged, "")) { try await opened.rotate(.rewrap) }
    await #expect(throws: VaultError(.damaged, "")) { try await opened.rotate(.reseal) }
    #expect(opened.header.revision == 3)
    try await opened.removeSlot(slot.id, evenDamaged: true)
    try await opened.addSlot(new)
  }

  @Test("a missing slot file can be given up")
  func missing() async throws {
    let folder = try await FolderVault()
    let slot = try await folder.vault.addSlot(NewSlot(.recipient(AgeIdentity.generate().recipient)))
    FileTree.remove(folder.file(.slot(slot.id)))
    try await folder.vault.removeSlot(slot.id, evenDamaged: true)
    #expect(folder.vault.header.slots.count == 1)
  }

  @Test("a passphrase is changed under a new id and file, with the label and the present cost")
  func changingPassphrase() async throws {
    let folder = try await FolderVault()
    let new = NewSlot(.passphrase(try secret("old"), workFactor: 10), label: "words")
    let old = try await folder.vault.addSlot(new)
    #expect(try folder.vault.slotStates().map(\.isWeak) == [false, true])
    let opened = try await Vault.open(
      at: folder.path, unlockingWith: .passphrase(secret("old")), options: Vault.Options(state: nil))
    let slot = try await opened.changePassphrase(of: opened.slot.id, to: secret("new"))
    #expect(slot.id != old.id)
    #expect(slot.label == "words")
    #expect(opened.header.slots[1].id == slot.id)
    #expect(try opened.slotStates()[1].workFactor == SlotFile.defaultWorkFactor)
    #expect(folder.bytes(.slot(old.id)) == nil)
    let renewed = try await Vault.open(
      at: folder.path, unlockingWith: .passphrase(secret("new")), options: Vault.Options(state: nil))
    #expect(renewed.slot.id == slot.id)
    await #expect(throws: VaultError(.wrongPassphrase, "")) {
      try await Vault.open(
        at: folder.path, unlockingWith: .passphrase(secret("old")), options: Vault.Options(state: nil))
    }
    await #expect(throws: VaultError(.slotRefused, "")) {
      try await opened.changePassphrase(of: folder.vault.slot.id, to: secret("new"))
    }
  }

  @Test("a slot is named by its id, its exact label, or the beginning of its id")
  func naming() async throws {
    let folder = try await FolderVault()
    let other = try await folder.vault.addSlot(NewSlot(.recipient(AgeIdentity.generate().recipient), label: "b"))
    let twin = try await folder.vault.addSlot(NewSlot(.recipient(AgeIdentity.generate().recipient), label: "b"))
    let header = folder.vault.header
    #expect(try header.slot(named: other.id.text).id == other.id)
    #expect(try header.slot(named: String(twin.id.text.prefix(8))).id == twin.id)
    #expect(throws: VaultError(.ambiguousSlot, "")) { try header.slot(named: "b") }
    for text in ["", "B", String(other.id.text.prefix(3))] {
      #expect(throws: VaultError(.noSuchSlot, "")) { try header.slot(named: text) }
    }
  }

  @Test("a program with an older header takes the newer one before it changes slots")
  func refreshing() async throws {
    let folder = try await FolderVault()
    let second = try await Vault.open(
      at: folder.path, unlockingWith: .identity(folder.identity), options: Vault.Options(state: nil))
    try await second.addSlot(NewSlot(.recipient(AgeIdentity.generate().recipient)))
    try await folder.vault.addSlot(NewSlot(.recipient(AgeIdentity.generate().recipient)))
    #expect(folder.vault.header.slots.count == 3)
    #expect(folder.vault.header.revision == 3)
  }

  @Test("a recipient that somebody writes into the header gets no key")
  func forgedHeader() async throws {
    let clock = TestClock.stopped()
    let (vault, store) = try await clock.vault()
    let attacker = try AgeIdentity.generate().recipient.text
    try store.edit(.header) { header in
      guard case .array(var slots)? = header["slots"], case .object(var slot) = slots[0] else { return }
      slot["id"] = .string(SlotID.random().text)
      slot["recipient"] = .string(attacker)
      slots.append(.object(slot))
      header["slots"] = .array(slots)
    }
    for change in 0..<3 {
      await #expect(throws: VaultError(.damaged, ""), "\(change)") {
        switch change {
        case 0: try await vault.addSlot(NewSlot(.recipient(AgeIdentity.generate().recipient)))
        case 1: _ = try await vault.rotate(.rewrap)
        default: _ = try await vault.rotate(.reseal)
        }
      }
    }
    #expect(try store.slots().count == 1)
  }
}
