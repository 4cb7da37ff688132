import Testing
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport

/// An error that is not one of ours.
private struct Refusal: Error, Equatable { let number: Int }

/// The situation of an app: a type of the main actor that changes its own state in the closures of a vault.
@MainActor private final class Model {
  var names: [String] = []
  private let vault: Vault

  init(_ vault: Vault) { self.vault = vault }

  func rename(_ id: RecordID) async throws -> Bool {
    try await vault.update(id, as: Customer.self) { customer in
      MainActor.assertIsolated()
      names.append(customer.name)
      customer.name = "new"
    }
  }

  func readAll() async throws {
    try await vault.forEachOpenRecord { record in
      MainActor.assertIsolated()
      names.append(record.name)
    }
    for try await customer in vault.sequence(of: Customer.self) { names.append(customer.name) }
    try await vault.write { transaction in
      MainActor.assertIsolated()
      _ = try await transaction.add(sampleCustomer())
      MainActor.assertIsolated()
    }
    _ = try await vault.forEachOpenTrashedRecord { _, _ in MainActor.assertIsolated() }
  }

  func check() async throws -> Int {
    var steps = 0
    _ = try await vault.verify {
      MainActor.assertIsolated()
      steps += 1
      names.append("verified")
    }
    _ = try await vault.rotate(.rewrap) { steps += $0 }
    return steps
  }
}

private actor Counter {
  private(set) var count = 0
  private let vault: Vault

  init(_ vault: Vault) { self.vault = vault }

  func run(_ id: RecordID) async throws {
    try await vault.forEachOpenRecord { (_: OpenRecord) throws(VaultError) in count += 1 }
    try await vault.update(id, as: Customer.self) { customer in
      count += 1
      customer.city = "\(count)"
    }
    try await vault.write { transaction in
      count += 1
      try await transaction.update(id, as: Customer.self) { _ in count += 1 }
    }
  }
}

@Suite("Closures that belong to an actor") struct IsolationTests {
  @Test("run on the main actor where a type of it calls, and see its state")
  func mainActor() async throws {
    let (vault, _, _) = try await memoryVault()
    let id = try await vault.add(sampleCustomer("old"))
    let model = await Model(vault)
    #expect(try await model.rename(id))
    try await model.readAll()
    #expect(await model.names == ["old", "new", "new"])
    // Both records are verified, and then written anew.
    #expect(try await model.check() == 4)
    #expect(await model.names.last == "verified")
  }

  @Test("run on an actor, and see its state")
  func actor() async throws {
    let (vault, _, _) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let counter = Counter(vault)
    try await counter.run(id)
    #expect(await counter.count == 4)
    #expect(try await vault.record(id, as: Customer.self).value.city == "2")
  }

  @Test("may throw any error, which comes out as it is, and then nothing is written")
  func anyError() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let before = try store.read(.record(id))
    await #expect(throws: Refusal(number: 1)) {
      try await vault.update(id, as: Customer.self) { customer in
        customer.name = "other"
        throw Refusal(number: 1)
      }
    }
    await #expect(throws: Refusal(number: 2)) {
      try await vault.update([id], as: Customer.self) { customer in
        customer.name = "other"
        throw Refusal(number: 2)
      }
    }
    await #expect(throws: Refusal(number: 3)) {
      try await vault.write { transaction in
        try await transaction.update(id, as: Customer.self) { $0.name = "other" }
        throw Refusal(number: 3)
      }
    }
    await #expect(throws: Refusal(number: 4)) { try await vault.forEachOpenRecord { _ in throw Refusal(number: 4) } }
    #expect(try store.read(.record(id)) == before)
  }

  @Test("give their result back")
  func results() async throws {
    let (vault, _, _) = try await memoryVault()
    let id = try await vault.add(sampleCustomer("one"))
    let old = try await vault.update(id, as: Customer.self) { customer in
      defer { customer.name = "two" }
      return customer.name
    }
    #expect(old == "one")
    let count = try await vault.write { transaction in try await transaction.record(id, as: Customer.self).name.count }
    #expect(count == 3)
  }

  @Test("the last step is told before a verification returns")
  func progress() async throws {
    let (vault, _, _) = try await memoryVault()
    try await vault.add(contentsOf: (0..<300).map { sampleCustomer("\($0)") })
    var steps = 0
    _ = try await vault.verify { steps += 1 }
    #expect(steps == 300)
  }
}
