import VaultDocument
import VaultCare
import VaultKit
import VaultRecords

// The whole module belongs to the main actor, like a new app in Xcode.

final class CustomerList {
  private(set) var names: [String] = []
  private(set) var verifiedCount = 0
  private let vault: Vault

  init(_ vault: Vault) { self.vault = vault }

  func load() async throws {
    names = []
    try await vault.forEachOpenRecord { record in names.append(record.name) }
    try await vault.forEachOpenRecord({ $0.name }, consume: { name in names.append(name) })
    for try await customer in vault.sequence(of: Customer.self) { names.append(customer.name) }
    names += try await vault.records(of: Customer.self).map(\.name)
  }

  func rename(_ id: RecordID, to name: String) async throws {
    try await vault.update(id, as: Customer.self) { customer in
      names.append(customer.name)
      customer.name = name
    }
    try await vault.update([id], as: Customer.self) { customer in names.append(customer.name) }
    try await vault.write { transaction in
      names.append(try await transaction.record(id, as: Customer.self).name)
      try await transaction.update(id, as: Customer.self) { $0.city = names.last }
    }
  }

  func verify() async throws {
    _ = try await vault.verify { verifiedCount += 1 }
    _ = try await vault.makeCheckpoint { verifiedCount += 1 }
    _ = try await vault.rotate(.rewrap) { verifiedCount += $0 }
  }

  func add(_ customers: [Customer]) async throws {
    try await vault.add(contentsOf: customers)
    for customer in customers { try await vault.add(customer) }
  }
}
