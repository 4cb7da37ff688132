import VaultKit
import VaultRecords
import VaultSealing

/// All customers of a large vault, in one process.
enum Lists {
  private static let batch = 50_000

  static func fill(at place: String, _ count: Int) async throws -> Bool {
    let vault = try await Measured.create(at: place)
    let clock = ContinuousClock()
    let time = try await clock.measure {
      for first in stride(from: 0, to: count, by: batch) {
        _ = try await vault.add(contentsOf: (first..<min(first + batch, count)).map(Measured.customer))
      }
    }
    say("\(count) customers stored", "\(milliseconds(time)), \(megabytes(Process.peakByteCount))")
    return true
  }

  /// One after another, of which the names are kept.
  static func names(at place: String) async throws -> Bool {
    let vault = try await Measured.open(at: place)
    let clock = ContinuousClock()
    var names: [String] = []
    let time = try await clock.measure {
      for try await customer in vault.sequence(of: Customer.self) { names.append(customer.name) }
      names.sort()
    }
    say(
      "\(names.count) customers verified and listed by name",
      "\(milliseconds(time)), \(megabytes(Process.peakByteCount))")
    return !names.isEmpty
  }

  /// All of them in memory, each with its two secrets as tokens.
  static func records(at place: String) async throws -> Bool {
    let vault = try await Measured.open(at: place)
    let clock = ContinuousClock()
    let start = clock.now
    var customers = try await vault.records(of: Customer.self)
    customers.sort { $0.name < $1.name }
    let time = start.duration(to: clock.now)
    say(
      "\(customers.count) records of their type, by name", "\(milliseconds(time)), \(megabytes(Process.peakByteCount))")
    // That they can be opened.
    return try customers.first?.accessKey.reveal().hasPrefix("sample-key-") ?? false
  }
}
