import Foundation
import Testing
import VaultCare
import VaultKit
import VaultRecordMacros
import VaultTesting

/// The same JSON as the customer of the library.
@VaultRecord("shopper", keys: .snake)
private struct Shopper: Equatable {
  @Title var name: String
  var accessKey: EncryptedCodableString
  var atmCode: EncryptedCodableString?
  var addedOn: Date
  @Nested("address") var street: String?
  @Nested("address") var city: String?
  @Nested("address") var zip: String?
  @Nested("contact_info") var homePhone: String?
  @Nested("contact_info") var cellularPhone: String?
  @Nested("contact_info") var email: String?
  @Nested("contact_info") var website: String?
}

/// A later version of a type that was a plain one.
private struct Plain: VaultRecord {
  static let kindName = "note-of-mine"
  var label: String
  var code: EncryptedCodableString
}

@VaultRecord("note-of-mine")
private struct Written: Equatable {
  static let schema = 2
  static let migrations = [Migration(to: 2, [.move("label", to: "head.label")])]
  @Nested("head") @Title var label: String
  var code: EncryptedCodableString
  var level: Level = .low

  enum Level: String, Codable, CaseIterable { case low, high }
}

@Suite("Record types that a macro has written") struct RoundTripTests {
  @Test("the JSON is that of the type which is written by hand")
  func sameJSON() async throws {
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    let test = try await TestVault(types: [Shopper.self])
    let byHand = Customer(name: "Ada", accessKey: "k", addedOn: date, city: "Oslo", zip: "0150", email: "a@example.com")
    let byMacro = Shopper(name: "Ada", accessKey: "k", addedOn: date, city: "Oslo", zip: "0150", email: "a@example.com")
    let ids = [try await test.vault.add(byHand), try await test.vault.add(byMacro)]
    var revealed: [JSONObject] = []
    for id in ids { revealed.append(try await test.vault.record(id).revealed()) }
    #expect(revealed[0] == revealed[1])
    #expect(try await test.reopened().record(ids[1], as: Shopper.self).value == byMacro)
    #expect(try await test.vault.verify().isGood)
  }

  @Test("the kind is learned from what was written: seals, objects, what may be absent, titles")
  func kind() throws {
    try RecordKind.check(of: Shopper.self)
    let kind = RecordKind(of: Shopper.self)
    #expect(kind.titlePaths.map(\.description) == ["name"])
    #expect(kind.fields.filter(\.isSealed).map(\.pattern) == ["access_key", "atm_code"])
    #expect(kind.fields.filter(\.isRequired).map(\.pattern) == ["name", "access_key", "added_on"])
    #expect(kind.fields.contains { $0.pattern == "contact_info.cellular_phone" })
    #expect(RecordKind(of: Written.self).titlePaths.map(\.description) == ["head.label"])
  }

  @Test("records of an earlier, plain type come along by a migration, and what is absent has its own value")
  func migration() async throws {
    let old = try await TestVault(types: [Plain.self])
    let id = try await old.vault.add(Plain(label: "Door", code: "4711"))
    var options = Vault.Options(state: nil)
    options.types = [Written.self]
    let vault = try await Vault.open(in: old.store, unlockingWith: .identity(old.identity), options: options)
    #expect(try await vault.record(id, as: Written.self).value == Written(label: "Door", code: "4711", level: .low))
    try await vault.migrate()
    #expect(try await vault.record(id).fields["head"]?["label"] == "Door")
  }
}
