import Testing
import VaultAge
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage

/// A record of a program that this one does not know.
private struct Gadget: VaultRecord {
  static let kindName = "gadget"
  static let titlePaths = ["title"]
  static let content = [
    MemberSchema("title", .text, required: true), MemberSchema("code", .text.sealed), MemberSchema("size", .port),
  ]
  var title: String
  var code: EncryptedCodableString
  var size: Int
}

/// A later version of the gadget.
private struct NewerGadget: VaultRecord {
  static let kindName = "gadget"
  static let schema = 2
  static let titlePaths = ["title"]
  static let content = Gadget.content
  var title: String
  var code: EncryptedCodableString
}

private let wifi = """
  {"type":"object","x-title":"ssid","required":["ssid"],
   "properties":{"ssid":{"type":"string"},"key":{"type":"string","x-sealed":true}}}
  """

private func object(_ text: String) -> JSONObject {
  (try? JSONParser.parse([UInt8](text.utf8)))?.object ?? JSONObject()
}

private func path(_ text: String) throws -> MemberPath { try MemberPath(parsing: text) }

@Suite("Kinds of a vault")
struct KindTests {
  @Test("a declared kind raises the header's revision once, and the same schema again writes nothing")
  func declaring() async throws {
    let (vault, identity, store) = try await memoryVault()
    #expect(try await vault.declareKind("wifi", as: object(wifi)) == .added)
    #expect(vault.header.revision == 2)
    #expect(vault.kinds.names.last == "wifi")
    let bytes = try store.read(.header)
    #expect(try await vault.declareKind("wifi", as: object(wifi)) == .unchanged)
    #expect(try store.read(.header) == bytes)
    let wider = wifi.replacing("\"ssid\":{", with: "\"band\":{\"type\":\"integer\"},\"ssid\":{")
    #expect(try await vault.declareKind("wifi", as: object(wider)) == .replaced)
    await #expect(throws: VaultError(.inputRefused, "")) {
      try await vault.declareKind("wifi", as: object(wifi.replacing(",\"x-sealed\":true", with: "")))
    }
    let sorted = wider.replacing("\"x-sealed\":true", with: "\"x-sealed\":true,\"x-secret\":\"password\"")
    #expect(try await vault.declareKind("wifi", as: object(sorted)) == .replaced)
    #expect(try await vault.declareKind("wifi", as: object(wider)) == .replaced)
    await #expect(throws: VaultError(.alreadyExists, "")) { try await vault.declareKind("login", as: object(wifi)) }
    await #expect(throws: VaultError(.inputRefused, "")) { try await vault.declareKind("Wi-Fi", as: object(wifi)) }
    #expect(try LockedVault(store: store).kinds["wifi"]?.fields.count == 4)
    let again = try await LockedVault(store: store).unlock(
      with: .identity(identity), options: Vault.Options(state: nil))
    let kind = try again.kinds.kind(named: "wifi")
    let id = try await again.add([object(#"{"ssid":"Home","key":"k"}"#)], kind: kind)[0]
    #expect(try await again.record(id).name == "Home")
    #expect(try await again.verify().isGood)
  }

  @Test("a record of an unknown kind survives changes, the trash and export without loss")
  func unknownKind() async throws {
    let identity = try AgeIdentity.generate()
    let store = MemoryStore()
    var options = Vault.Options(state: nil)
    options.types = [Gadget.self]
    let theirs = try await Vault.create(
      in: store, slots: [NewSlot(.recipient(identity.recipient))], options: options)
    let id = try await theirs.add(Gadget(title: "A", code: "secret", size: 7))
    let ours = try await LockedVault(store: store).unlock(with: .identity(identity), options: Vault.Options(state: nil))
    #expect(ours.kinds["gadget"] == nil)
    let before = try await ours.record(id)
    #expect(before.kind == nil)
    #expect(before.name == "A")
    #expect(try before.revealed()["code"] == "secret")
    #expect(try await ours.verify().isGood)
    try await ours.edit(id, [.set(path("title"), to: "B"), .seal(path("code"), secret("other"))])
    await #expect(throws: VaultError(.inputRefused, "")) { try await ours.edit(id, [.set(path("pin"), to: "1")]) }
    await #expect(throws: VaultError(.usage, "")) { try await ours.edit(id, [.set(path("code"), to: "clear")]) }
    try await ours.remove([id])
    try await ours.restore([id])
    let gadget = try await theirs.record(id, as: Gadget.self).value
    #expect(gadget.title == "B")
    #expect(gadget.size == 7)
    #expect(gadget.code == "other")
  }

  @Test("a record of a newer schema is shown, and refused to be changed")
  func newerSchema() async throws {
    let identity = try AgeIdentity.generate()
    let store = MemoryStore()
    var options = Vault.Options(state: nil)
    options.types = [NewerGadget.self]
    let theirs = try await Vault.create(
      in: store, slots: [NewSlot(.recipient(identity.recipient))], options: options)
    let id = try await theirs.add(NewerGadget(title: "A", code: "secret"))
    options.types = [Gadget.self]
    let ours = try await LockedVault(store: store).unlock(with: .identity(identity), options: options)
    #expect(try await ours.record(id).revealed()["code"] == "secret")
    await #expect(throws: VaultError(.newerFormat, "")) { try await ours.edit(id, [.set(path("title"), to: "B")]) }
    #expect(try await ours.migrationPlan().records.isEmpty)
  }

  @Test("a record that a type makes is held against its description, too")
  func typedRecordsAreChecked() async throws {
    let (vault, _, _) = try await memoryVault()
    await #expect(throws: VaultError(.inputRefused, "")) {
      try await vault.add(Database(engine: "mysql", host: "h", port: 70_000))
    }
    let id = try await vault.add(Database(engine: "mysql", host: "h", port: 3306))
    await #expect(throws: VaultError(.inputRefused, "")) {
      try await vault.update(id, as: Database.self) { $0.port = 0 }
    }
  }
}

