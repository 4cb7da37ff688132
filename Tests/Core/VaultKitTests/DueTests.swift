import Testing
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport

@Suite("What is due")
struct DueTests {
  private func due(_ vault: RotationVault, _ rule: DueRule = .sinceReseal) throws -> DueFields {
    try LockedVault(store: vault.store()).due(rule)
  }

  @Test("without a reseal nothing is due for somebody who left")
  func none() async throws {
    let vault = try await RotationVault.make()
    _ = try await vault.open().rotate(.rewrap)
    #expect(try due(vault).before == nil)
    #expect(try due(vault).fields.isEmpty)
  }

  @Test("after a reseal every secret that was readable is due, in the trash too, sorted by name")
  func everything() async throws {
    let vault = try await RotationVault.make()
    _ = try await vault.open().rotate(.reseal)
    let fields = try due(vault).fields
    #expect(fields.map(\.record.name) == ["gone", "gone", "one", "one", "two", "two"])
    #expect(fields.map(\.path.description) == (0..<3).flatMap { _ in ["access_key", "atm_code"] })
    #expect(fields.map(\.isTrashed) == [true, true, false, false, false, false])
  }

  @Test("a field leaves the list when its value changed, and not when an equal one was written")
  func replacing() async throws {
    let vault = try await RotationVault.make()
    let opened = try await vault.open()
    _ = try await opened.rotate(.reseal)
    let same = try await opened.update(vault.live[0], as: Customer.self) { $0.accessKey = "key of one" }
    #expect(!same)
    #expect(try due(vault).fields.count == 6)
    #expect(try await opened.update(vault.live[0], as: Customer.self) { $0.accessKey = "new" })
    #expect(try due(vault).fields.count == 5)
    _ = try await opened.rotate(.rewrap)
    #expect(try due(vault).fields.count == 5)
    _ = try await opened.rotate(.reseal)
    #expect(try due(vault).fields.count == 6)
  }

  @Test("what is sealed in the second of a reseal is not due, whoever opened the vault; nobody waits for the next one")
  func sameSecond() async throws {
    let vault = try await RotationVault.make()
    let moment = RotationVault.options.now()
    var options = Vault.Options(state: nil)
    options.now = { moment }
    let opened = try await vault.open(options: options)
    _ = try await opened.rotate(.reseal)
    #expect(try due(vault).fields.count == 6)
    #expect(try await opened.update(vault.live[0], as: Customer.self) { $0.accessKey = "new" })
    let again = try await vault.open(options: options)
    #expect(try await again.update(vault.live[1], as: Customer.self) { $0.accessKey = "new" })
    _ = try await again.add(RotationVault.customer("added"))
    #expect(try due(vault).fields.count == 4)
    // A clock that is far behind is not corrected.
    let earlier = try Timestamp(secondsSinceEpoch: moment.secondsSinceEpoch - 5)
    options.now = { earlier }
    _ = try await vault.open(options: options).add(RotationVault.customer("behind"))
    #expect(try due(vault).fields.count == 6)
  }

  @Test("by age, live records are listed whose values were sealed before then")
  func byAge() async throws {
    let vault = try await RotationVault.make()
    let opened = try await vault.open()
    let time = RotationVault.options.now()
    #expect(try due(vault, .sealedBefore(time)).fields.count == 4)
    #expect(try await opened.update(vault.live[0], as: Customer.self) { $0.accessKey = "new" })
    #expect(try due(vault, .sealedBefore(time)).fields.count == 3)
  }

  @Test("a file that cannot be read is reported, and the others are listed")
  func damaged() async throws {
    let vault = try await RotationVault.make()
    _ = try await vault.open().rotate(.reseal)
    let store = try vault.store()
    let place = StoreLocation.record(vault.live[0])
    let bytes = try #require(try store.read(place))
    try store.apply([StoreChange(place, from: bytes, to: bytes.flipping("es1:"))])
    #expect(try due(vault).fields.count == 5)
    let text = String(decoding: bytes, as: UTF8.self).replacing("es1:", with: "es1:!")
    try store.apply([StoreChange(place, from: store.read(place), to: Array(text.utf8))])
    #expect(try due(vault).faults.map(\.code) == [.damaged])
    #expect(try due(vault).fields.count == 4)
  }
}
