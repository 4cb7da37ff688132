import VaultKit
import VaultRecords

/// One field of many customers, changed in one transaction.
enum Transactions {
  static let limit = 3.0

  static func measure(at place: String, _ count: Int) async throws -> Bool {
    let vault = try await Measured.create(at: place)
    let clock = ContinuousClock()
    let customers = Measured.customers(count)
    // The additional work of a first batch, such as making folders, belongs to neither.
    _ = try await vault.add(contentsOf: customers)
    let start = clock.now
    let ids = try await vault.add(contentsOf: customers)
    let importing = start.duration(to: clock.now)
    let changing = try await clock.measure {
      try await vault.write { transaction in
        for id in ids { try await transaction.update(id, as: Customer.self) { $0.city = "Santa Fe" } }
      }
    }
    let atOnce = try await clock.measure {
      _ = try await vault.update(ids, as: Customer.self) { $0.city = "Taos" }
    }
    let ratio = changing / importing
    say("import of \(count) customers", milliseconds(importing))
    say("one field of each changed, in one transaction", milliseconds(changing))
    say("the same by one call with all ids", milliseconds(atOnce))
    say("ratio", "\(rounded(ratio)), at most \(Int(limit))")
    return ratio <= limit
  }
}
