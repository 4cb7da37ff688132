import Foundation
import VaultDocument
import VaultKit
import VaultRecords
import VaultTesting

/// The display of errors: a sentence, the next step, and facts for the program.
func show(_ error: any LocalizedError) -> String {
  [error.errorDescription, error.recoverySuggestion].compactMap { $0 }.joined(separator: " ")
}

let vault = try await TestVault().vault
let id = try await vault.add(Customer(name: "Ada", accessKey: "sample-key", addedOn: .now))
for _ in 0..<2 { try await vault.add(Customer(name: "Bob", accessKey: "sample-key", addedOn: .now)) }
var said: [String] = []

do { _ = try await vault.record(.random(), as: Customer.self).value } catch { said.append(show(error)) }
do { _ = try await vault.record(id, as: Login.self).value } catch { said.append(show(error)) }
do { _ = try await Vault.open(at: "/nowhere", unlockingWith: .identities([])) } catch { said.append(show(error)) }
do {
  _ = try await vault.record(named: "Bob")
} catch {
  precondition(error.code == .ambiguousRecord && error.candidates.count == 2)
  said.append(show(error))
}
do {
  try await vault.update(id, as: Customer.self, expecting: 7) { $0.city = "Oslo" }
} catch {
  precondition(error.code == .changedUnderneath && error.revision == 1)
  said.append(show(error))
}
precondition(said.count == 5 && !said.contains { $0.contains("sample") })
for text in said { print("Errors: \(text)") }
