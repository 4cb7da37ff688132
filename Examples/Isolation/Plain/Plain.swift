import VaultDocument
import VaultKit
import VaultRecords

/// An error that a program has for itself.
struct Refused: Error {}

/// Code that belongs to no actor, like that of a server or a tool.
struct Customers: Sendable {
  let vault: Vault

  func move(_ id: RecordID, to city: String) async throws -> String? {
    try await vault.update(id, as: Customer.self) { customer in
      guard customer.city != city else { throw Refused() }
      defer { customer.city = city }
      return customer.city
    }
  }

  func swapCities(_ one: RecordID, _ two: RecordID) async throws {
    try await vault.write { transaction in
      let city = try await transaction.record(one, as: Customer.self).city
      let other = try await transaction.update(two, as: Customer.self) { customer in
        defer { customer.city = city }
        return customer.city
      }
      try await transaction.update(one, as: Customer.self) { $0.city = other }
    }
  }

  func moveAll(from old: String, to new: String) async throws -> Int {
    var ids: [RecordID] = []
    for try await customer in vault.sequence(of: Customer.self) where customer.city == old { ids.append(customer.id) }
    return try await vault.update(ids, as: Customer.self) { $0.city = new }.count
  }

  /// The errors of a vault keep their type where a closure throws no other.
  func rename(_ id: RecordID, to name: String) async throws(VaultError) -> Bool {
    try await vault.update(id, as: Customer.self) { $0.name = name }
  }
}
