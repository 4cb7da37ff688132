import Testing
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTesting

private struct Door: VaultRecord {
  var name: String
  var code: EncryptedCodableString
}

@Suite("A vault for tests") struct TestVaultTests {
  @Test("it seals, lives by its clock, and opens again with its types")
  func roundTrip() async throws {
    let test = try await TestVault(types: [Door.self])
    let canary = Canary.random()
    let id = try await test.vault.add(Door(name: "cellar", code: EncryptedCodableString(canary.text)))
    test.clock.advance(by: .seconds(90))
    try await test.vault.update(id, as: Door.self) { $0.name = "cellar door" }
    let door = try await test.reopened().record(id, as: Door.self)
    #expect(door.value.name == "cellar door")
    #expect(try door.value.code.reveal() == canary.text)
    #expect(door.createdAt.text == "2026-01-01T09:00:00Z")
    #expect(door.updatedAt.text == "2026-01-01T09:01:30Z")
    #expect(try canary.sightings(in: test.store).isEmpty)
  }

  @Test("a member that should have been sealed is found")
  func unsealed() async throws {
    struct Careless: VaultRecord {
      var name: String
      var code: String
    }
    let test = try await TestVault(types: [Careless.self])
    let canary = Canary.random()
    let id = try await test.vault.add(Careless(name: "cellar", code: canary.text))
    let sightings = try canary.sightings(in: test.store)
    #expect(sightings.map(\.place) == [.record(id)])
    #expect(sightings.map(\.form) == [.text])
  }

  @Test("what is set besides clock and types is taken")
  func options() async throws {
    var options = Vault.Options(state: nil)
    options.lockTimeout = .zero
    let test = try await TestVault(types: [Door.self], options: options)
    let lock = try test.store.lock(.shared, timeout: .zero) { _ in }
    defer { lock.release() }
    await #expect(throws: VaultError(.lockedByOther, "")) { try await test.vault.add(Door(name: "a", code: "b")) }
  }

  @Test(
    "the clock moves ahead and back",
    arguments: [
      (Duration.zero, "2026-01-01T09:00:00Z"), (.milliseconds(1500), "2026-01-01T09:00:01.500Z"),
      (.milliseconds(-500), "2026-01-01T08:59:59.500Z"), (.seconds(-3600), "2026-01-01T08:00:00Z"),
      (.nanoseconds(-1), "2026-01-01T08:59:59.999Z"),
    ])
  func clock(_ duration: Duration, _ time: String) {
    let clock = TestClock()
    clock.advance(by: duration)
    #expect(clock.now.text == time)
  }
}
