import VaultDocument
import VaultKit
import VaultRecords

/// An actor that changes its own state in the closures of a vault.
actor CustomerService {
  private(set) var count = 0
  private var names: [RecordID: String] = [:]
  private let vault: Vault

  init(_ vault: Vault) { self.vault = vault }

  func load() async throws(VaultError) {
    try await vault.forEachOpenRecord { (record: OpenRecord) throws(VaultError) in
      count += 1
      names[record.id] = record.name
    }
    _ = try await vault.forEachOpenTrashedRecord { record, _ in names[record.id] = nil }
  }

  func rename(_ id: RecordID, to name: String) async throws {
    try await vault.update(id, as: Customer.self, expecting: 1) { customer in
      names[id] = name
      customer.name = name
    }
    try await vault.write { transaction in
      count += 1
      try await transaction.update(id, as: Customer.self) { customer in
        names[id] = customer.name
        customer.city = "\(count)"
      }
    }
  }
}

/// A type of the main actor in a module that has no default.
@MainActor final class Counter {
  private var names: [String] = []
  private let vault: Vault

  init(_ vault: Vault) { self.vault = vault }

  func touch(_ id: RecordID) async throws {
    try await vault.update(id, as: Customer.self) { customer in
      names.append(customer.name)
      customer.tags = names
    }
  }
}
