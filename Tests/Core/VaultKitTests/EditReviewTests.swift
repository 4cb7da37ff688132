import Testing
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport
import VaultRepair

@Suite("Accepting an edit by hand")
struct EditReviewTests {
  /// A vault with one record at its second revision, and a history with the first.
  private struct Bench {
    let vault: Vault
    let store: MemoryStore
    let id: RecordID
    let histories: [any FileHistory]

    init() async throws {
      (vault, _, store) = try await memoryVault()
      id = try await vault.add(sampleCustomer())
      histories = [TestHistory([.record(id): [try #require(try store.read(.record(id)))]])]
    }

    func edit(_ edit: (inout JSONObject) -> Void) throws { try store.edit(.record(id), edit) }

    func refusal() async -> VaultError? {
      do throws(VaultError) {
        _ = try await vault.editReview(of: id, histories)
        return nil
      } catch {
        return error
      }
    }
  }

  @Test("what verifies needs no acceptance")
  func nothing() async throws {
    let bench = try await Bench()
    #expect(try await bench.vault.editReview(of: bench.id, bench.histories) == nil)
    await #expect(throws: VaultError(.noSuchRecord, "")) { try await bench.vault.editReview(of: .random()) }
  }

  @Test("readable fields that were changed, added and removed are told, and verify afterwards; tokens stay as they are")
  func edited() async throws {
    let bench = try await Bench()
    let before = try await bench.vault.record(bench.id)
    try bench.edit { record in
      record["name"] = "Shai M."
      record["note"] = .array([1, "two"])
      record["address"] = record["address"]?.object.map { address in
        var address = address
        address["city"] = nil
        return .object(address)
      }
    }
    let review = try #require(try await bench.vault.editReview(of: bench.id, bench.histories))
    #expect(review.baseline?.revision == 1)
    #expect(review.baseline?.origin == "a test")
    #expect(review.changes.map(\.path.description) == ["address.city", "name", "note"])
    #expect(review.changes[0].before == "Albuquerque")
    #expect(review.changes[0].after == nil)
    #expect(review.changes[1].before == "Shai Mishali")
    #expect(review.changes[1].after == "Shai M.")
    #expect(review.changes[2].before == nil)
    #expect(review.changes[2].after == .array([1, "two"]))
    try await bench.vault.accept([review])
    let after = try await bench.vault.record(bench.id)
    #expect(after.envelope.revision == 2)
    #expect(after.envelope.createdAt == before.envelope.createdAt)
    #expect(after.fields["name"] == "Shai M.")
    #expect(after.fields["access_key"] == before.fields["access_key"])
    #expect(try await bench.vault.verify().isGood)
  }

  @Test("the new revision follows the baseline's; the one of the file counts only where there is none")
  func revisions() async throws {
    let bench = try await Bench()
    try bench.edit { $0.setEnvelope("revision", 40) }
    #expect(try await bench.vault.editReview(of: bench.id, bench.histories)?.revision == 2)
    #expect(try await bench.vault.editReview(of: bench.id)?.revision == 41)
    try bench.edit { $0.setEnvelope("revision", 1_000_000_001) }
    await #expect(throws: VaultError(.damaged, "")) { try await bench.vault.editReview(of: bench.id) }
  }

  @Test("the newest version that verifies is older than the checkpoint lists: that is a rollback")
  func rollback() async throws {
    let bench = try await Bench()
    try await bench.vault.update(bench.id, as: Customer.self) { $0.name = "Second revision" }
    _ = try await bench.vault.makeCheckpoint()
    try bench.edit { $0["name"] = "By hand" }
    #expect(await bench.refusal() == VaultError(.unexpectedVault, ""))
    #expect(try await bench.vault.editReview(of: bench.id)?.revision == 3)
  }

  /// The change of the record, and the named field.
  private static let refusals: [(String, @Sendable (inout JSONObject) -> Void)] = [
    ("access_key", { ($0["access_key"], $0["atm_code"]) = ($0["atm_code"], $0["access_key"]) }),
    ("note", { $0["note"] = $0["access_key"] }), ("access_key", { $0["access_key"] = nil }),
    ("access_key", { $0["access_key"] = "in clear" }), ("access_key", { $0["access_key"] = "es1:AAAA" }),
    ("$vault.kind", { $0.setEnvelope("kind", "login") }), ("$vault.schema", { $0.setEnvelope("schema", 1) }),
    ("$vault.created_at", { $0.setEnvelope("created_at", "2020-01-01T00:00:00Z") }),
  ]

  @Test("sealed values and the envelope must be as in the version that verifies", arguments: refusals.indices)
  func refused(_ index: Int) async throws {
    let (field, change) = Self.refusals[index]
    let bench = try await Bench()
    try bench.edit(change)
    let refusal = await bench.refusal()
    #expect(refusal == VaultError(.damaged, ""))
    #expect(refusal?.field?.hasSuffix(field.split(separator: ".").last ?? "") == true, "\(refusal?.field ?? "none")")
  }

  @Test("the wrap of another record's key is refused, and another record's file")
  func foreign() async throws {
    let bench = try await Bench()
    let other = try await bench.vault.add(sampleCustomer("Other"))
    let bytes = try #require(try bench.store.read(.record(other)))
    let key = try #require(try JSONParser.parse(bytes)["$vault"]?["key"])
    try bench.edit { $0.setEnvelope("key", key) }
    #expect(await bench.refusal() == VaultError(.damaged, ""))
    try bench.store.put(bytes, at: .record(bench.id))
    #expect(await bench.refusal() == VaultError(.damaged, ""))
  }

  @Test("a text that does not parse is refused with line and column")
  func malformed() async throws {
    let bench = try await Bench()
    let bytes = try #require(try bench.store.read(.record(bench.id)))
    try bench.store.put(Array("{\n  x".utf8) + bytes, at: .record(bench.id))
    let refusal = await bench.refusal()
    #expect(refusal == VaultError(.damaged, ""))
    #expect(refusal?.reason.hasPrefix("line 2, column 3: ") == true)
  }

  @Test("without a version that verifies there is nothing to compare; a sealed value still stands once and opens")
  func noBaseline() async throws {
    let bench = try await Bench()
    try bench.edit { $0["name"] = "Shai M." }
    let review = try #require(try await bench.vault.editReview(of: bench.id))
    #expect(review.baseline == nil)
    #expect(review.changes.isEmpty)
    #expect(review.revision == 2)
    try await bench.vault.accept([review])
    #expect(try await bench.vault.verify().isGood)
    try bench.edit { $0["note"] = $0["access_key"] }
    await #expect(throws: VaultError(.damaged, "")) { try await bench.vault.editReview(of: bench.id) }
  }

  @Test("what its kind does not allow is not accepted, and a file that changed since is left")
  func atAcceptance() async throws {
    let bench = try await Bench()
    try bench.edit { $0["name"] = 5 }
    let wrong = try #require(try await bench.vault.editReview(of: bench.id, bench.histories))
    await #expect(throws: VaultError(.damaged, "")) { try await bench.vault.accept([wrong]) }
    try bench.edit { $0["name"] = "One" }
    let stale = try #require(try await bench.vault.editReview(of: bench.id, bench.histories))
    try bench.edit { $0["name"] = "Two" }
    await #expect(throws: VaultError(.changedUnderneath, "")) { try await bench.vault.accept([stale]) }
    #expect(try await !bench.vault.verify().isGood)
  }

  @Test("a removed version in the trash is a baseline, too")
  func trash() async throws {
    let bench = try await Bench()
    let live = try #require(try bench.store.read(.record(bench.id)))
    try await bench.vault.remove([bench.id])
    try bench.store.put(live, at: .record(bench.id))
    try bench.edit { $0["name"] = "Shai M." }
    let review = try #require(try await bench.vault.editReview(of: bench.id))
    #expect(review.baseline?.revision == 2)
    #expect(review.revision == 3)
    #expect(review.changes.map(\.path.description) == ["name"])
  }
}

extension JSONObject {
  /// Changes a member of `$vault`.
  fileprivate mutating func setEnvelope(_ name: String, _ value: JSONValue) {
    guard case .object(var envelope)? = self["$vault"] else { return }
    envelope[name] = value
    self["$vault"] = .object(envelope)
  }
}