@Suite("Migrations")
struct MigrationTests {
  private let old = """
    {"type":"object","properties":{"name":{"type":"string"},"port":{"type":"string"},"pin":{"type":"string"},
     "hint":{"type":"string","x-sealed":true},"old":{"type":"object","properties":{"a":{"type":"string"}}}}}
    """
  private let new = """
    {"type":"object","x-schema":2,
     "x-migrations":{"2":[{"split":"name","at":" ","into":["first","last"]},{"convert":"port","to":"integer"},
       {"seal":"pin"},{"open":"hint"},{"move":"old.a","to":"new.b"},{"fill":"country","with":"NO"}]},
     "properties":{"first":{"type":"string"},"last":{"type":"string"},"port":{"type":"integer"},
       "pin":{"type":"string","x-sealed":true},"hint":{"type":"string"},"country":{"type":"string"},
       "new":{"type":"object","properties":{"b":{"type":"string"}}}}}
    """

  private func vault(_ record: String) async throws -> (vault: Vault, id: RecordID, store: MemoryStore) {
    let (vault, _, store) = try await memoryVault()
    try await vault.declareKind("thing", as: object(old))
    let id = try await vault.add([object(record)], kind: vault.kinds.kind(named: "thing"))[0]
    try await vault.declareKind("thing", as: object(new))
    return (vault, id, store)
  }

  @Test("every step is seen on the fly, and written by migrate after a confirmation, as one revision")
  func everyStep() async throws {
    let (vault, id, store) = try await vault(
      #"{"name":"Ada King Lovelace","port":"22","pin":"1234","hint":"dog","old":{"a":"x"}}"#)
    let before = try store.read(.record(id))
    let seen = try await vault.record(id)
    #expect(seen.fields["first"] == "Ada")
    #expect(seen.fields["last"] == "King Lovelace")
    #expect(seen.fields["port"] == 22)
    #expect(seen.fields["new"]?["b"] == "x")
    #expect(seen.fields["old"] == nil)
    #expect(seen.fields["country"] == "NO")
    #expect(seen.fields["pin"]?.string.map(SealedToken.hasTokenShape) == true)
    // A value to be opened stays sealed until a person has agreed.
    #expect(seen.fields["hint"]?.string.map(SealedToken.hasTokenShape) == true)
    let plan = try await vault.migrationPlan()
    try #require(plan.records.count == 1)
    #expect(plan.records[0].steps.count == 6)
    #expect(plan.seals)
    #expect(try store.read(.record(id)) == before)
    await #expect(throws: VaultError(.usage, "")) { try await vault.migrate() }
    #expect(try store.read(.record(id)) == before)
    try await vault.migrate(opening: plan.opened)
    let after = try await vault.record(id)
    #expect(after.envelope.schema == 2)
    #expect(after.envelope.revision == 2)
    #expect(after.fields["hint"] == "dog")
    #expect(try after.revealed()["pin"] == "1234")
    #expect(try await vault.migrationPlan().records.isEmpty)
    #expect(try await vault.verify().isGood)
  }

  @Test("a record that the steps do not fit stops the batch and stays as it is")
  func unfit() async throws {
    let (vault, id, store) = try await vault(#"{"port":"ssh"}"#)
    let before = try store.read(.record(id))
    #expect(try await vault.migrationPlan().faults.first?.field == "port")
    await #expect(throws: VaultError(.inputRefused, "")) { try await vault.migrate() }
    #expect(try store.read(.record(id)) == before)
    #expect(try await vault.record(id).fields["port"] == "ssh")
  }

  @Test("a changed field of an older record is written in the new schema")
  func changedRecordIsNew() async throws {
    let (vault, id, _) = try await vault(#"{"name":"Ada King","pin":"1"}"#)
    try await vault.edit(id, [.set(path("country"), to: "SE")])
    let record = try await vault.record(id)
    #expect(record.envelope.schema == 2)
    #expect(record.fields["first"] == "Ada")
    #expect(record.fields["country"] == "SE")
    #expect(try record.revealed()["pin"] == "1")
  }
}

extension String {
  fileprivate func replacing(_ part: String, with other: String) -> String {
    guard let start = indices.first(where: { self[$0...].hasPrefix(part) }) else { return self }
    return self[..<start] + other + self[index(start, offsetBy: part.count)...]
  }
}
