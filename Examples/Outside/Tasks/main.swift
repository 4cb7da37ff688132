import Foundation
import VaultDocument
import VaultCare
import VaultKit
import VaultRecords
import VaultTesting

/// An actor with state that its closures touch; 100 tasks at one record; tasks that are given up.
actor Counter {
  struct Full: Error {}
  private let vault: Vault
  private(set) var seen: [String] = []
  init(_ vault: Vault) { self.vault = vault }

  func list() async throws { try await vault.forEachOpenRecord { record in seen.append(record.name) } }

  func raise(_ id: RecordID, upTo limit: Int) async throws -> Int {
    try await vault.update(id, as: Customer.self) { customer in
      let count = Int(customer.zip ?? "0") ?? 0
      guard count < limit else { throw Full() }
      customer.zip = String(count + 1)
      return count + 1
    }
  }
}

let vault = try await TestVault().vault
let id = try await vault.add(Customer(name: "Ada", accessKey: "sample", addedOn: .now))
let counter = Counter(vault)
try await withThrowingTaskGroup(of: Void.self) { group in
  for _ in 0..<100 { group.addTask { _ = try await counter.raise(id, upTo: 100) } }
  try await group.waitForAll()
}
do {
  _ = try await counter.raise(id, upTo: 100)
  preconditionFailure("it is full")
} catch is Counter.Full {}
try await counter.list()
let seen = await counter.seen
precondition(seen == ["Ada"])

let cancelled = Task {
  withUnsafeCurrentTask { $0?.cancel() }
  _ = try await vault.rotate(.rewrap)
}
do {
  try await cancelled.value
  preconditionFailure("a cancelled task rotates nothing")
} catch let error as VaultError { precondition(error.code == .cancelled) }
let (found, count) = (try await vault.verify(), try await vault.record(id, as: Customer.self).value.zip ?? "")
precondition(found.isGood && count == "100")
print("Tasks: \(count) raises, none lost; a cancelled rotation said so")
