import Foundation
import VaultKit
import VaultRecordMacros
import VaultTesting

@VaultRecord("client", keys: .snake)
struct Client: Equatable {
  @Title var name: String
  var accessKey: EncryptedCodableString
  var atmCode: EncryptedCodableString?
  var addedOn: Date
  @Nested("address") var street: String?
  @Nested("address") var city: String?
  @Nested("contact_info") var email: String?
  var tags: [String] = []
}

/// A result that differs from the promise of the example.
struct ExampleFailure: Error {
  let what: String

  static func unless(_ condition: Bool, _ what: String) throws {
    if !condition { throw ExampleFailure(what: what) }
  }
}

@main
enum MacroExample {
  static func main() async throws {
    let test = try await TestVault(types: [Client.self])
    let canary = Canary.random()
    let client = Client(
      name: "Robert Jones", accessKey: EncryptedCodableString(canary.text),
      addedOn: Date(timeIntervalSince1970: 1_700_000_000), city: "Santa Fe", email: "robert@example.com")
    let id = try await test.vault.add(client)

    // As another process would read it.
    let vault = try await test.reopened()
    try ExampleFailure.unless(try await vault.record(id, as: Client.self).value == client, "it came back as it went")
    try await vault.update(id, as: Client.self) { client in
      client.atmCode = "4711"
      client.tags = ["gold"]
    }
    let fields = try await vault.record(id).fields
    try ExampleFailure.unless(fields["address"]?["city"] == "Santa Fe", "the city is in an object")
    try ExampleFailure.unless(fields["contact_info"]?["email"] == "robert@example.com", "so is the mail address")
    try ExampleFailure.unless(fields["added_on"]?.string == "2023-11-14T22:13:20Z", "keys are in snake case")

    try RecordKind.check(of: Client.self)
    let rows = try await LockedVault(store: test.store, types: [Client.self]).list()
    try ExampleFailure.unless(rows.map(\.name) == ["Robert Jones"], "it is listed by its title, without a key")
    try ExampleFailure.unless(try canary.sightings(in: test.store).isEmpty, "its secret is nowhere readable")
    print("RecordMacros: a record type of ten lines went through a vault and back, \(fields.count) members")
  }
}
