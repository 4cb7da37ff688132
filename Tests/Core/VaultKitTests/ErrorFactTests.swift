import Testing
import VaultDocument
import VaultFileStore
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport
import VaultTesting

@Suite("Facts that errors have for programs")
struct ErrorFactTests {
  private func error(_ body: () async throws -> Void) async throws -> VaultError {
    do {
      try await body()
    } catch let error as VaultError {
      return error
    }
    throw VaultError(.internalFailure, "nothing was thrown")
  }

  @Test("a word that means several records: which")
  func candidates() async throws {
    let vault = try await TestVault().vault
    let ids = try await vault.add(contentsOf: (0..<12).map { _ in SecureNote(title: "Router", text: "secret") })
    let error = try await error { _ = try await vault.record(named: "router") }
    #expect(error.code == .ambiguousRecord)
    #expect(Set(error.candidates) == Set(ids))
  }

  @Test("the address of a database in a program without a store for it: that the program has none")
  func addressWithoutStore() async throws {
    let error = try await error { _ = try LockedVault(at: "postgresql://db.example/app?vault=ops") }
    #expect(error.code == .usage)
    #expect(error.reason == "this program cannot open a vault in a database")
    #expect(error.remedies.compactMap(\.sentence) == ["use a program that has the module VaultPostgresStore"])
  }

  @Test("a record that was changed meanwhile: its revision now")
  func revision() async throws {
    let vault = try await TestVault().vault
    let id = try await vault.add(SecureNote(title: "Router", text: "secret"))
    try await vault.update(id, as: SecureNote.self) { $0.title = "Switch" }
    let alone = try await error { try await vault.update(id, as: SecureNote.self, expecting: 1) { $0.title = "Hub" } }
    #expect(alone.code == .changedUnderneath)
    #expect(alone.revision == 2)
    #expect(alone.record == id)
    let together = try await error {
      try await vault.write { try await $0.update(id, as: SecureNote.self, expecting: 1) { $0.title = "Hub" } }
    }
    #expect(together.revision == 2)
  }

  @Test("a lock that somebody holds: which process")
  func holder() async throws {
    var options = Vault.Options(state: nil)
    options.lockTimeout = .zero
    let test = try await TestVault(options: options)
    let lock = try test.store.lock(.shared, timeout: .zero) { _ in }
    defer { lock.release() }
    let error = try await error { try await test.vault.add(SecureNote(title: "Router", text: "secret")) }
    #expect(error.code == .lockedByOther)
    #expect(error.holder != nil)
    #expect(error.systemErrorNumber == nil)
  }

  @Test("a slot whose file is gone: which, and a path that cannot be read: the system's number")
  func slotAndNumber() async throws {
    let test = try await TestVault()
    let slot = test.vault.slot.id
    let bytes = try test.store.read(.slot(slot))
    try test.store.apply([StoreChange(.slot(slot), from: bytes, to: nil)])
    let missing = try await error { _ = try await test.reopened() }
    #expect(missing.code == .damaged)
    #expect(missing.slot == slot)
    #expect(missing.record == nil)
    let folder = TemporaryFolder()
    let number = try await error {
      _ = try await Vault.open(
        at: folder.path + "/none", unlockingWith: .identity(test.identity), options: Vault.Options(state: nil))
    }
    #expect(number.code == .ioFailed)
    #expect(number.systemErrorNumber == 2)
    #expect(number.slot == nil)
  }
}
