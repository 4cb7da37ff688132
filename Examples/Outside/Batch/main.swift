import VaultKit
import VaultRecords
import VaultSealing
import VaultTesting

/// 10,000 customers: stored, listed with their ids, changed in one transaction, refused by revision.
struct Report {
  var (stored, moved) = (0, 0)
}

@MainActor final class Importer {
  private(set) var report = Report()

  func run(_ vault: Vault, count: Int) async throws {
    let ids = try await vault.add(
      contentsOf: (1...count).map {
        Customer(name: "Customer \($0)", accessKey: EncryptedCodableString("sample-\($0)"), addedOn: .now)
      })
    report.stored = ids.count
    for try await customer in vault.sequence(of: Customer.self) where customer.name.hasSuffix("7") {
      try await vault.update(customer.id, as: Customer.self, expecting: customer.revision) { $0.city = "Santa Fe" }
    }
    try await vault.write { transaction in
      for id in ids.prefix(1_000) { try await transaction.update(id, as: Customer.self) { $0.tags = ["first"] } }
    }
    report.moved = try await vault.records(of: Customer.self).filter { $0.city == "Santa Fe" }.count
  }
}

let importer = Importer()
try await importer.run(TestVault().vault, count: 2_000)
print("Batch: \(importer.report.stored) stored, \(importer.report.moved) moved")
