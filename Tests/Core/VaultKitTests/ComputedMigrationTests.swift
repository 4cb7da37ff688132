import Testing
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTesting

/// A member as a first version of a program had it.
private struct OldMember: VaultRecord {
  static let kindName = "member"
  static let titlePaths = ["last"]
  var first: String
  var last: String
  var phone: String
  var pin: EncryptedCodableString
  var card: EncryptedCodableString
}

/// The steps of the next version.
private final class Steps: Sendable {
  let list: [MigrationStep]
  init(_ list: [MigrationStep]) { self.list = list }
}

private struct ClubMember: VaultRecord {
  @TaskLocal static var steps = Steps([])
  static let kindName = "member"
  static let schema = 2
  static let titlePaths = ["name"]
  static var migrations: [Migration] { [Migration(to: 2, steps.list)] }
  var name: String
  var phone: EncryptedCodableString?
  var pin: EncryptedCodableString
  var card: EncryptedCodableString
  var ending: String?
}

private struct Foreign: Error, CustomStringConvertible { var description: String { "5555 secret" } }

private let naming = MigrationStep.compute("name from first and last name") { record in
  guard let first = record["first"]?.string, let last = record["last"]?.string else { return }
  record["name"] = .string("\(first) \(last)")
  record["first"] = nil
  record["last"] = nil
}

@Suite("Migrations in Swift")
struct ComputedMigrationTests {
  /// One old record, and the vault as the next version opens it.
  private func migrated<Result: Sendable>(
    _ steps: [MigrationStep], _ body: (Vault, RecordID, MemoryStore) async throws -> Result
  ) async throws -> Result {
    let test = try await TestVault(types: [OldMember.self])
    let old = OldMember(first: "Ada", last: "Lovelace", phone: "555 0100", pin: "1234", card: "4000 1234 5678 9010")
    let id = try await test.vault.add(old)
    return try await ClubMember.$steps.withValue(Steps(steps)) {
      var options = Vault.Options(state: nil)
      options.types = [ClubMember.self]
      let vault = try await LockedVault(store: test.store).unlock(with: .identity(test.identity), options: options)
      return try await body(vault, id, test.store)
    }
  }

  @Test("readable members come of readable ones, seen at once, listed without a key, and written by migrate")
  func readable() async throws {
    try await migrated([naming, .seal("phone")]) { vault, id, store in
      #expect(try await vault.record(id, as: ClubMember.self).value.name == "Ada Lovelace")
      let rows = try await LockedVault(store: store, types: [ClubMember.self]).list()
      #expect(rows.map(\.name) == ["Ada Lovelace"])
      let plan = try await vault.migrationPlan()
      #expect(plan.records.first?.steps.map(\.description) == ["name from first and last name", "phone is sealed"])
      try await vault.migrate()
      let record = try await vault.record(id)
      #expect(record.envelope.schema == 2)
      #expect(record.fields["first"] == nil)
      #expect(record.fields["name"] == "Ada Lovelace")
      #expect(try await vault.verify().isGood)
      #expect(try await vault.record(id, as: ClubMember.self).value.phone == "555 0100")
    }
  }

  @Test("a value that the kind refuses: of a record in an older form, how to migrate is said as well")
  func editing() async throws {
    func refusal(of vault: Vault, _ id: RecordID) async -> VaultError? {
      do throws(VaultError) {
        try await vault.edit(id, [.set(MemberPath([.member("ending")]), to: 5)])
        return nil
      } catch {
        return error
      }
    }
    try await migrated([naming, .seal("phone")]) { vault, id, _ in
      let before = await refusal(of: vault, id)
      #expect(before?.code == .inputRefused)
      #expect(before?.remedies == [.migrate])
      try await vault.migrate()
      let after = await refusal(of: vault, id)
      #expect(after?.code == .inputRefused)
      #expect(after?.remedies.contains(.migrate) == false)
    }
  }

  @Test("a step makes a sealed value of a sealed one, which keeps it from every reader without a key")
  func sealedOfSealed() async throws {
    let digits = MigrationStep.compute("digits of the card alone") { record in
      guard let card = try record.revealed("card") else { return }
      try record.seal(.string(String(card.filter { $0 != " " })), at: "card")
    }
    try await migrated([naming, .seal("phone"), digits]) { vault, id, store in
      #expect(try await vault.record(id, as: ClubMember.self).value.card == "4000123456789010")
      // Without a key a record that a step wants to open is listed in its old form.
      #expect(try await LockedVault(store: store, types: [ClubMember.self]).list().map(\.id) == [id])
      let plan = try await vault.migrate()
      #expect(plan.seals)
      #expect(plan.opened.isEmpty)
      #expect(try await vault.record(id, as: ClubMember.self).value.card == "4000123456789010")
      #expect(try Canary("4000123456789010").sightings(in: store).isEmpty)
    }
  }

  @Test("what becomes readable of a sealed value needs the step that says so, and a person's yes")
  func readableOfSealed() async throws {
    let ending = MigrationStep.compute("last four digits") { record in
      guard let card = try record.revealed("card") else { return }
      record["ending"] = .string(String(card.suffix(4)))
    }
    try await migrated([naming, .seal("phone"), ending]) { vault, id, store in
      let before = try store.read(.record(id))
      #expect(try await vault.migrationPlan().faults.first?.field == "ending")
      await #expect(throws: VaultError(.inputRefused, "")) { try await vault.migrate() }
      #expect(try store.read(.record(id)) == before)
    }
    let afterOpening = MigrationStep.compute("last four digits") { record in
      guard let card = record["card"]?.string else { return }
      record["ending"] = .string(String(card.suffix(4)))
    }
    try await migrated([naming, .seal("phone"), .open("card"), afterOpening, .seal("card")]) { vault, id, _ in
      // Nobody has agreed yet, so the sealed value stays hidden.
      #expect(try await vault.record(id).fields["ending"] == nil)
      let plan = try await vault.migrationPlan()
      #expect(plan.opened.map(\.description) == ["card"])
      try await vault.migrate(opening: plan.opened)
      #expect(try await vault.record(id, as: ClubMember.self).value.ending == "9010")
    }
  }

  @Test("clear text in a sealed place, a value without a place and an error of the caller's stop the batch")
  func refusals() async throws {
    func fault(_ step: MigrationStep) async throws -> VaultError? {
      try await migrated([naming, .seal("phone"), step]) { vault, id, store in
        let before = try store.read(.record(id))
        let fault = try await vault.migrationPlan().faults.first
        await #expect(throws: VaultError(.inputRefused, "")) { try await vault.migrate() }
        #expect(try store.read(.record(id)) == before)
        return fault
      }
    }
    #expect(try await fault(.compute("clear") { $0["pin"] = "9999" })?.field == "pin")
    #expect(try await fault(.compute("nowhere") { $0["name.deep"] = "x" })?.field == "name.deep")
    let foreign = try #require(try await fault(.compute("of others") { _ in throw Foreign() }))
    #expect(foreign.description.contains("does not fit the step: of others"))
    #expect(!foreign.description.contains("5555"))
  }

  @Test("a step is equal to itself and to no other; paths of source code make every step")
  func steps() {
    let other = MigrationStep.compute("name from first and last name") { _ in }
    #expect(naming == naming)
    #expect(naming != other)
    #expect(MigrationStep.split("a", at: " ", into: ["b", "c"]).description == "a → b, c")
    #expect(MigrationStep.convert("a", to: .integer).description == "a becomes integer")
    #expect(MigrationStep.fill("a", with: 1).description == "a is added")
  }
}
